"""The nets of a loop, named by their content, and what a fit goes on from.

nets/NAME.net            a weights file; NAME are the first letters of its SHA-256
nets/NAME.state/         both nets as floats, with the state of their optimisers; of the best net only
"""

import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.network.weights_file import load_weights, weights_file
from engine.system.files import digest_of, write_whole
from engine.training.fit.checkpoint import Checkpoint, TrainingProgress, checkpoint_path, load_checkpoint
from engine.training.fit.quantise import dequantise, quantise
from engine.training.fit.settings import NETS, NetSettings
from engine.training.fit.sparse_net import NetArrays, SparseNet, policy_net, value_net
from perft.runner.units import checksum

NAME_LETTERS = 16
NET, STATE = ".net", ".state"
NO_IDENTITY = bytes(32)


class Nets:
    """The folder of nets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """The weights file of a net."""
        return self.folder / (name + NET)

    def state(self, name: str) -> Path:
        """The folder that a fit goes on from."""
        return self.folder / (name + STATE)

    def write(self, checkpoints: Mapping[str, Checkpoint], notes: Mapping[str, Any]) -> str:
        """Write a net with its state; -> its name. The weights file comes last: then nothing is missing."""
        network = quantise(*(checkpoints[net].weights for net in NETS))
        return self._write(weights_file(network, checkpoints[NETS[0]].identity, notes), checkpoints)

    def _write(self, content: bytes, checkpoints: Mapping[str, Checkpoint]) -> str:
        name = checksum(content)[:NAME_LETTERS]
        self.state(name).mkdir(parents=True, exist_ok=True)
        for net, checkpoint in checkpoints.items():
            checkpoint.save(self.state(name), net)
        write_whole(self.path(name), content)
        return name

    def add_file(self, path: Path, settings: Mapping[str, NetSettings]) -> str:
        """Copy a weights file, from which the first fit will start; its nets may be narrower than they will be."""
        return self._write(path.read_bytes(), checkpoints_of(path, settings))

    def add_random(self, settings: Mapping[str, NetSettings], seed: int) -> str:
        """Write a net of random weights."""
        checkpoints = {net: new_checkpoint(new_net(net, settings[net].hidden, seed)) for net in NETS}
        return self.write(checkpoints, {"settings": {"start": "random", "seed": seed}})

    def is_intact(self, name: str) -> bool:
        """Is the weights file there, as it was written?"""
        path = self.path(name)
        return path.is_file() and checksum(path.read_bytes())[:NAME_LETTERS] == name

    def check(self, name: str, settings: Mapping[str, NetSettings]) -> None:
        """Make sure that the best net can be used; a `ValueError` says what is damaged.

        If its state was deleted, it is made again from its weights file: the optimiser then begins with nothing.
        """
        if not self.is_intact(name):
            raise ValueError(f"{self.path(name)} is missing or damaged: put it back from a copy")
        if not self.state(name).is_dir():
            self._write(self.path(name).read_bytes(), checkpoints_of(self.path(name), settings))
        for net in NETS:
            try:
                load_checkpoint(checkpoint_path(self.state(name), net))
            except ValueError:
                raise ValueError(
                    f"{checkpoint_path(self.state(name), net)} is missing or damaged: put it back from a copy, or "
                    f"delete the folder {self.state(name)} to go on from {name}{NET} with a new optimiser"
                ) from None

    def digest(self, name: str) -> str:
        """SHA-256 of the state of a net."""
        return digest_of(*(checkpoint_path(self.state(name), net) for net in NETS))

    def clean(self, in_use: Collection[str]) -> None:
        """Delete the states of all other nets; weights files stay."""
        for folder in self.folder.glob(f"*{STATE}"):
            if folder.name.removesuffix(STATE) not in in_use:
                shutil.rmtree(folder)


def new_net(net: str, hidden: int, seed: int) -> SparseNet:
    """A net of random weights."""
    return value_net(hidden, seed) if net == "value" else policy_net(hidden, seed)


def new_checkpoint(net: SparseNet) -> Checkpoint:
    """A net whose optimiser has not begun."""
    zeros = net.weights.zeros_like()
    return Checkpoint(NO_IDENTITY, TrainingProgress(), net.weights, zeros, zeros)


def checkpoints_of(path: Path, settings: Mapping[str, NetSettings]) -> dict[str, Checkpoint]:
    """The nets of a weights file, as wide as the settings say."""
    found = {}
    for net, weights in zip(NETS, dequantise(load_weights(path).network), strict=True):
        wide = new_net(net, settings[net].hidden, seed=0)
        wide.start_from(weights)
        found[net] = new_checkpoint(wide)
    return found


def mean_of(fit: Checkpoint, present: Checkpoint, share: float) -> Checkpoint:
    """The mean of the weights of a fit and of the present net, which has a share; the optimiser is that of the fit."""
    weights = [mixed(mine, theirs, share) for mine, theirs in zip(fit.weights, present.weights, strict=True)]
    return Checkpoint(fit.identity, fit.progress, NetArrays(*weights), fit.means, fit.squares, fit.batch)


def mixed(mine: np.ndarray, theirs: np.ndarray, share: float) -> np.ndarray:
    """The weighted mean of two arrays."""
    return (np.float32(1 - share) * mine + np.float32(share) * theirs).astype(np.float32)


def widths_of(path: Path) -> Sequence[int]:
    """The hidden units of both nets of a weights file."""
    network = load_weights(path).network
    return network.value_bias.size, network.policy_bias.size
