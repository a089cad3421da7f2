"""Simulations with a network outside the kernels, in two halves: collect leaves, then finish them.

    collect_leaves   walks down again and again. What is proven, repeated or known already is backed up at once. A
                     leaf that needs the network is written into the batch, and its path counts as lost until then
    finish_leaves    makes the nodes of the leaves, with the priors that the network gave, and backs up its values;
                     `collect_leaves` begins with it, since each call from Python costs as much as a walk

The link of a leaf that waits is BUSY. A path that ends there (a collision) is kept until the batch is complete, so that
the next one goes elsewhere; then it is given up.

A node is made at the first visit, since the network gives value and priors at once. All else is as in
`engine.mcts.simulate`, and a batch of one leaf is the plain search.
"""

import numpy as np

from engine.mcts.collector import PAST, Collector, write_board, write_leaf, write_past
from engine.mcts.evaluate import ending_with
from engine.mcts.evaluation_table import EvaluationTable, digest_of, recall
from engine.mcts.finish import count_visit, finish_leaf, finish_leaves, give_up, make_node
from engine.mcts.params import AT_ROOT, UCB1, Root, SearchParams, Worker
from engine.mcts.proof import DRAW, UNPROVEN, draw_share_of, result_of, score_of
from engine.mcts.selection import select_by_puct, select_by_ucb1
from engine.mcts.simulate import add_result, enter, occurrences_before, prove
from engine.mcts.transpositions import mean_elsewhere, take_known_priors
from engine.mcts.tree import BUSY, NO_NODE, ROOT, SCORE_UNIT, Tree
from movegen.apply import apply_keyed
from movegen.bits import U64, ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source, kernel
from movegen.compiler.memory import read, swap_if
from movegen.generate import fill_moves

MADE, WAITS, COLLIDED = 0, 1, 2  # what became of a path


@inlined
def is_repeated_here(
    tree: Tree,
    root: Root,
    params: SearchParams,
    worker: Worker,
    collector: Collector,
    path: np.ndarray,
    depth: int,
    board: Board,
    clock: np.uint64,
) -> bool:
    """Note the board that a path has come to; -> did it occur since the root? A third occurrence proves a draw."""
    since_root, in_all = occurrences_before(root, worker.keys, depth, clock)
    if in_all >= 2 and tree.proven[path[depth]] == UNPROVEN:
        prove(tree, params, path, depth, DRAW)
    write_board(collector, PAST + depth, board, in_all)
    return since_root > 0


@inlined
def is_claimed(tree: Tree, params: SearchParams, collector: Collector, leaf: int, edge: np.uint64, depth: int) -> bool:
    """Take a leaf for this thread; -> was it free? Where no node is to be made, it need not be taken."""
    link = read(tree.link, edge)
    expands = link == NO_NODE and depth < params.deepest
    collector.expands[leaf] = np.uint8(expands)
    if not expands:
        return bool(link != BUSY)
    return bool(swap_if(tree.link, edge, NO_NODE, BUSY) == NO_NODE)


@inlined
def is_transposed(
    tree: Tree,
    params: SearchParams,
    worker: Worker,
    collector: Collector,
    leaf: int,
    board: Board,
    key: np.uint64,
    found: np.uint64,
) -> bool:
    """Take value, moves and priors from another node of the position; -> was there one?"""
    path, depth = collector.paths[leaf], int(collector.depths[leaf])
    if params.transpositions == ZERO or depth == 0 or collector.expands[leaf] == 0:
        return False
    visits, score, draw_share = mean_elsewhere(tree, key)
    if visits == 0 or not take_known_priors(tree, worker, board, key, found):
        return False
    make_node(tree, worker, path[depth], key, depth, found)
    add_result(tree, path, depth, score, draw_share)
    return True


