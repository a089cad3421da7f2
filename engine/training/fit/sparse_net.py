"""A net in training: its weights and their gradients."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from engine.network.architecture import INPUTS, MOVE_ROWS, OUTCOME_ROWS

INPUT_SPREAD, OUTPUT_SPREAD, HIDDEN_BIAS = 0.1, 0.03, 0.1


class NetArrays(NamedTuple):
    """A number for each weight of a net: the weights themselves, their gradients, or what the optimiser keeps."""

    rows: np.ndarray  # [inputs, hidden units]
    bias: np.ndarray
    outputs: np.ndarray  # [outputs, hidden units]
    output_bias: np.ndarray

    @classmethod
    def zeros(cls, hidden: int, outputs: int) -> Self:
        """Arrays of zeros."""
        shapes = (INPUTS, hidden), (hidden,), (outputs, hidden), (outputs,)
        return cls(*(np.zeros(shape, dtype=np.float32) for shape in shapes))

    def zeros_like(self) -> Self:
        """Arrays of zeros of the same sizes."""
        return type(self)(*map(np.zeros_like, self))

    def copy_known(self, source: Sequence[np.ndarray]) -> int:
        """Copy the numbers of a net that may have fewer hidden units; -> its number of hidden units."""
        rows, bias, outputs, output_bias = source
        known = int(bias.size)
        if known > self.bias.size:
            raise ValueError(f"a net of {known} hidden units cannot start one of {self.bias.size}")
        self.rows[:, :known], self.bias[:known], self.outputs[:, :known] = rows, bias, outputs
        self.output_bias[:] = output_bias
        return known


class SparseNet:
    """Weights and gradients. Gradients are zero at the start of each step."""

    def __init__(self, hidden: int, outputs: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.weights = NetArrays.zeros(hidden, outputs)
        self.weights.rows[:] = rng.standard_normal((INPUTS, hidden), dtype=np.float32) * np.float32(INPUT_SPREAD)
        self.weights.bias[:] = HIDDEN_BIAS
        self.weights.outputs[:] = rng.standard_normal((outputs, hidden), dtype=np.float32) * np.float32(OUTPUT_SPREAD)
        self.gradients = self.weights.zeros_like()

    def start_from(self, weights: Sequence[np.ndarray]) -> None:
        """Copy the weights of a net that may have fewer hidden units; the output weights of new units start at zero."""
        known = self.weights.copy_known(weights)
        self.weights.outputs[:, known:] = 0


def value_net(hidden: int, seed: int) -> SparseNet:
    """A value net with random weights."""
    return SparseNet(hidden, OUTCOME_ROWS, seed)


def policy_net(hidden: int, seed: int) -> SparseNet:
    """A policy net with random weights."""
    return SparseNet(hidden, MOVE_ROWS, seed)
