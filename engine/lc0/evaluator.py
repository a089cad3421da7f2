"""A net of others as the search uses it: leaves to planes, onnxruntime, and back to values and priors."""

from pathlib import Path

import numpy as np

from engine.lc0.moves import table_of_moves
from engine.lc0.planes import LAYOUTS, PLANES, SQUARES, fill_planes
from engine.lc0.priors import fill_priors
from engine.lc0.session import Outputs, Session
from engine.lc0.sources import read_net
from engine.network.leaves import MOST_BOARDS, Halt, LeafBatch

SUM_TOLERANCE = 0.02  # of win, draw and loss: 16-bit floats


class Lc0Net:
    """A net from a file of lc0 (weights, or an ONNX model within), or from an ONNX file that lc0 wrote."""

    history = MOST_BOARDS

    def __init__(self, path: Path, threads: int | None = None) -> None:
        try:
            net = read_net(path)
            self._session = Session(net.model, net.ports, threads)
            self._check_outputs()
        except OSError as error:
            raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        self.name, self.digest, self.input_format = path.name, net.digest, net.input_format
        self._places = table_of_moves(net.places)
        self.provider = self._session.provider
        self.workers = 1 if self.provider == "CPUExecutionProvider" else 2
        self.batch = self._session.best_batch()

    def evaluate(self, leaves: LeafBatch, halt: Halt | None = None) -> None:
        """Fill in values, draws and priors of all leaves. Several threads may call this at once."""
        count = leaves.count
        if not count:
            return
        planes, reflections = self.planes(leaves)
        outputs = self._session.run(planes, halt)
        values, draws = scores(outputs)
        leaves.values[:count], leaves.draws[:count] = values, draws
        fill_priors(outputs.policy, leaves.moves, leaves.move_count, reflections, self._places, leaves.priors)

    def planes(self, leaves: LeafBatch) -> tuple[np.ndarray, np.ndarray]:
        """What the net sees of the leaves, and their reflections."""
        planes = np.empty((leaves.count, PLANES, SQUARES), np.float32)
        reflections = np.empty(leaves.count, np.uint64)
        words = np.empty(PLANES, np.uint64)
        fill_planes(
            leaves.history,
            leaves.history_count,
            leaves.repetitions,
            leaves.side,
            leaves.clock,
            LAYOUTS[self.input_format],
            words,
            planes,
            reflections,
        )
        return planes, reflections

    def _check_outputs(self) -> None:
        """Refuse a model that says nothing sensible of an empty board."""
        outputs = self._session.run(np.zeros((1, PLANES, SQUARES), np.float32))
        if not all(
            np.isfinite(array).all() for array in (outputs.policy, outputs.wdl, outputs.value) if array is not None
        ):
            raise ValueError("its outputs are not finite numbers: damaged")
        if outputs.wdl is not None and abs(float(outputs.wdl.sum()) - 1) > SUM_TOLERANCE:
            raise ValueError("its probabilities of win, draw and loss do not add up to 1")


def scores(outputs: Outputs) -> tuple[np.ndarray, np.ndarray]:
    """Expected scores in 0 … 1 of the players to move, and probabilities of draws (0: the net gives none)."""
    if outputs.wdl is None:
        assert outputs.value is not None  # noqa: S101  (one of both is there)
        values, draws = (outputs.value[:, 0] + 1) / 2, np.zeros(len(outputs.value), np.float32)
    else:
        values, draws = (outputs.wdl[:, 0] - outputs.wdl[:, 2] + 1) / 2, outputs.wdl[:, 1]
    return np.nan_to_num(np.clip(values, 0, 1), nan=0.5), np.nan_to_num(draws)