@inlined
def back_up_end(tree: Tree, collector: Collector, leaf: int) -> None:
    """Add the result of a path that ends at a proof or a repetition."""
    path, depth = collector.paths[leaf], int(collector.depths[leaf])
    result = result_of(tree.proven[path[depth]])
    if result != UNPROVEN:
        add_result(tree, path, depth, score_of(result), draw_share_of(result))
    else:
        add_result(tree, path, depth, SCORE_UNIT // 2, SCORE_UNIT)


@inlined_source
def send_down(
    tree: Tree,
    root: Root,
    params: SearchParams,
    worker: Worker,
    collector: Collector,
    table: EvaluationTable,
    leaf: int,
) -> int:
    """Walk down to a leaf; -> was its visit MADE at once, does it WAIT for the network, or has it COLLIDED?"""
    board, key, clock = root.board, root.key, root.clock
    edge, depth, repeated = ROOT, AT_ROOT, False
    path = collector.paths[leaf]
    enter(tree, worker, path, depth, edge, key)
    while tree.proven[edge] == UNPROVEN and not repeated:
        header = U64(read(tree.link, edge))
        if header in (NO_NODE, BUSY) or tree.visits[edge] == 0 or depth >= params.deepest:
            break
        tree.in_flight[header] = 1  # visited since the cursor came by
        if params.formula == UCB1:
            edge = select_by_ucb1(tree, params, worker, edge, header)
        else:
            edge = select_by_puct(tree, params, edge, header)
        board, key, clock = apply_keyed(board, key, clock, U64(tree.move[edge]))
        depth += 1
        enter(tree, worker, path, depth, edge, key)
        repeated = is_repeated_here(tree, root, params, worker, collector, path, depth, board, clock)
    collector.depths[leaf], collector.keys[leaf] = depth, key
    found = ZERO
    if tree.proven[edge] == UNPROVEN and not repeated:
        found = fill_moves(board, worker.moves)
        result = ending_with(board, found, clock, depth)
        if result != UNPROVEN:
            prove(tree, params, path, depth, result)
    if tree.proven[edge] != UNPROVEN or repeated:
        back_up_end(tree, collector, leaf)
        count_visit(worker, depth)
        return MADE
    if not is_claimed(tree, params, collector, leaf, edge, depth):
        return COLLIDED
    if is_transposed(tree, params, worker, collector, leaf, board, key, found):
        count_visit(worker, depth)
        return MADE
    write_leaf(collector, worker, leaf, key, clock, depth, found)
    collector.digests[leaf] = digest_of(collector.leaves, leaf)
    if recall(table, collector.digests[leaf], collector.leaves, leaf):
        finish_leaf(tree, params, worker, collector, leaf)
        return MADE
    return WAITS


@inlined
def set_aside(collector: Collector, leaf: int, row: int) -> None:
    """Keep the path of a collision until the batch is complete."""
    depth = collector.depths[leaf]
    collector.depths[row] = depth
    for ply in range(depth + 1):
        collector.paths[row, ply] = collector.paths[leaf, ply]


@kernel
def collect_leaves(
    tree: Tree,
    root: Root,
    params: SearchParams,
    worker: Worker,
    collector: Collector,
    table: EvaluationTable,
    batch: int,
    visits: int,
) -> int:
    """Finish the leaves of the last batch; collect at most `batch` others, within a number of visits.

    -> how many of these visits were made without the network. There are fewer leaves if the root is proven,
    `ask_to_stop` was called, or too many paths collide.
    """
    made, waiting, collisions = 0, 0, 0
    finish_leaves(tree, params, worker, collector, table)
    write_past(collector, root)
    while waiting < batch and made + waiting < visits and collisions < batch:
        if tree.proven[ROOT] != UNPROVEN or tree.prior[ROOT] != 0:
            break
        became = send_down(tree, root, params, worker, collector, table, waiting)
        if became == MADE:
            made += 1
        elif became == WAITS:
            waiting += 1
        else:
            set_aside(collector, waiting, batch + collisions)
            collisions += 1
    for row in range(batch, batch + collisions):
        give_up(tree, collector, row)
    collector.leaves.filled[0] = waiting
    return made
