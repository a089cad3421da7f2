"""The fit of one net as a unit of work: the new games, and some of the old ones, drawn at random."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.training.data.games import Games, open_games
from engine.training.fit.fit import FitData, split_data, train_net
from engine.training.fit.settings import FitSettings, NetSettings
from perft.runner.units import Unit

FIT_NET = "engine.training.loop.fit_units:fit_net"


@dataclass(frozen=True)
class FitGames:
    """Which games a fit sees."""

    new: Sequence[str]  # files of this round
    old: Sequence[str]  # of earlier ones
    replay: float  # share of the positions that are of earlier rounds, as far as there are enough
    seed: int

    def open(self) -> tuple[Games, Games]:
        """Open the files; -> all new games, and a random choice of the old ones."""
        games = open_games([Path(path) for path in (*self.new, *self.old)])
        is_new = games.file < len(self.new)
        old = np.flatnonzero(~is_new)
        wanted = self.replay / (1 - self.replay) * int(games.size[is_new].sum())
        order = np.random.default_rng(self.seed).permutation(old)
        before = np.cumsum(games.size[order]) - games.size[order]
        return games.where(is_new), games.where(np.sort(order[before < wanted]))

    def split(self, settings: FitSettings) -> FitData:
        """The games to train with, and those to validate with: new ones, which no fit before can have seen."""
        new, old = self.open()
        data = split_data(new, settings)
        return replace(data, training=data.training.with_others(old))


def fit_unit(net: str, folder: Path, start: Path, games: FitGames, settings: FitSettings) -> Unit:
    """The unit of one of the two nets. It goes on from its checkpoint, so it is not done twice at the same time."""
    paths = {"folder": str(folder), "start": str(start)}
    return Unit(FIT_NET, {"net": net, **paths, "games": asdict(games), "settings": asdict(settings)}, False)


def fit_net(net: str, folder: str, start: str, games: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a net, on a worker; -> its figures, and the number of positions that it sees in a pass.

    The figures are not those of the log: its last line is missing if a process was killed before it was written.
    """
    both = {name: NetSettings(**settings[name]) for name in ("value", "policy")}
    chosen = FitSettings(**{**settings, **both, "files": tuple(settings["files"])})
    data = FitGames(**games).split(chosen)
    figures = train_net(net, data, Path(folder), chosen, Path(start), lambda _: None, lambda *_: None)
    return {"figures": figures, "positions": data.training.positions}
