"""Floats to integers."""

import numpy as np
import pytest

from engine.training.fit.quantise import dequantise, quantise, rounded
from tests.engine.network.nets import random_floats


def test_numbers_are_rounded_and_clipped():
    values = np.array([-9.0, -7.6, -0.6, -0.4, 0.4, 0.6, 1.4, 2.9, 7.4, 7.6, 1e9], dtype=np.float32)
    found = rounded(values, 7, np.int8)
    assert found.dtype == np.int8
    assert found.tolist() == [-7, -7, -1, 0, 0, 1, 1, 3, 7, 7, 7]


@pytest.mark.parametrize("net", [0, 1], ids=["value", "policy"])
@pytest.mark.parametrize("array", [0, 1, 2], ids=["input rows", "hidden bias", "output rows"])
def test_a_weight_is_wrong_by_half_a_unit_at_most(net, array):
    """The bias of outputs has units as fine as the sums: the rounded scale counts more there."""
    floats = random_floats()
    network = quantise(*floats)
    before, after, integers = floats[net][array], dequantise(network)[net][array], network[4 * net + array]
    largest = int(np.abs(integers).max())
    is_inside = np.abs(integers) < largest  # a few may be clipped
    errors = (after - before)[is_inside] * largest / np.abs(after).max()
    assert np.abs(errors).max() < 0.6  # a half, and a little as the scale is rounded too
    assert np.abs(errors).mean() == pytest.approx(0.25, abs=0.05)
