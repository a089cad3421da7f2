"""`teresa train export`: from the checkpoints of a fit to the weights file."""

from collections.abc import Sequence
from pathlib import Path

from engine.network.weights_file import MAGIC, weights_file
from engine.system.output_file import check_writable, write_whole
from engine.training.data.files import read_json
from engine.training.data.games import open_games
from engine.training.fit.figures import evaluate
from engine.training.fit.fit import identity_of_run, network_of_run


def export(folder: Path, output: Path, held_out: Sequence[Path], *, force: bool = False) -> dict[str, float | None]:
    """Quantise and write; -> the figures on the held-out files that went into the header (empty without files)."""
    check_writable(output, is_ours=lambda head: head.startswith(MAGIC), kind="a weights file of Teresa", force=force)
    network, settings = network_of_run(folder), read_json(folder / "settings.json")
    if settings is None:
        raise ValueError(f"{folder} has no settings.json that can be read")
    figures = evaluate(network, open_games(held_out)).as_dict() if held_out else {}
    write_whole(output, weights_file(network, identity_of_run(folder), {"figures": figures, "settings": settings}))
    return figures
