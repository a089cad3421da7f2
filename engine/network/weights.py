"""The weights of a network as kernels take them, and the scratch memory of a thread."""

from typing import NamedTuple

import numpy as np

from engine.network.architecture import (
    INPUTS,
    LARGEST_HIDDEN_BIAS,
    LARGEST_INPUT_WEIGHT,
    LARGEST_SUM,
    MAX_PIECES,
    MOVE_ROWS,
    ONE_MOVE_SQUARE,
    ONE_OUTCOME_SQUARE,
    OUTCOME_ROWS,
    ROWS_PER_MOVE,
)
from movegen.moves import MAX_MOVES


class Network(NamedTuple):
    """All weights, read-only. V and P are the sizes of the two hidden layers, multiples of 32."""

    value_rows: np.ndarray  # int16 [INPUTS, V]
    value_bias: np.ndarray  # int16 [V]
    outcome_rows: np.ndarray  # int16 [OUTCOME_ROWS, V], win, draw, loss of each phase
    outcome_bias: np.ndarray  # int32 [OUTCOME_ROWS]
    policy_rows: np.ndarray  # int16 [INPUTS, P]
    policy_bias: np.ndarray  # int16 [P]
    move_rows: np.ndarray  # int8 [MOVE_ROWS, P]
    move_bias: np.ndarray  # int32 [MOVE_ROWS]
    scales: np.ndarray  # int64 [2], what turns the sums of outcomes and of moves into logits, see SCALE_BITS


class Scratch(NamedTuple):
    """The memory of one thread for an evaluation."""

    inputs: np.ndarray  # uint16 [MAX_PIECES]
    value_hidden: np.ndarray  # int16 [V]
    policy_hidden: np.ndarray  # int16 [P]
    rows: np.ndarray  # uint16 [MAX_MOVES, ROWS_PER_MOVE]
    logits: np.ndarray  # int64 [MAX_MOVES]


def new_scratch(network: Network) -> Scratch:
    """Memory for one thread."""
    return Scratch(
        np.zeros(MAX_PIECES, dtype=np.uint16),
        np.zeros(network.value_bias.size, dtype=np.int16),
        np.zeros(network.policy_bias.size, dtype=np.int16),
        np.zeros((MAX_MOVES, ROWS_PER_MOVE), dtype=np.uint16),
        np.zeros(MAX_MOVES, dtype=np.int64),
    )


DTYPES = (np.int16, np.int16, np.int16, np.int32, np.int16, np.int16, np.int8, np.int32, np.int64)


def shapes(value_hidden: int, policy_hidden: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of the arrays of a network, in their order."""
    return (
        (INPUTS, value_hidden),
        (value_hidden,),
        (OUTCOME_ROWS, value_hidden),
        (OUTCOME_ROWS,),
        (INPUTS, policy_hidden),
        (policy_hidden,),
        (MOVE_ROWS, policy_hidden),
        (MOVE_ROWS,),
        (2,),
    )


def check_bounds(network: Network) -> None:
    """Refuse weights whose sums could overflow: kernels do not check."""
    for rows, bias in ((network.value_rows, network.value_bias), (network.policy_rows, network.policy_bias)):
        if max(-int(rows.min()), int(rows.max())) > LARGEST_INPUT_WEIGHT:
            raise ValueError(f"an input weight is larger than {LARGEST_INPUT_WEIGHT}")
        if np.abs(bias.astype(np.int32)).max() > LARGEST_HIDDEN_BIAS:
            raise ValueError(f"a bias of the hidden layer is larger than {LARGEST_HIDDEN_BIAS}")
    outcomes = np.abs(network.outcome_rows.astype(np.int64)).sum(axis=1) * ONE_OUTCOME_SQUARE
    if (outcomes + np.abs(network.outcome_bias.astype(np.int64))).max() > LARGEST_SUM:
        raise ValueError("the sums of the outcomes could overflow")
    largest_bias = int(np.abs(network.move_bias.astype(np.int64)).max())
    moves = ROWS_PER_MOVE * (128 * ONE_MOVE_SQUARE * network.policy_bias.size + largest_bias)
    if moves > LARGEST_SUM:
        raise ValueError("the sums of the moves could overflow")
    if (network.scales < 1).any() or (network.scales >= 1 << 31).any():
        raise ValueError("a scale is out of range")
