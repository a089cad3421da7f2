"""What a network outside the kernels said of a leaf: as the tree keeps it, a node with priors and a value backed up."""

import numpy as np

from engine.mcts.allocate import allocate, clear_edges
from engine.mcts.collector import Collector
from engine.mcts.evaluation_table import EvaluationTable, remember
from engine.mcts.params import AT_ROOT, SearchParams, Worker
from engine.mcts.simulate import add_result
from engine.mcts.transpositions import name_node
from engine.mcts.tree import NO_NODE, SCORE_UNIT, Tree
from engine.network.architecture import PRIOR_UNIT
from engine.network.infer import PLAIN_SHARPNESS
from engine.network.leaves import LeafBatch
from movegen.bits import ONE, U64, ZERO
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import add_to, publish

LARGEST_PRIOR = 2.0  # 1, if it were exact
MINUS_ONE = np.uint16(0xFFFF)

# Priors and values


@inlined
def sort_by_likelihood(leaves: LeafBatch, leaf: int) -> None:
    """Sort moves and priors of a leaf, the highest prior first; equal ones keep their order. By insertion."""
    moves, priors = leaves.moves[leaf], leaves.priors[leaf]
    for index in range(1, leaves.move_count[leaf]):
        move, prior = moves[index], priors[index]
        hole = index
        while hole > 0 and priors[hole - 1] < prior:
            moves[hole], priors[hole] = moves[hole - 1], priors[hole - 1]
            hole -= 1
        moves[hole], priors[hole] = move, prior


@inlined
def tempered(prior: float, highest: float, exponent: float) -> float:
    """A prior as a weight in [0, 1], after the temperature; also of a network that gives nonsense."""
    if not 0.0 < highest <= LARGEST_PRIOR:
        return 1.0
    share = float(prior) / float(highest)
    if not 0.0 <= share <= 1.0:
        return 0.0
    return share if exponent == 1.0 else share**exponent


@inlined
def take_priors(worker: Worker, leaves: LeafBatch, leaf: int, sharpness: int) -> None:
    """Write moves and priors of a leaf to the worker, the likely ones first.

    Each is at least 1, their sum at most PRIOR_UNIT.
    """
    sort_by_likelihood(leaves, leaf)
    count, highest = int(leaves.move_count[leaf]), leaves.priors[leaf, 0]
    exponent, total = float(sharpness) / float(PLAIN_SHARPNESS), 0.0
    for index in range(count):
        total += tempered(leaves.priors[leaf, index], highest, exponent)
    to_give = float(PRIOR_UNIT - count)
    for index in range(count):
        weight = tempered(leaves.priors[leaf, index], highest, exponent)
        worker.moves[index] = leaves.moves[leaf, index]
        worker.priors[index] = np.uint16(1 + int(weight * to_give / total))


@inlined
def score_and_draws(leaves: LeafBatch, leaf: int) -> tuple[int, int]:
    """Score and draw share of a leaf for the player who moved there; a draw if the network gives nonsense."""
    value, draws = float(leaves.values[leaf]), float(leaves.draws[leaf])
    if not 0.0 <= value <= 1.0:
        return SCORE_UNIT // 2, 0
    score = int((1.0 - value) * SCORE_UNIT + 0.5)
    draw_share = int(draws * SCORE_UNIT + 0.5) if 0.0 <= draws <= 1.0 else 0
    return score, min(draw_share, 2 * score, 2 * (SCORE_UNIT - score))


# Finish


@inlined
def make_node(tree: Tree, worker: Worker, edge: np.uint64, key: np.uint64, depth: int, found: np.uint64) -> None:
    """Make a node of the moves and priors of the worker below an edge whose link is BUSY, if there is room."""
    header = allocate(tree, edge, found)
    if header != ZERO:
        clear_edges(tree, header + ONE, header + ONE + found)
        for index in range(found):
            slot = header + ONE + index
            tree.move[slot], tree.prior[slot] = worker.moves[index], worker.priors[index]
        if depth > AT_ROOT:
            name_node(tree, header, key)
    publish(tree.link, edge, np.uint32(header))


@inlined
def count_visit(worker: Worker, depth: int) -> None:
    """Add a visit to the totals of the worker."""
    worker.totals[0] += ONE
    worker.totals[1] += U64(depth)
    worker.totals[2] = max(worker.totals[2], U64(depth))


@kernel
def finish_leaf(tree: Tree, params: SearchParams, worker: Worker, collector: Collector, leaf: int) -> None:
    """Make the node of a leaf that the network has seen, and back up its value.

    In this order: while the path is in flight, the new node is not recycled.
    """
    leaves, path, depth = collector.leaves, collector.paths[leaf], int(collector.depths[leaf])
    if collector.expands[leaf] != 0:
        take_priors(worker, leaves, leaf, params.root_sharpness if depth == 0 else params.sharpness)
        make_node(tree, worker, path[depth], collector.keys[leaf], depth, U64(leaves.move_count[leaf]))
    score, draw_share = score_and_draws(leaves, leaf)
    add_result(tree, path, depth, score, draw_share)
    count_visit(worker, depth)


@kernel
def finish_leaves(
    tree: Tree, params: SearchParams, worker: Worker, collector: Collector, table: EvaluationTable
) -> None:
    """Make the nodes of all leaves that the network has seen, and back up their values."""
    for leaf in range(collector.leaves.filled[0]):
        remember(table, collector.digests[leaf], collector.leaves, leaf)
        finish_leaf(tree, params, worker, collector, leaf)
    collector.leaves.filled[0] = 0


@inlined
def give_up(tree: Tree, collector: Collector, row: int) -> None:
    """Leave a path without a result."""
    for ply in range(collector.depths[row] + 1):
        add_to(tree.in_flight, collector.paths[row, ply], MINUS_ONE)


@kernel
def drop_leaves(tree: Tree, collector: Collector) -> None:
    """Leave the tree as if the leaves that wait had not been collected."""
    for leaf in range(collector.leaves.filled[0]):
        if collector.expands[leaf] != 0:
            publish(tree.link, collector.paths[leaf, collector.depths[leaf]], NO_NODE)
        give_up(tree, collector, leaf)
    collector.leaves.filled[0] = 0
