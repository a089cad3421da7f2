"""Which move to look at next: two formulas, each a small function. All values are for the player who moves, in [0, 1].

No fast-math: the same numbers on every CPU, so that a search can be repeated anywhere.
"""

import math

import numpy as np

from engine.proof import LOSS, UNPROVEN, result_of, score_of
from engine.tree import SCORE_UNIT, Tree
from movegen.bits import ONE, U64, leading_zeros
from movegen.jit import inlined

PRIOR_UNIT = 65535
LN_2 = 0.6931471805599453


@inlined
def natural_log(number: np.uint64) -> float:
    """Ln of a whole number from 1 on, by a series: libraries differ in the last bit, additions do not."""
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
def puct(mean: float, prior: float, visits: float, root_of_parent: float, exploration: float) -> float:
    """Q + c · P · sqrt(N) / (1 + n)."""
    return mean + exploration * prior * root_of_parent / (1.0 + visits)


@inlined
def mean_of(tree: Tree, slot: np.uint64, visits: float) -> float:
    """Q of an edge: exact if it is proven, else W / (N + threads below it), which count as losses."""
    result = result_of(tree.proven[slot])
    if result != UNPROVEN:
        return float(score_of(result)) / float(SCORE_UNIT)
    return float(tree.wins[slot]) / float(SCORE_UNIT) / visits


@inlined
def is_lost(tree: Tree, slot: np.uint64) -> bool:
    """Is the move proven to lose? No visit is wasted on it."""
    return bool(result_of(tree.proven[slot]) == LOSS)
