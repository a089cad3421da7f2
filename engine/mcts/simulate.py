"""One simulation in four steps: select, expand, evaluate, back up. And many of them, without a word of Python.

Scores are whole numbers in SCORE_UNIT, for the player who made the move that leads to a position. So a score turns
into SCORE_UNIT − score from one ply to the next, and each edge adds up what is good for its own player.
"""

import numpy as np

from engine.mcts.evaluate import ending_here, evaluate
from engine.mcts.proof import DRAW, UNPROVEN, draw_share_of, proof, proof_from_replies, result_of, score_of
from engine.mcts.selection import PRIOR_UNIT, select_by_puct, select_by_ucb1
from engine.mcts.setup import DEEPEST, UCB1, Root, Settings, Worker
from engine.mcts.tree import BUSY, NO_NODE, ROOT, SCORE_UNIT, Tree, allocate, clear_edges
from movegen.apply import apply_keyed
from movegen.bits import ONE, TWO, U64, ZERO
from movegen.board import Board
from movegen.buffers import load_move, move_buffer
from movegen.jit import inlined, kernel
from movegen.legal import list_moves
from movegen.memory import add_to, publish, read, swap_if

# Expand


@inlined
def expand(tree: Tree, board: Board, edge: np.uint64) -> np.uint64:
    """Make the moves of a position below an edge; -> the new node, or NO_NODE if there was no room or no need."""
    if swap_if(tree.link, edge, NO_NODE, BUSY) != NO_NODE:
        return ZERO
    moves = move_buffer()
    found = list_moves(board, moves)
    header = allocate(tree, edge, found)
    if header != ZERO:
        clear_edges(tree, header + ONE, header + ONE + found)
        for index in range(found):
            slot = header + ONE + index
            tree.move[slot], tree.prior[slot] = load_move(moves, index), PRIOR_UNIT // found
    publish(tree.link, edge, np.uint32(header))
    return header


# Back up


@inlined
def add_result(tree: Tree, worker: Worker, depth: int, score: int, draw_share: int) -> None:
    """Add a result to every edge from the leaf up to the root, each from its own player's view."""
    for ply in range(depth, -1, -1):
        edge = worker.edges[ply]
        add_to(tree.wins, edge, score)
        add_to(tree.draws, edge, draw_share)
        add_to(tree.visits, edge, np.uint32(1))
        add_to(tree.in_flight, edge, np.uint16(0xFFFF))  # one thread less
        score = SCORE_UNIT - score


@inlined
def prove_upwards(tree: Tree, worker: Worker, depth: int) -> None:
    """A new proof at the leaf may prove the moves before it, up to the root."""
    ply = depth - 1
    while ply >= 0:
        edge = worker.edges[ply]
        header = U64(read(tree.link, edge))
        if header in (NO_NODE, BUSY):
            return
        proven = proof_from_replies(tree, header)
        if proven == UNPROVEN or proven == tree.proven[edge]:
            return
        tree.proven[edge] = proven
        ply -= 1


# Repetition


@inlined
def occurrences_before(root: Root, worker: Worker, depth: int, clock: np.uint64) -> tuple[int, int]:
    """How often the position at this depth stood on the board before: since the root, and in all."""
    since_root, in_all = 0, 0
    key = worker.keys[depth]
    past = U64(root.past.size)
    back = TWO
    while back <= clock:
        if back <= U64(depth):
            if worker.keys[U64(depth) - back] == key:
                since_root += 1
                in_all += 1
        elif back - U64(depth) <= past:
            if root.past[past + U64(depth) - back] == key:
                in_all += 1
        else:
            break
        back += TWO
    return since_root, in_all


@inlined
def judge_repetition(tree: Tree, root: Root, settings: Settings, worker: Worker, depth: int, clock: np.uint64) -> bool:
    """Has the position at this depth occurred before? A third occurrence proves a draw, for good.

    A second one since the root only counts as a draw this time: the way to it is not forced, and from a later root
    it is judged again.
    """
    since_root, in_all = occurrences_before(root, worker, depth, clock)
    edge = worker.edges[depth]
    if in_all >= 2 and tree.proven[edge] == UNPROVEN:
        prove(tree, settings, worker, depth, DRAW)
    return since_root > 0


@inlined
def prove(tree: Tree, settings: Settings, worker: Worker, depth: int, result: np.uint16) -> None:
    """Note that the game ends at this depth, and what follows from it for the moves before."""
    tree.proven[worker.edges[depth]] = proof(result, 1)
    if settings.solver != ZERO:
        prove_upwards(tree, worker, depth)


@inlined
def enter(tree: Tree, worker: Worker, depth: int, edge: np.uint64, key: np.uint64) -> None:
    """Go below an edge: until the result is backed up, it counts as a loss for other threads."""
    worker.edges[depth], worker.keys[depth] = edge, key
    add_to(tree.in_flight, edge, np.uint16(1))


@inlined
def node_below(tree: Tree, board: Board, edge: np.uint64, depth: int) -> np.uint64:
    """The node below an edge, made at the second visit; 0 while there is none."""
    if tree.visits[edge] == 0 or depth == DEEPEST:
        return ZERO
    header = U64(read(tree.link, edge))
    if header == NO_NODE:
        return expand(tree, board, edge)
    return ZERO if header == BUSY else header


@inlined
def simulate(tree: Tree, root: Root, settings: Settings, worker: Worker) -> int:
    """Make one simulation; -> the depth it reached."""
    board, key, clock = root.board, root.key, root.clock
    edge, depth, is_repeated = ROOT, 0, False
    enter(tree, worker, depth, edge, key)
    while tree.proven[edge] == UNPROVEN and not is_repeated:
        header = node_below(tree, board, edge, depth)
        if header == ZERO:
            break
        tree.in_flight[header] = 1  # visited since the cursor came by
        if settings.formula == UCB1:
            edge = select_by_ucb1(tree, settings, worker, edge, header)
        else:
            edge = select_by_puct(tree, settings, edge, header)
        board, key, clock = apply_keyed(board, key, clock, U64(tree.move[edge]))
        depth += 1
        enter(tree, worker, depth, edge, key)
        is_repeated = judge_repetition(tree, root, settings, worker, depth, clock)

    if tree.proven[edge] == UNPROVEN and not is_repeated and tree.visits[edge] == 0:
        result = ending_here(board, clock, depth)
        if result != UNPROVEN:
            prove(tree, settings, worker, depth, result)
    if tree.proven[edge] != UNPROVEN:
        result = result_of(tree.proven[edge])
        score, draw_share = score_of(result), draw_share_of(result)
    elif is_repeated:
        score, draw_share = SCORE_UNIT // 2, SCORE_UNIT
    else:
        score, draw_share = evaluate(settings, board, key, clock, worker)
    add_result(tree, worker, depth, score, draw_share)
    return depth


@kernel
def simulate_many(tree: Tree, root: Root, settings: Settings, worker: Worker, simulations: np.uint64) -> np.uint64:
    """Make simulations until so many are made or the root is proven; -> how many were made."""
    made = ZERO
    while made < simulations and tree.proven[ROOT] == UNPROVEN:
        depth = U64(simulate(tree, root, settings, worker))
        worker.totals[0] += ONE
        worker.totals[1] += depth
        worker.totals[2] = max(worker.totals[2], depth)
        made += ONE
    return made
