"""Two saved searches side by side."""

from collections.abc import Callable
from pathlib import Path

from engine.explorer.view import SearchHandle, View
from engine.network.weights_file import load_weights
from engine.report.report import Report
from engine.report.tree_file import load


def loaded(*names: str) -> View:
    """Trees from files, read-only. `ValueError` if they are not of the same position."""
    network = load_weights().network
    searches = [SearchHandle(Path(name).stem, _always(load(Path(name)).report(network))) for name in names]
    if len({search.report().snapshot.position.fen() for search in searches}) > 1:
        raise ValueError("the trees are of different positions")
    return View(searches)


def _always(report: Report) -> Callable[[], Report]:
    return lambda: report
