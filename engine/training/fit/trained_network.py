"""The network to evaluate: of a weights file, or of the checkpoints of a fit."""

from pathlib import Path

from engine.network.weights import Network
from engine.network.weights_file import SHIPPED, load_weights


def network_from(source: Path | None) -> Network:
    """The network of a weights file or of the folder of a fit; without a source, the shipped one."""
    if source is not None and source.is_dir():
        from engine.training.fit.fit import network_of_run  # needs torch

        return network_of_run(source)
    return load_weights(source or SHIPPED).network
