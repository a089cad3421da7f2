"""Two saved searches side by side."""

from pathlib import Path

from engine.explorer.show import Show, Shown
from engine.saved_tree import load


def loaded(*names: str) -> Show:
    """Trees from files, to look at. `ValueError` if they are not of the same position."""
    searches = []
    for name in names:
        report = load(Path(name)).report()
        searches.append(Shown(Path(name).stem, lambda report=report: report))
    if len({search.report().source.position.fen() for search in searches}) > 1:
        raise ValueError("the trees are of different positions")
    return Show(searches)
