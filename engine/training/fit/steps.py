"""The two nets in training, and one step of each: from positions to gradients. Torch has weights and optimiser."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from engine.network.architecture import INPUTS, MAX_PIECES, MOVE_ROWS, OUTCOME_ROWS, ROWS_PER_MOVE, Network
from engine.network.batch import inputs_of, moves_of
from engine.training.data.dataset import Pool, move_targets, outcome_targets
from engine.training.data.draw_model import DrawModel
from engine.training.data.games import Decoded
from engine.training.fit.figures import policy_ranks, value_errors
from engine.training.fit.gradients import policy_gradients, value_gradients
from engine.training.fit.quantise import quantise
from movegen.moves import MAX_MOVES

INPUT_SPREAD, OUTPUT_SPREAD, HIDDEN_BIAS = 0.1, 0.03, 0.1
MOVES_PER_POSITION = 64  # more than the mean number of a batch


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


@dataclass
class ValueStep:
    """The value: cross-entropy of win, draw and loss."""

    net: SparseNet
    model: DrawModel
    label_scale: float
    result_share: float
    targets: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def take(self, pool: Pool) -> None:
        """Prepare the targets of a new pool."""
        self.targets = outcome_targets(pool.decoded, self.model, self.label_scale, self.result_share)

    def gradients(self, pool: Pool, chosen: np.ndarray) -> float:
        """Add the gradients of a batch; -> its mean loss."""
        inputs, counts = inputs_for(pool, chosen)
        loss = value_gradients(inputs, counts, self.targets[chosen], self.net.weights(), self.net.gradients())
        return float(loss) / chosen.size

    def network(self) -> Network:
        """The net as inference would use it."""
        return quantise(self.net.weights(), None)

    def judge(self, decoded: Decoded) -> dict[str, float]:
        """Figures on validation positions."""
        return {"value_mse": float(value_errors(self.network(), decoded.positions).mean())}


@dataclass
class PolicyStep:
    """The policy: cross-entropy over the legal moves."""

    net: SparseNet

    def take(self, pool: Pool) -> None:
        """Nothing to prepare."""

    def gradients(self, pool: Pool, chosen: np.ndarray) -> float:
        """Add the gradients of a batch; -> its mean loss."""
        inputs, counts = inputs_for(pool, chosen)
        room = chosen.size * MOVES_PER_POSITION
        moves, rows = np.empty(room, dtype=np.uint16), np.empty((room, ROWS_PER_MOVE), dtype=np.uint16)
        starts = np.empty(chosen.size + 1, dtype=np.int64)
        found = np.empty(MAX_MOVES, dtype=np.uint16)
        moves_of(pool.decoded.positions.boards, chosen, found, moves, rows, starts)
        targets = move_targets(pool.decoded, chosen, moves, starts)
        loss = policy_gradients(inputs, counts, rows, starts, targets, self.net.weights(), self.net.gradients())
        return float(loss) / chosen.size

    def network(self) -> Network:
        """The net as inference would use it."""
        return quantise(None, self.net.weights())

    def judge(self, decoded: Decoded) -> dict[str, float]:
        """Figures on validation positions."""
        ranks, losses = policy_ranks(self.network(), decoded.positions.boards, decoded.positions.moves)
        tops = {f"policy_top{top}": float(((ranks >= 0) & (ranks < top)).mean()) for top in (1, 3, 5)}
        return {"policy_ce": float(losses.mean())} | tops


def inputs_for(pool: Pool, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inputs of a batch."""
    inputs, counts = np.empty((chosen.size, MAX_PIECES), dtype=np.uint16), np.empty(chosen.size, dtype=np.uint8)
    inputs_of(pool.decoded.positions.boards, chosen, inputs, counts)
    return inputs, counts
