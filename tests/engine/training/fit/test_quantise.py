"""Floats to integers."""

import numpy as np
import pytest

from engine.network.architecture import (
    INPUTS,
    LARGEST_HIDDEN_BIAS,
    LARGEST_INPUT_WEIGHT,
    LARGEST_MOVE_WEIGHT,
    LARGEST_SUM,
    LOGIT_BITS,
    MOVE_ROWS,
    ONE_HIDDEN,
    ONE_MOVE_SQUARE,
    ONE_OUTCOME_SQUARE,
    OUTCOME_ROWS,
    SCALE_BITS,
)
from engine.training.fit.quantise import dequantise, joined, quantise, round_and_clip, scale_of_moves, scale_of_outcomes
from tests.engine.network.nets import random_floats


def test_numbers_are_rounded_and_clipped():
    values = np.array([-9.0, -7.6, -0.6, -0.4, 0.4, 0.6, 1.4, 2.9, 7.4, 7.6, 1e9], dtype=np.float32)
    found = round_and_clip(values, 7, np.int8)
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


def tiny(outputs, rng, spread=0.2):
    """A net of 32 hidden units."""
    shapes = (INPUTS, 32), (32,), (outputs, 32), (outputs,)
    return tuple((rng.standard_normal(shape) * spread).astype(np.float32) for shape in shapes)


def test_every_integer_by_its_unit():
    """One is 255 in hidden units; outputs get the largest scale that their weights and sums allow."""
    rng = np.random.default_rng(3)
    value, policy = tiny(OUTCOME_ROWS, rng), tiny(MOVE_ROWS, rng)
    network = quantise(value, policy)
    largest = float(np.abs(value[2]).max())
    most = float((np.abs(value[2]).sum(axis=1) + np.abs(value[3])).max())
    outcome = min(32767 / largest, 0.9 * LARGEST_SUM / (most * ONE_OUTCOME_SQUARE))
    move = LARGEST_MOVE_WEIGHT / max(float(np.quantile(np.abs(policy[2]), 0.9999)), 0.5)
    expected = [
        (value[0] * ONE_HIDDEN, LARGEST_INPUT_WEIGHT),
        (value[1] * ONE_HIDDEN, LARGEST_HIDDEN_BIAS),
        (value[2] * outcome, 32767),
        (value[3] * outcome * ONE_OUTCOME_SQUARE, LARGEST_SUM),
        (policy[0] * ONE_HIDDEN, LARGEST_INPUT_WEIGHT),
        (policy[1] * ONE_HIDDEN, LARGEST_HIDDEN_BIAS),
        (policy[2] * move, LARGEST_MOVE_WEIGHT),
        (policy[3] * move * ONE_MOVE_SQUARE, LARGEST_SUM),
    ]
    for array, (numbers, bound) in zip(network[:8], expected, strict=True):
        rounded_ = np.clip(np.rint(np.asarray(numbers, dtype=np.float64)), -bound, bound)
        assert np.abs(array - rounded_).max() <= 1  # floats of 32 and of 64 bits may round differently
        assert np.abs(array - rounded_).mean() < 0.01
        assert not array.flags.writeable
    one = 1 << LOGIT_BITS + SCALE_BITS
    assert network.scales.tolist() == [
        round(one / (outcome * ONE_OUTCOME_SQUARE)),
        round(one / (move * ONE_MOVE_SQUARE)),
    ]


def test_scales_of_outputs():
    rows, bias = np.array([[0.5, -2.0], [0.1, 0.2]]), np.array([1.0, 0.0])
    small = np.full((2, 2), 0.01)
    assert scale_of_outcomes(rows, bias) == pytest.approx(
        min(32767 / 2.0, 0.9 * LARGEST_SUM / (3.5 * ONE_OUTCOME_SQUARE))
    )
    assert scale_of_outcomes(small, bias * 0) == pytest.approx(
        min(32767 / 0.1, 0.9 * LARGEST_SUM / (0.1 * ONE_OUTCOME_SQUARE))
    )
    many = np.ones((1, 4000)) * 0.01
    assert scale_of_outcomes(many, np.zeros(1)) == pytest.approx(
        min(32767 / 0.1, 0.9 * LARGEST_SUM / (40 * ONE_OUTCOME_SQUARE))
    )
    assert scale_of_moves(small) == LARGEST_MOVE_WEIGHT / 0.5
    assert scale_of_moves(np.full((5, 5), -4.0)) == LARGEST_MOVE_WEIGHT / 4


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_net_that_is_left_out_is_nothing(left_out):
    nets = [tiny(OUTCOME_ROWS, np.random.default_rng(1)), tiny(MOVE_ROWS, np.random.default_rng(2))]
    whole = quantise(*nets)
    nets[left_out] = None
    network = quantise(*nets)
    for index in range(8):
        is_left_out = index // 4 == left_out
        assert (network[index] == (0 if is_left_out else whole[index])).all()
    assert network[4 * left_out].shape == (INPUTS, 32)


def test_floats_come_back():
    nets = [tiny(OUTCOME_ROWS, np.random.default_rng(1)), tiny(MOVE_ROWS, np.random.default_rng(2))]
    for before, after in zip(nets, dequantise(quantise(*nets)), strict=True):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            unit = 0.5 / 255 if index < 2 else 0.01
            assert np.quantile(np.abs(old - new), 0.999) < unit * 1.1  # a few are clipped


def test_value_of_one_network_and_policy_of_another():
    """All arrays are read-only, as those of every network: for others kernels would be compiled again."""
    one, other = (quantise(*random_floats(seed=seed)) for seed in (1, 2))
    both = joined(one, other)
    for found, expected in zip(dequantise(both), (dequantise(one)[0], dequantise(other)[1]), strict=True):
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))
    assert not any(array.flags.writeable for array in both)
