import math

import numba
import numpy as np

from engine.network.architecture import LOGIT_BITS
from engine.network.softmax import ONE_EXP, exp_of_minus


@numba.njit
def exp_of_all(distances, results):
    for place in range(distances.size):
        results[place] = exp_of_minus(distances[place])


def test_exp_is_right_to_nine_digits():
    distances = np.concatenate((np.arange(0, 1 << 18, 37), [1 << 17, (1 << 17) - 1, 1 << 40])).astype(np.uint64)
    results = np.zeros_like(distances)
    exp_of_all(distances, results)
    expected = [math.exp(-float(distance) / (1 << LOGIT_BITS)) for distance in distances]
    assert np.abs(results / float(ONE_EXP) - expected).max() < 3e-9
    assert results[0] == ONE_EXP
    assert results[-1] == 0
