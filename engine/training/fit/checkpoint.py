"""Checkpoints: a net in training, what its optimiser keeps, and how far it is. Files of numpy (`.npz`)."""

import io
import operator
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from engine.network.architecture import INPUTS, MOVE_ROWS, OUTCOME_ROWS
from engine.system.files import write_whole
from engine.training.fit.sparse_net import NetArrays

OLD_SUFFIX = ".pt"  # of checkpoints of versions that needed torch
PARTS = ("weights", "means", "squares")
OUTPUTS = {"value": OUTCOME_ROWS, "policy": MOVE_ROWS}  # of the nets, by the names of their files


@dataclass
class TrainingProgress:
    """The progress of a net."""

    passes: int = 0  # whole passes
    pools: int = 0  # pools of the current pass
    steps: int = 0
    seen: int = 0  # positions
    steps_before: int = 0  # of the fits that this one goes on from, which the optimiser counts too


@dataclass
class Checkpoint:
    """All that is needed to train on."""

    identity: bytes  # of settings and files
    progress: TrainingProgress
    weights: NetArrays
    means: NetArrays  # of gradients
    squares: NetArrays  # likewise
    batch: int = 0  # the gradients are sums over as many positions; 0: not known, or there were none yet

    def save(self, folder: Path, name: str) -> None:
        """Write a file; the previous one stays until this one is complete."""
        arrays = {
            f"{part}.{field}": array
            for part in PARTS
            for field, array in zip(NetArrays._fields, getattr(self, part), strict=True)
        }
        data = io.BytesIO()
        identity = np.frombuffer(self.identity, dtype=np.uint8)
        np.savez(data, identity=identity, progress=np.array(astuple(self.progress)), batch=self.batch, **arrays)
        write_whole(checkpoint_path(folder, name), data.getvalue())


def load_checkpoint(path: Path) -> Checkpoint:
    """A saved checkpoint; a `ValueError` if it is damaged. Nothing in a file is executed."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            parts = [NetArrays(*(file[f"{part}.{field}"] for field in NetArrays._fields)) for part in PARTS]
            for part in parts:
                check_arrays(part, OUTPUTS.get(path.stem, part.output_bias.size))
            progress = TrainingProgress(*map(operator.index, file["progress"].tolist()))
            batch = operator.index(file["batch"].item()) if "batch" in file else 0  # older ones do not have it
            weights, means, squares = parts
            return Checkpoint(file["identity"].tobytes(), progress, weights, means, squares, batch)
    except Exception:  # noqa: BLE001  (zip files and arrays have a dozen ways to fail at damaged bytes)
        cause = "is damaged, or its training has diverged"
        raise ValueError(f"{path} {cause}: delete it to train this net from the start") from None


def check_arrays(arrays: NetArrays, outputs: int) -> None:
    """Raise a `ValueError` if these cannot be the arrays of a net with this number of outputs."""
    hidden = arrays.bias.size
    shapes = (INPUTS, hidden), (hidden,), (outputs, hidden), (outputs,)
    for array, shape in zip(arrays, shapes, strict=True):
        if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError("not the arrays of a net")


def checkpoint_of(folder: Path, name: str, identity: bytes) -> Checkpoint | None:
    """The checkpoint of a net, if there is one; a `ValueError` if it is of another run, or of an older version."""
    path = checkpoint_path(folder, name)
    if not path.is_file():
        old = path.with_suffix(OLD_SUFFIX)
        if old.exists():
            raise ValueError(f"{old} is of an older version and cannot be read: choose another folder, or delete it")
        return None
    checkpoint = load_checkpoint(path)
    if checkpoint.identity != identity:
        raise ValueError(f"{path} was made with other settings or files: choose another folder")
    return checkpoint


def checkpoint_path(folder: Path, name: str) -> Path:
    """Where a net's checkpoint is."""
    return folder / f"{name}.npz"
