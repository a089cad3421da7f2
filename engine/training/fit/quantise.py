"""Trained weights to the integers that inference uses."""

from collections.abc import Sequence

import numpy as np

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
    Network,
    check_bounds,
)

Weights = Sequence[np.ndarray]  # input rows, hidden bias, output rows, output bias
SMALLEST_HIDDEN = 32
LARGEST_OUTCOME_WEIGHT = 32767


def round_and_clip(values: np.ndarray, largest: int, kind: type[np.signedinteger]) -> np.ndarray:
    """Round, and clip to ±largest."""
    return np.clip(np.rint(values.astype(np.float64)), -largest, largest).astype(kind)


def no_weights(outputs: int) -> Weights:
    """A net of zeros, if only the other one is needed."""
    shapes = (INPUTS, SMALLEST_HIDDEN), (SMALLEST_HIDDEN,), (outputs, SMALLEST_HIDDEN), (outputs,)
    return tuple(np.zeros(shape, dtype=np.float32) for shape in shapes)


def quantise(value: Weights | None, policy: Weights | None) -> Network:
    """The network of two nets; one may be left out."""
    v_rows, v_bias, outcomes, outcome_bias = no_weights(OUTCOME_ROWS) if value is None else value
    p_rows, p_bias, moves, move_bias = no_weights(MOVE_ROWS) if policy is None else policy
    outcome_scale, move_scale = scale_of_outcomes(outcomes, outcome_bias), scale_of_moves(moves)
    network = Network(
        round_and_clip(v_rows * ONE_HIDDEN, LARGEST_INPUT_WEIGHT, np.int16),
        round_and_clip(v_bias * ONE_HIDDEN, LARGEST_HIDDEN_BIAS, np.int16),
        round_and_clip(outcomes * outcome_scale, LARGEST_OUTCOME_WEIGHT, np.int16),
        round_and_clip(outcome_bias * outcome_scale * ONE_OUTCOME_SQUARE, LARGEST_SUM, np.int32),
        round_and_clip(p_rows * ONE_HIDDEN, LARGEST_INPUT_WEIGHT, np.int16),
        round_and_clip(p_bias * ONE_HIDDEN, LARGEST_HIDDEN_BIAS, np.int16),
        round_and_clip(moves * move_scale, LARGEST_MOVE_WEIGHT, np.int8),
        round_and_clip(move_bias * move_scale * ONE_MOVE_SQUARE, LARGEST_SUM, np.int32),
        np.array(
            [to_logit(outcome_scale * ONE_OUTCOME_SQUARE), to_logit(move_scale * ONE_MOVE_SQUARE)], dtype=np.int64
        ),
    )
    for array in network:
        array.setflags(write=False)
    check_bounds(network)
    return network


def dequantise(network: Network) -> tuple[Weights, Weights]:
    """The nets of a network as floats, value and policy: the reverse of `quantise`."""
    one_outcome, one_move = ((1 << LOGIT_BITS + SCALE_BITS) / int(scale) for scale in network.scales)
    value = (
        network.value_rows / ONE_HIDDEN,
        network.value_bias / ONE_HIDDEN,
        network.outcome_rows * (ONE_OUTCOME_SQUARE / one_outcome),
        network.outcome_bias / one_outcome,
    )
    policy = (
        network.policy_rows / ONE_HIDDEN,
        network.policy_bias / ONE_HIDDEN,
        network.move_rows * (ONE_MOVE_SQUARE / one_move),
        network.move_bias / one_move,
    )
    return value, policy


def to_logit(one: float) -> int:
    """The factor (before the shift) that turns a sum into a logit, if `one` is 1.0."""
    return round((1 << LOGIT_BITS + SCALE_BITS) / one)


def joined(value: Network, policy: Network) -> Network:
    """A network with the value of one and the policy of another."""
    scales = np.array([value.scales[0], policy.scales[1]], dtype=np.int64)
    scales.setflags(write=False)  # as all arrays of a network: for others kernels are compiled again
    return Network(*value[:4], *policy[4:8], scales)


def scale_of_outcomes(rows: np.ndarray, bias: np.ndarray) -> float:
    """The integer for 1.0: as large as the largest weight and the largest sum allow, with rounding."""
    largest = max(float(np.abs(rows).max()), 0.1)
    most = max(float((np.abs(rows).sum(axis=1) + np.abs(bias)).max()), 0.1) * ONE_OUTCOME_SQUARE
    return min(LARGEST_OUTCOME_WEIGHT / largest, 0.9 * LARGEST_SUM / most)


def scale_of_moves(rows: np.ndarray) -> float:
    """The integer for 1.0: the very few largest weights are clipped, so that the others are finer."""
    usual = float(np.quantile(np.abs(rows), 0.9999))
    return LARGEST_MOVE_WEIGHT / max(usual, 0.5)
