"""Is a tree from outside one that a search can go on with? Its moves are tried, its proofs found again.

The moves of such a tree stand in the order of plies, see engine.report.tree_file.
"""

from typing import NamedTuple

import numpy as np

from engine.mcts.evaluate import ending_here
from engine.mcts.params import AT_ROOT, DEEPEST, Root
from engine.mcts.proof import DRAW, LOSS, NEXT, UNPROVEN, proof, proof_from, result_of
from engine.mcts.simulate import occurrences_before
from movegen.apply import apply_keyed
from movegen.bits import U64
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.legal import fill_moves
from movegen.moves import MAX_MOVES

SOUND, ILLEGAL, UNVISITED, TOO_DEEP = 0, 1, 2, 3  # what `try_moves` finds
# What becomes of the node below a move. Partial: it has not all legal moves. Over: the game ends before it.
NO_NODE_BELOW, WHOLE, PARTIAL, OVER = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)


class Moves(NamedTuple):
    """The moves of a tree from outside, the edge above the root first."""

    move: np.ndarray  # uint16
    visits: np.ndarray  # uint32
    children: np.ndarray  # int64, how many moves follow below
    first: np.ndarray  # int64, the place of the first of them
    node: np.ndarray  # uint8, written here: NO_NODE_BELOW, WHOLE, PARTIAL or OVER
    proven: np.ndarray  # uint16, written here: see engine.mcts.proof


class Way(NamedTuple):
    """The way from the root to the present move, and space to work in."""

    places: np.ndarray  # int64 [DEEPEST + 1], of the moves
    next: np.ndarray  # int64 [DEEPEST + 1], the moves below them that come next
    boards: np.ndarray  # uint64 [DEEPEST + 1, 6]
    keys: np.ndarray  # uint64 [DEEPEST + 1]
    clocks: np.ndarray  # uint64 [DEEPEST + 1]
    legal: np.ndarray  # uint16 [MAX_MOVES]


def new_way() -> Way:
    """Space for one walk."""
    plies = DEEPEST + 1
    return Way(
        np.zeros(plies, dtype=np.int64),
        np.zeros(plies, dtype=np.int64),
        np.zeros((plies, 6), dtype=np.uint64),
        np.zeros(plies, dtype=np.uint64),
        np.zeros(plies, dtype=np.uint64),
        np.zeros(MAX_MOVES, dtype=np.uint16),
    )


@inlined
def board_at(way: Way, depth: int) -> Board:
    """The position at a depth."""
    line = way.boards[depth]
    return Board(line[0], line[1], line[2], line[3], line[4], line[5])


@inlined
def go_to(way: Way, moves: Moves, place: int, depth: int, board: Board, key: np.uint64, clock: np.uint64) -> None:
    """Note a position on the way."""
    line = way.boards[depth]
    line[0], line[1], line[2], line[3], line[4], line[5] = board
    way.keys[depth], way.clocks[depth] = key, clock
    way.places[depth], way.next[depth] = place, moves.first[place]


@inlined
def ending_of(root: Root, way: Way, depth: int) -> np.uint16:
    """The proven end of the game at a depth, or UNPROVEN; as the search finds it."""
    clock = way.clocks[depth]
    if depth > AT_ROOT:
        _, in_all = occurrences_before(root, way.keys, depth, clock)
        if in_all >= 2:
            return DRAW
    return ending_here(board_at(way, depth), clock, depth)


@inlined
def node_of_legal_moves(moves: Moves, way: Way, place: int, depth: int) -> np.uint8:
    """WHOLE or PARTIAL; NO_NODE_BELOW if a move is not legal or stands there twice."""
    left = np.int64(fill_moves(board_at(way, depth), way.legal))
    count, first = moves.children[place], moves.first[place]
    for child in range(first, first + count):
        index = 0
        while index < left and way.legal[index] != moves.move[child]:
            index += 1
        if index == left:
            return NO_NODE_BELOW
        left -= 1
        way.legal[index] = way.legal[left]  # each may come once
    return WHOLE if left == 0 else PARTIAL


@inlined
def try_position(moves: Moves, root: Root, way: Way, place: int, depth: int) -> int:
    """Judge the position after a move: the end of the game, and the moves below; -> SOUND or ILLEGAL."""
    result = ending_of(root, way, depth)
    moves.proven[place] = proof(result, NEXT) if result != UNPROVEN else UNPROVEN
    moves.node[place] = NO_NODE_BELOW
    if moves.children[place] > 0:
        node = node_of_legal_moves(moves, way, place, depth)
        if node == NO_NODE_BELOW:
            return ILLEGAL
        moves.node[place] = OVER if result != UNPROVEN else node
    return SOUND


@inlined
def prove_again(moves: Moves) -> None:
    """Prove what follows from the ends of games: replies stand behind the moves before them."""
    for place in range(moves.move.size - 1, -1, -1):
        if moves.node[place] not in (WHOLE, PARTIAL):
            continue
        first = moves.first[place]
        proven = proof_from(moves.proven, U64(first), U64(first + moves.children[place]))
        may_choose = moves.node[place] == WHOLE or place == 0  # a search may be restricted to some moves of the root
        if may_choose or result_of(proven) == LOSS:
            moves.proven[place] = proven


@kernel
def try_moves(moves: Moves, root: Root, way: Way) -> int:
    """Walk through all that was visited, and write `node` and `proven`; -> SOUND, or what is wrong."""
    depth = AT_ROOT
    go_to(way, moves, 0, depth, root.board, root.key, root.clock)
    found = try_position(moves, root, way, 0, depth)
    while found == SOUND and depth >= 0:
        above = way.places[depth]
        place = way.next[depth]
        if place == moves.first[above] + moves.children[above]:
            depth -= 1
            continue
        way.next[depth] += 1
        if moves.visits[place] == 0:
            moves.proven[place], moves.node[place] = UNPROVEN, NO_NODE_BELOW
            found = UNVISITED if moves.children[place] > 0 else SOUND
        elif depth == DEEPEST:
            found = TOO_DEEP
        else:
            move = U64(moves.move[place])
            board, key, clock = apply_keyed(board_at(way, depth), way.keys[depth], way.clocks[depth], move)
            depth += 1
            go_to(way, moves, place, depth, board, key, clock)
            found = try_position(moves, root, way, place, depth)
    if found == SOUND:
        prove_again(moves)
    return found
