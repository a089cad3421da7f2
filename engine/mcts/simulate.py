"""Simulations in four steps: select, expand, evaluate, back up. And a loop over many of them, without the interpreter.

Scores are whole numbers in SCORE_UNIT, for the player who made the move that leads to a position. So a score turns
into SCORE_UNIT − score from one ply to the next, and each edge adds up what is good for its own player.

Leaves are collected in batches: each path down counts as a loss until its result is backed up, so the next one goes
elsewhere; then all leaves are evaluated by one call. A batch of one is the plain search.
"""

import numpy as np

from engine.mcts.allocate import allocate, clear_edges
from engine.mcts.evaluate import ending_here, evaluate_leaves, give_priors
from engine.mcts.params import AT_ROOT, NETWORK, UCB1, Root, SearchParams, Worker, depth_of, is_repeated, keep_leaf
from engine.mcts.proof import DRAW, ONE_PLY, UNPROVEN, draw_share_of, proof, proof_from_replies, result_of, score_of
from engine.mcts.selection import select_by_puct, select_by_ucb1
from engine.mcts.transpositions import index_of, name_node, take_known_priors
from engine.mcts.tree import BUSY, NO_NODE, ROOT, SCORE_UNIT, Tree
from engine.network.architecture import Network
from movegen.apply import apply_keyed
from movegen.bits import ONE, TWO, U64, ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source, kernel
from movegen.compiler.memory import add_to, prefetch, publish, read, swap_if
from movegen.generate import fill_moves

# Expand


@inlined_source
def expand(
    tree: Tree,
    network: Network,
    params: SearchParams,
    worker: Worker,
    board: Board,
    key: np.uint64,
    edge: np.uint64,
    depth: int,
) -> np.uint64:
    """Make the moves of a position below an edge; -> the new node, or NO_NODE if there was no room or no need."""
    if swap_if(tree.link, edge, NO_NODE, BUSY) != NO_NODE:
        return ZERO
    found = fill_moves(board, worker.moves)
    header = allocate(tree, edge, found)
    if header != ZERO:
        is_shared = depth > AT_ROOT and params.evaluator == NETWORK
        if not (is_shared and take_known_priors(tree, worker, board, key, found)):
            give_priors(network, params, worker, board, found, depth)
        clear_edges(tree, header + ONE, header + ONE + found)
        for index in range(found):
            slot = header + ONE + index
            tree.move[slot], tree.prior[slot] = worker.moves[index], worker.priors[index]
        if is_shared:
            name_node(tree, header, key)
    publish(tree.link, edge, np.uint32(header))
    return header


@inlined_source
def node_below(
    tree: Tree,
    network: Network,
    params: SearchParams,
    worker: Worker,
    board: Board,
    key: np.uint64,
    edge: np.uint64,
    depth: int,
) -> np.uint64:
    """The node below an edge, made at the second visit; 0 while there is none."""
    if tree.visits[edge] == 0 or depth >= params.deepest:
        return ZERO
    header = U64(read(tree.link, edge))
    if header == NO_NODE:
        return expand(tree, network, params, worker, board, key, edge, depth)
    return ZERO if header == BUSY else header


# Back up


@inlined
def add_result(tree: Tree, path: np.ndarray, depth: int, score: int, draw_share: int) -> None:
    """Add a result to every edge from the leaf up to the root, each from its own player's view."""
    for ply in range(depth, -1, -1):
        edge = path[ply]
        add_to(tree.wins, edge, score)
        add_to(tree.draws, edge, draw_share)
        add_to(tree.visits, edge, np.uint32(1))
        add_to(tree.in_flight, edge, np.uint16(0xFFFF))  # minus 1, for this thread
        score = SCORE_UNIT - score


@inlined
def prove_upwards(tree: Tree, path: np.ndarray, depth: int) -> None:
    """A new proof at the leaf may prove the moves before it, up to the root.

    A proof is published before the others of its node are read: of two threads that prove the last two replies at
    once, one sees both.
    """
    ply = depth - 1
    while ply >= 0:
        edge = path[ply]
        header = U64(read(tree.link, edge))
        if header in (NO_NODE, BUSY):
            return
        proven = proof_from_replies(tree, header)
        if proven == UNPROVEN or proven == tree.proven[edge]:
            return
        publish(tree.proven, edge, proven)
        ply -= 1


@inlined
def prove(tree: Tree, params: SearchParams, path: np.ndarray, depth: int, result: np.uint16) -> None:
    """Note that the game ends at this depth, and what follows from it for the moves before."""
    publish(tree.proven, path[depth], proof(result, ONE_PLY))
    if params.solver != ZERO:
        prove_upwards(tree, path, depth)


