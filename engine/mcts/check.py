"""Can a search go on with a tree from a file? Its moves are tried on the board, its proofs found again.

The moves of such a tree are in the order of plies, see engine.report.tree_columns.
"""

from typing import NamedTuple

import numpy as np

from engine.mcts.evaluate import ending_here
from engine.mcts.params import AT_ROOT, DEEPEST, Root
from engine.mcts.proof import DRAW, LOSS, ONE_PLY, UNPROVEN, proof, proof_from, result_of
from engine.mcts.simulate import occurrences_before
from movegen.apply import apply_keyed
from movegen.bits import U64
from movegen.board import Board, board_at
from movegen.compiler.jit import inlined, kernel
from movegen.generate import fill_moves
from movegen.moves import MAX_MOVES

SOUND, ILLEGAL, NO_VISITS, TOO_DEEP = 0, 1, 2, 3  # what `try_moves` finds
# The node below a move. PARTIAL: some legal moves are missing. OVER: the game ends before it.
NO_NODE_BELOW, WHOLE, PARTIAL, OVER = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)


class Moves(NamedTuple):
    """The moves of a tree from a file, the edge above the root first."""

    move: np.ndarray  # uint16
    visits: np.ndarray  # uint32
    children: np.ndarray  # int64, how many moves the node below has
    first: np.ndarray  # int64, the index of the first of them
    node: np.ndarray  # uint8, written here: NO_NODE_BELOW, WHOLE, PARTIAL or OVER
    proven: np.ndarray  # uint16, written here: see engine.mcts.proof


class Path(NamedTuple):
    """The path from the root to the present move, and space to work in."""

    indices: np.ndarray  # int64 [DEEPEST + 1], of the moves
    next: np.ndarray  # int64 [DEEPEST + 1], the moves below them that come next
    boards: np.ndarray  # uint64 [DEEPEST + 1, 6]
    keys: np.ndarray  # uint64 [DEEPEST + 1]
    clocks: np.ndarray  # uint64 [DEEPEST + 1]
    legal: np.ndarray  # uint16 [MAX_MOVES]


def new_path() -> Path:
    """Space for one walk through a tree."""
    plies = DEEPEST + 1
    return Path(
        np.zeros(plies, dtype=np.int64),
        np.zeros(plies, dtype=np.int64),
        np.zeros((plies, 6), dtype=np.uint64),
        np.zeros(plies, dtype=np.uint64),
        np.zeros(plies, dtype=np.uint64),
        np.zeros(MAX_MOVES, dtype=np.uint16),
    )


@inlined
def go_to(path: Path, moves: Moves, index: int, depth: int, board: Board, key: np.uint64, clock: np.uint64) -> None:
    """Note a position on the path."""
    words = path.boards[depth]
    words[0], words[1], words[2], words[3], words[4], words[5] = board
    path.keys[depth], path.clocks[depth] = key, clock
    path.indices[depth], path.next[depth] = index, moves.first[index]


@inlined
def ending_of(root: Root, path: Path, depth: int) -> np.uint16:
    """The proven end of the game at a depth, or UNPROVEN; as the search finds it."""
    clock = path.clocks[depth]
    if depth > AT_ROOT:
        _, in_all = occurrences_before(root, path.keys, depth, clock)
        if in_all >= 2:
            return DRAW
    return ending_here(board_at(path.boards, depth), clock, depth)


@inlined
def node_of_legal_moves(moves: Moves, path: Path, index: int, depth: int) -> np.uint8:
    """WHOLE or PARTIAL; NO_NODE_BELOW if a move is not legal or occurs twice."""
    left = np.int64(fill_moves(board_at(path.boards, depth), path.legal))
    count, first = moves.children[index], moves.first[index]
    for child in range(first, first + count):
        found = 0
        while found < left and path.legal[found] != moves.move[child]:
            found += 1
        if found == left:
            return NO_NODE_BELOW
        left -= 1
        path.legal[found] = path.legal[left]  # each may occur once
    return WHOLE if left == 0 else PARTIAL


@inlined
def try_position(moves: Moves, root: Root, path: Path, index: int, depth: int) -> int:
    """Check the position after a move: the end of the game, and the moves below; -> SOUND or ILLEGAL."""
    result = ending_of(root, path, depth)
    moves.proven[index] = proof(result, ONE_PLY) if result != UNPROVEN else UNPROVEN
    moves.node[index] = NO_NODE_BELOW
    if moves.children[index] > 0:
        node = node_of_legal_moves(moves, path, index, depth)
        if node == NO_NODE_BELOW:
            return ILLEGAL
        moves.node[index] = OVER if result != UNPROVEN else node
    return SOUND


@inlined
def prove_again(moves: Moves) -> None:
    """Prove what follows from the ends of games, last move first: replies come after the move that they answer."""
    for index in range(moves.move.size - 1, -1, -1):
        if moves.node[index] not in (WHOLE, PARTIAL):
            continue
        first = moves.first[index]
        proven = proof_from(moves.proven, U64(first), U64(first + moves.children[index]))
        may_choose = moves.node[index] == WHOLE or index == 0  # a search may be restricted to some moves of the root
        if may_choose or result_of(proven) == LOSS:
            moves.proven[index] = proven


@kernel
def try_moves(moves: Moves, root: Root, path: Path) -> int:
    """Walk through all that was visited, and write `node` and `proven`; -> SOUND, or what is wrong."""
    depth = AT_ROOT
    go_to(path, moves, 0, depth, root.board, root.key, root.clock)
    found = try_position(moves, root, path, 0, depth)
    while found == SOUND and depth >= 0:
        above = path.indices[depth]
        index = path.next[depth]
        if index == moves.first[above] + moves.children[above]:
            depth -= 1
            continue
        path.next[depth] += 1
        if moves.visits[index] == 0:
            moves.proven[index], moves.node[index] = UNPROVEN, NO_NODE_BELOW
            found = NO_VISITS if moves.children[index] > 0 else SOUND
        elif depth == DEEPEST:
            found = TOO_DEEP
        else:
            move = U64(moves.move[index])
            board, key, clock = apply_keyed(board_at(path.boards, depth), path.keys[depth], path.clocks[depth], move)
            depth += 1
            go_to(path, moves, index, depth, board, key, clock)
            found = try_position(moves, root, path, index, depth)
    if found == SOUND:
        prove_again(moves)
    return found
