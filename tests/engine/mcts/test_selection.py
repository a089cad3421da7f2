import math

import numba
import numpy as np
import pytest

from engine.mcts.selection import natural_log as _natural_log
from engine.mcts.selection import puct as _puct
from engine.mcts.selection import ucb1 as _ucb1


@numba.njit
def natural_log(number):
    return _natural_log(number)


@numba.njit
def ucb1(mean, visits, log_of_parent, exploration):
    return _ucb1(mean, visits, log_of_parent, exploration)


@numba.njit
def puct(mean, prior, visits, exploration):
    return _puct(mean, prior, visits, exploration)


@pytest.mark.parametrize("number", [1, 2, 3, 7, 100, 1023, 1024, 65_537, 10**9, 2**32 - 1, 2**63])
def test_the_logarithm_is_exact_enough(number):
    assert natural_log(np.uint64(number)) == pytest.approx(math.log(number), rel=1e-13, abs=1e-15)


def test_formulas():
    assert ucb1(0.5, 4.0, math.log(10), 1.4) == pytest.approx(0.5 + 1.4 * math.sqrt(math.log(10) / 4))
    assert puct(0.5, 0.2, 4.0, 1.5 * 10) == pytest.approx(0.5 + 1.5 * 0.2 * 10 / 5)
