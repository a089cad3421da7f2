"""The two nets in training: torch has weights and optimiser, the gradients come from `fit.gradients`."""

from collections.abc import Sequence

import numpy as np
import torch

from engine.network.architecture import INPUTS, MOVE_ROWS, OUTCOME_ROWS

INPUT_SPREAD, OUTPUT_SPREAD, HIDDEN_BIAS = 0.1, 0.03, 0.1


class SparseNet(torch.nn.Module):  # type: ignore[misc]  # torch need not be there when types are checked
    """Input rows, hidden bias, output rows and output bias of one net."""

    def __init__(self, hidden: int, outputs: int, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.rows = torch.nn.Parameter(torch.randn(INPUTS, hidden, generator=generator) * INPUT_SPREAD)
        self.bias = torch.nn.Parameter(torch.full((hidden,), HIDDEN_BIAS))
        self.outputs = torch.nn.Parameter(torch.randn(outputs, hidden, generator=generator) * OUTPUT_SPREAD)
        self.output_bias = torch.nn.Parameter(torch.zeros(outputs))
        for parameter in self.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def weights(self) -> tuple[np.ndarray, ...]:
        """The weights as arrays that share their memory."""
        return tuple(parameter.detach().numpy() for parameter in self.parameters())

    def gradients(self) -> tuple[np.ndarray, ...]:
        """The gradients as arrays that share their memory."""
        return tuple(parameter.grad.numpy() for parameter in self.parameters())

    def start_from(self, weights: Sequence[np.ndarray]) -> None:
        """Copy the weights of a net that may have fewer hidden units; the output weights of new units start at zero."""
        rows, bias, outputs, output_bias = (torch.from_numpy(array.astype(np.float32)) for array in weights)
        known = bias.numel()
        if known > self.bias.numel():
            raise ValueError(f"a net of {known} hidden units cannot start one of {self.bias.numel()}")
        with torch.no_grad():
            self.rows[:, :known], self.bias[:known], self.output_bias[:] = rows, bias, output_bias
            self.outputs[:, :known], self.outputs[:, known:] = outputs, 0.0

    def clear_gradients(self) -> None:
        """Start a new step."""
        for gradient in self.gradients():
            gradient.fill(0)


def value_net(hidden: int, seed: int) -> SparseNet:
    """A value net with random weights."""
    return SparseNet(hidden, OUTCOME_ROWS, seed)


def policy_net(hidden: int, seed: int) -> SparseNet:
    """A policy net with random weights."""
    return SparseNet(hidden, MOVE_ROWS, seed)


def new_optimiser(net: SparseNet, rate: float, decay: float, batch: int) -> torch.optim.Optimizer:
    """AdamW. Gradients are sums over a batch, not means: epsilon is scaled to match."""
    return torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay, eps=1e-8 * batch, fused=True)
