"""Which move to visit next: two formulas, each a small function. All values are for the player who moves, in [0, 1].

No fast-math: the same numbers on every CPU, so that a search can be repeated anywhere.
"""

import math

import numpy as np

from engine.mcts.params import SearchParams, Worker
from engine.mcts.proof import LOSS, UNPROVEN, result_of, score_of
from engine.mcts.tree import SCORE_UNIT, Tree
from engine.network.architecture import PRIOR_UNIT
from movegen.bits import ONE, U64, ZERO, leading_zeros, multiply_high
from movegen.compiler.jit import inlined
from movegen.playout import next_random

PRIOR_SCALE = 1.0 / PRIOR_UNIT
SCORE_SCALE = 1.0 / SCORE_UNIT
LN_2 = 0.6931471805599453
GROWTH_BASE, LN_GROWTH_BASE = U64(8192), 13 * LN_2


@inlined
def natural_log(number: np.uint64) -> float:
    """Ln of a positive whole number, by a series: libraries differ in the last bit, additions do not."""
    exponent = U64(63) - leading_zeros(number)
    mantissa = float(number) / float(ONE << exponent)  # in [1, 2)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square, power, total = s * s, s, 0.0
    for odd in range(1, 26, 2):
        total += power / float(odd)
        power *= square
    return float(exponent) * LN_2 + 2.0 * total


@inlined
def ucb1(mean: float, visits: float, log_of_parent: float, exploration: float) -> float:
    """Q + C · sqrt(ln N / n), for n > 0."""
    return mean + exploration * math.sqrt(log_of_parent / visits)


@inlined
def puct(mean: float, prior: float, visits: float, exploration: float) -> float:
    """Q + c · P · sqrt(N) / (1 + n), where `exploration` is c · sqrt(N), the same for all moves of a node."""
    return mean + exploration * prior / (1.0 + visits)


@inlined
def visits_of(tree: Tree, slot: np.uint64) -> float:
    """N of an edge, with the threads that are below it now: until they come back, they count as losses."""
    return float(tree.visits[slot]) + float(tree.in_flight[slot])


@inlined
def mean_of(tree: Tree, slot: np.uint64, visits: float) -> float:
    """Q of an edge that has visits: exact if it is proven."""
    result = result_of(tree.proven[slot])
    if result != UNPROVEN:
        return float(score_of(result)) * SCORE_SCALE
    return float(tree.wins[slot]) * SCORE_SCALE / visits


@inlined
def is_lost(tree: Tree, slot: np.uint64) -> bool:
    """Is the move proven to lose? No visit is wasted on it."""
    return bool(result_of(tree.proven[slot]) == LOSS)


@inlined
def random_below(worker: Worker, bound: np.uint64) -> np.uint64:
    """A random number from 0 to bound − 1."""
    state, random = next_random(worker.random[0])
    worker.random[0] = state
    return multiply_high(random, bound)


@inlined
def select_by_ucb1(tree: Tree, params: SearchParams, worker: Worker, edge: np.uint64, header: np.uint64) -> np.uint64:
    """The most urgent edge of the node below `edge`. Unvisited edges come first; chance decides between equals."""
    log_of_parent = natural_log(U64(tree.visits[edge]))
    best, best_urgency, equals = header + ONE, -math.inf, ZERO
    slot, last = header, header + U64(tree.visits[header])
    while slot < last:
        slot += ONE
        urgency, visits = -math.inf, visits_of(tree, slot)
        if not is_lost(tree, slot):
            mean = mean_of(tree, slot, visits) if visits > 0.0 else 0.0
            urgency = ucb1(mean, visits, log_of_parent, params.exploration) if visits > 0.0 else math.inf
        if urgency > best_urgency:
            best, best_urgency, equals = slot, urgency, ONE
        elif urgency == best_urgency:
            equals += ONE
            if random_below(worker, equals) == ZERO:
                best = slot
    return best


@inlined
def exploration_of(params: SearchParams, visits: np.uint64) -> float:
    """C · (1 + growth · ln((N + 8192) / 8192)) · sqrt(N): the factor of the priors of a node with N visits."""
    growing = 1.0 + params.growth * (natural_log(visits + GROWTH_BASE) - LN_GROWTH_BASE)
    return params.exploration * growing * math.sqrt(float(visits))


@inlined
def first_play_of(parent_mean: float, first_play: float, prior_visited: float) -> float:
    """Q of a move without visits: its parent's, reduced the more of the priors' mass was visited already."""
    return parent_mean - first_play * math.sqrt(prior_visited)


@inlined
def mean_or_first_play(
    tree: Tree, params: SearchParams, slot: np.uint64, visits: float, parent_mean: float, prior_visited: np.uint64
) -> float:
    """Q of an edge as PUCT takes it; `prior_visited`: the sum of the priors of the edges before it, in PRIOR_UNIT."""
    if visits > 0.0:
        return mean_of(tree, slot, visits)
    return first_play_of(parent_mean, params.first_play, float(prior_visited) * PRIOR_SCALE)


@inlined
def select_by_puct(tree: Tree, params: SearchParams, edge: np.uint64, header: np.uint64) -> np.uint64:
    """The most urgent edge of the node below `edge`; the first of equals.

    Edges are sorted by their priors, so of those without visits the first is the most urgent: the loop ends there.
    """
    parent_visits = U64(tree.visits[edge])
    exploration = exploration_of(params, parent_visits) * PRIOR_SCALE
    parent_mean = 1.0 - float(tree.wins[edge]) * SCORE_SCALE / float(parent_visits)
    best, best_urgency, prior_visited = header + ONE, -math.inf, ZERO
    slot, last = header, header + U64(tree.visits[header])
    while slot < last:
        slot += ONE
        if is_lost(tree, slot):
            continue
        visits, prior = visits_of(tree, slot), U64(tree.prior[slot])
        mean = mean_or_first_play(tree, params, slot, visits, parent_mean, prior_visited)
        prior_visited += prior
        urgency = puct(mean, float(prior), visits, exploration)
        if urgency > best_urgency:
            best, best_urgency = slot, urgency
        if visits == 0.0:
            break
    return best
