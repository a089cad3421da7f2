"""One step of training for each net: from positions to gradients."""

from dataclasses import dataclass, field

import numpy as np

from engine.network.architecture import MAX_PIECES, ROWS_PER_MOVE
from engine.network.batch import inputs_of, moves_of
from engine.network.weights import Network
from engine.training.data.dataset import Pool
from engine.training.data.draw_model import DrawModel
from engine.training.data.games import Decoded
from engine.training.data.targets import move_targets, outcome_targets
from engine.training.fit.figures import policy_ranks, value_errors
from engine.training.fit.gradients import policy_gradients, value_gradients
from engine.training.fit.model import SparseNet
from engine.training.fit.quantise import quantise
from movegen.moves import MAX_MOVES

MOVES_PER_POSITION = 64  # more than the mean number of a batch


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
