"""`teresa train export`: from the checkpoints of a fit to the weights file."""

import json
from collections.abc import Sequence
from pathlib import Path

from engine.network.weights import save_weights
from engine.training.evaluate import evaluate
from engine.training.fit import identity_of_run, network_of_run
from engine.training.games import open_games


def export(folder: Path, output: Path, held_out: Sequence[Path]) -> dict[str, float]:
    """Quantise and write; -> the figures on the held-out files that went into the header (empty without files)."""
    network = network_of_run(folder)
    figures = evaluate(network, open_games(held_out)).as_dict() if held_out else {}
    settings = json.loads((folder / "settings.json").read_text())
    save_weights(output, network, identity_of_run(folder), {"figures": figures, "settings": settings})
    return figures
