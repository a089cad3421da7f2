"""A step of each of the two nets: from positions to gradients."""

from dataclasses import dataclass, field

import numpy as np

from engine.network.architecture import MAX_PIECES, ROWS_PER_MOVE, Network, new_scratch
from engine.network.batch import inputs_of, moves_of, quiet_leaves_of
from engine.training.data.dataset import Pool, move_targets, outcome_targets
from engine.training.data.draw_model import DrawModel
from engine.training.data.games import Decoded
from engine.training.fit.figures import policy_ranks, value_errors
from engine.training.fit.gradients import policy_gradients, value_gradients
from engine.training.fit.quantise import quantise
from engine.training.fit.sparse_net import SparseNet
from engine.training.fit.surprise import Weigh, equal_weights
from movegen.moves import MAX_MOVES

MOVES_PER_POSITION = 64  # more than the mean number of a batch


@dataclass
class ValueStep:
    """The value: cross-entropy of win, draw and loss.

    With quiescence, the net learns the label of a position at the leaf that its value would be taken from: after
    winning captures, by the net as it is when a pool begins.
    """

    net: SparseNet
    model: DrawModel
    label_scale: float
    result_share: float
    quiescence: bool = False
    boards: np.ndarray = field(default_factory=lambda: np.zeros((0, 6), dtype=np.uint64))
    targets: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def take(self, pool: Pool) -> None:
        """Prepare boards and targets of a new pool."""
        self.boards = pool.decoded.positions.boards
        self.targets = outcome_targets(pool.decoded, self.model, self.label_scale, self.result_share)
        if self.quiescence:
            self._go_to_leaves()

    def _go_to_leaves(self) -> None:
        network, boards = self.network(), self.boards
        self.boards, plies = np.empty((len(boards), 6), dtype=np.uint64), np.empty(len(boards), dtype=np.int64)
        quiet_leaves_of(network, new_scratch(network), boards, self.boards, plies)
        is_other_player = plies % 2 == 1
        self.targets[is_other_player] = self.targets[is_other_player, ::-1]  # win, draw, loss

    def gradients(self, _pool: Pool, chosen: np.ndarray) -> float:
        """Add the gradients of a batch; -> its mean loss."""
        inputs, counts = inputs_for(self.boards, chosen)
        loss = value_gradients(inputs, counts, self.targets[chosen], self.net.weights, self.net.gradients)
        return float(loss) / chosen.size

    def network(self) -> Network:
        """The net as inference would use it."""
        return quantise(self.net.weights, None)

    def judge(self, decoded: Decoded) -> dict[str, float]:
        """Figures on validation positions."""
        network, positions = self.network(), decoded.positions
        figures = {"value_mse": float(value_errors(network, positions).mean())}
        if self.quiescence:
            figures["value_quiet_mse"] = float(value_errors(network, positions, after_captures=True).mean())
        return figures


@dataclass
class PolicyStep:
    """The policy: cross-entropy over the legal moves. Samples may have weights, by how much they surprise a network."""

    net: SparseNet
    weigh: Weigh = equal_weights
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.float32))

    def take(self, pool: Pool) -> None:
        """Weigh the samples of a new pool."""
        self.weights = self.weigh(pool.decoded.positions)

    def gradients(self, pool: Pool, chosen: np.ndarray) -> float:
        """Add the gradients of a batch; -> its mean loss."""
        boards = pool.decoded.positions.boards
        inputs, counts = inputs_for(boards, chosen)
        room = chosen.size * MOVES_PER_POSITION
        moves, rows = np.empty(room, dtype=np.uint16), np.empty((room, ROWS_PER_MOVE), dtype=np.uint16)
        starts = np.empty(chosen.size + 1, dtype=np.int64)
        found = np.empty(MAX_MOVES, dtype=np.uint16)
        moves_of(boards, chosen, found, moves, rows, starts)
        targets = move_targets(pool.decoded, chosen, moves, starts)
        batch = inputs, counts, rows, starts, targets, self.weights[chosen]
        loss = policy_gradients(*batch, self.net.weights, self.net.gradients)
        return float(loss) / chosen.size

    def network(self) -> Network:
        """The net as inference would use it."""
        return quantise(None, self.net.weights)

    def judge(self, decoded: Decoded) -> dict[str, float]:
        """Figures on validation positions."""
        ranks, losses = policy_ranks(self.network(), decoded.positions.boards, decoded.positions.moves)
        tops = {f"policy_top{top}": float(((ranks >= 0) & (ranks < top)).mean()) for top in (1, 3, 5)}
        return {"policy_ce": float(losses.mean())} | tops


def inputs_for(boards: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inputs of a batch."""
    inputs, counts = np.empty((chosen.size, MAX_PIECES), dtype=np.uint16), np.empty(chosen.size, dtype=np.uint8)
    inputs_of(boards, chosen, inputs, counts)
    return inputs, counts
