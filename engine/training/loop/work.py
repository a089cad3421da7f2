"""The steps of rounds, done for good."""

import shutil
from pathlib import Path
from typing import Any

from engine.training.data.store import Store, store_to_write
from engine.training.fit.settings import NETS
from engine.training.loop.fit_step import fit_round
from engine.training.loop.gates import play_gate
from engine.training.loop.labels import label_round
from engine.training.loop.loop_journal import LABELS
from engine.training.loop.nets import Nets
from engine.training.loop.rounds import LoopState, Round
from engine.training.loop.spent import OpenRun

STORE, NETS_FOLDER, ROUNDS, FIT_FOLDER = "games", "nets", "rounds", "fit"


class LoopWork:
    """Makes labels, fits and matches in the folder of a loop."""

    def __init__(self, folder: Path, open_run: OpenRun, open_fit_run: OpenRun) -> None:
        """Each step has its own workers; those of a fit are on this machine, where the games are."""
        folder = folder.resolve()  # plans of labels have the path of a net: any name of the folder finds their chunks
        self.store, self.nets = folder / STORE, self.nets_of(folder)
        self._rounds, self._open_run, self._open_fit_run = folder / ROUNDS, open_run, open_fit_run

    @staticmethod
    def nets_of(folder: Path) -> Nets:
        """The nets of a loop."""
        return Nets(folder / NETS_FOLDER)

    def begin(self) -> dict[str, Any]:
        """The chunks that are there; the store is created in the first round."""
        with store_to_write(self.store, create=True) as store:
            return {"old": [chunk.name for chunk in store.chunks]}

    def label(self, one: Round, part: str) -> dict[str, Any]:
        """Make games."""
        self._check_best(one)
        counted_in = self._folder(one) / f"{LABELS}-{part}.spent"
        counted_in.parent.mkdir(parents=True, exist_ok=True)
        return label_round(one, part, self.store, self.nets.path(one.against), counted_in, self._open_run)

    def fit(self, one: Round) -> dict[str, Any]:
        """Train."""
        self._check_best(one)
        return fit_round(one, self._folder(one) / FIT_FOLDER, Store(self.store), self.nets, self._open_fit_run)

    def gate(self, one: Round, part: str) -> dict[str, Any]:
        """Play."""
        self._check_best(one)
        return play_gate(one, part, self._folder(one), self.nets, self._open_run)

    def has_net(self, one: Round) -> bool:
        """Is the net of a round as it was written?"""
        return one.net is not None and self.nets.is_intact(one.net)

    def clean(self, state: LoopState) -> None:
        """Delete the fits of rounds that have ended, and the states of all nets that no fit goes on from."""
        under_way = state.under_way
        self.nets.clean({state.best, "" if under_way is None else under_way.net or ""})
        for one in state.rounds:
            folder = self._folder(one) / FIT_FOLDER
            if one is not under_way and folder.is_dir():
                shutil.rmtree(folder)

    def _folder(self, one: Round) -> Path:
        return self._rounds / f"{one.number:04}"

    def _check_best(self, one: Round) -> None:
        self.nets.check(one.against, {net: one.settings.net(net) for net in NETS})