# Repetition


@inlined
def occurrences_before(root: Root, keys: np.ndarray, depth: int, clock: np.uint64) -> tuple[int, int]:
    """How often the position at this depth occurred before: since the root, and in all.

    `keys` are those of the positions from the root to this one.
    """
    since_root, in_all = 0, 0
    key = keys[depth]
    past = U64(root.past.size)
    back = TWO
    while back <= clock:
        if back <= U64(depth):
            if keys[U64(depth) - back] == key:
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
def judge_repetition(
    tree: Tree, root: Root, params: SearchParams, worker: Worker, path: np.ndarray, depth: int, clock: np.uint64
) -> bool:
    """Has the position at this depth occurred before? A third occurrence proves a draw, for good.

    A second one since the root only counts as a draw this time: the way to it is not forced, and from a later root
    it is judged again.
    """
    since_root, in_all = occurrences_before(root, worker.keys, depth, clock)
    if in_all >= 2 and tree.proven[path[depth]] == UNPROVEN:
        prove(tree, params, path, depth, DRAW)
    return since_root > 0


# Select


@inlined
def enter(tree: Tree, worker: Worker, path: np.ndarray, depth: int, edge: np.uint64, key: np.uint64) -> None:
    """Go below an edge: until the result is backed up, it counts as a loss for others."""
    path[depth], worker.keys[depth] = edge, key
    add_to(tree.in_flight, edge, np.uint16(1))


@inlined_source
def descend(tree: Tree, root: Root, network: Network, params: SearchParams, worker: Worker, leaf: int) -> None:
    """Walk down to a leaf, and keep it for evaluation."""
    board, key, clock = root.board, root.key, root.clock
    edge, depth, repeated = ROOT, AT_ROOT, False
    path = worker.paths[leaf]
    enter(tree, worker, path, depth, edge, key)
    while tree.proven[edge] == UNPROVEN and not repeated:
        header = node_below(tree, network, params, worker, board, key, edge, depth)
        if header == ZERO:
            break
        tree.in_flight[header] = 1  # visited since the cursor came by
        if params.formula == UCB1:
            edge = select_by_ucb1(tree, params, worker, edge, header)
        else:
            edge = select_by_puct(tree, params, edge, header)
        board, key, clock = apply_keyed(board, key, clock, U64(tree.move[edge]))
        depth += 1
        enter(tree, worker, path, depth, edge, key)
        repeated = judge_repetition(tree, root, params, worker, path, depth, clock)
    if tree.proven[edge] == UNPROVEN and not repeated and tree.visits[edge] == 0:
        prefetch(tree.values, index_of(key))
        result = ending_here(board, clock, depth)
        if result != UNPROVEN:
            prove(tree, params, path, depth, result)
    is_open = tree.proven[edge] == UNPROVEN and not repeated
    keep_leaf(worker, leaf, board, key, clock, depth, is_open, repeated)


@inlined
def back_up(tree: Tree, worker: Worker, leaf: int) -> None:
    """Add the result of a leaf to the edges above it: what is proven, a repetition, or the evaluation."""
    path, depth = worker.paths[leaf], depth_of(worker, leaf)
    result = result_of(tree.proven[path[depth]])
    score, draw_share = int(worker.scores[leaf]), int(worker.draw_shares[leaf])
    if result != UNPROVEN:
        score, draw_share = score_of(result), draw_share_of(result)
    elif is_repeated(worker, leaf):
        score, draw_share = SCORE_UNIT // 2, SCORE_UNIT
    add_result(tree, path, depth, score, draw_share)
    worker.totals[0] += ONE
    worker.totals[1] += U64(depth)
    worker.totals[2] = max(worker.totals[2], U64(depth))


@kernel
def simulate_many(
    tree: Tree, root: Root, network: Network, params: SearchParams, worker: Worker, simulations: np.uint64
) -> np.uint64:
    """Make simulations until all are made, the root is proven or `ask_to_stop` was called; -> how many were made.

    A batch is never cut by this: its results are backed up.
    """
    made = ZERO
    while made < simulations and tree.proven[ROOT] == UNPROVEN and tree.prior[ROOT] == 0:
        batch = min(params.batch, simulations - made)
        for leaf in range(batch):
            descend(tree, root, network, params, worker, leaf)
        evaluate_leaves(tree, network, params, worker, batch)
        for leaf in range(batch):
            back_up(tree, worker, leaf)
        made += batch
    return made
