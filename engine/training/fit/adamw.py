"""AdamW: a step for each weight by the mean of its recent gradients, scaled by their size; and weight decay.

Algorithm 2 of I. Loshchilov and F. Hutter, Decoupled Weight Decay Regularization (https://arxiv.org/abs/1711.05101),
with their usual constants. At step t, for a weight w with the gradient g:

    mean = 0.9 · mean + 0.1 · g        square = 0.999 · square + 0.001 · g²
    w = w · (1 - rate · decay) - rate · (mean / (1 - 0.9ᵗ)) / (√(square / (1 - 0.999ᵗ)) + ε)
"""

import math

import numpy as np

from engine.training.fit.sparse_net import SparseNet
from movegen.compiler.jit import float_kernel

f32 = np.float32
KEPT_OF_MEAN, KEPT_OF_SQUARE, EPSILON = 0.9, 0.999, 1e-8


class AdamW:
    """The optimiser of a net."""

    def __init__(self, net: SparseNet, decay: float, batch: int) -> None:
        """Gradients are sums over a batch, not means: epsilon is scaled to match."""
        self.means, self.squares = net.weights.zeros_like(), net.weights.zeros_like()
        self._net, self._decay, self._epsilon = net, decay, EPSILON * batch

    def step(self, number: int, rate: float) -> None:
        """The step with this number, counted from 1: change the weights by the gradients, and clear these."""
        factors = (
            f32(1 - rate * self._decay),
            f32(rate / (1 - KEPT_OF_MEAN**number)),
            f32(1 / math.sqrt(1 - KEPT_OF_SQUARE**number)),
            f32(self._epsilon),
        )
        arrays = zip(self._net.weights, self._net.gradients, self.means, self.squares, strict=True)
        for weights, gradients, means, squares in arrays:
            change_weights(weights.reshape(-1), gradients.reshape(-1), means.reshape(-1), squares.reshape(-1), factors)

    def scale(self, factor: float) -> None:
        """Go on as if all gradients had been so much larger."""
        for means, squares in zip(self.means, self.squares, strict=True):
            np.multiply(means, f32(factor), out=means)
            np.multiply(squares, f32(factor * factor), out=squares)


@float_kernel
def change_weights(
    weights: np.ndarray,
    gradients: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    factors: tuple[np.float32, np.float32, np.float32, np.float32],
) -> None:
    """One step. Factors: of the weights, of the means, of the roots of the squares; epsilon. Gradients are cleared."""
    kept, size, of_root, epsilon = factors
    for index in range(weights.size):
        gradient = gradients[index]
        mean = f32(KEPT_OF_MEAN) * means[index] + f32(1 - KEPT_OF_MEAN) * gradient
        square = f32(KEPT_OF_SQUARE) * squares[index] + f32(1 - KEPT_OF_SQUARE) * gradient * gradient
        means[index], squares[index], gradients[index] = mean, square, f32(0)
        weights[index] = kept * weights[index] - size * mean / (np.sqrt(square) * of_root + epsilon)
