"""The rounds and the nets of a loop, as its journal has them, and what is to be done next."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from engine.training.loop.loop_journal import (
    AT_ONCE,
    BEGIN,
    BOOK_AT_ONCE,
    END,
    FIT,
    GATE,
    HEADER,
    LABELS,
    SETTINGS,
    Entry,
)
from engine.training.loop.net_strength import Strength, gain_of
from engine.training.loop.settings import CLOCK, GAMES, OF_BOOK, TREES, VISITS, LoopSettings, settings_of


class Step(NamedTuple):
    """A step of a round, and its part."""

    kind: str  # as in the journal
    part: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


@dataclass
class Round:
    """A round: what it began with, and the lines of its steps."""

    number: int
    settings: LoopSettings
    against: str  # the best net, which plays and which the fit starts from
    old: tuple[str, ...]  # chunks of games that were there before
    done: dict[Step, Entry] = field(default_factory=dict)

    @property
    def steps(self) -> list[Step]:
        """All that may be needed, in order."""
        parts = {GAMES: self.settings.games, TREES: self.settings.tree_games}
        gates = [VISITS] if self.settings.clock is None else [VISITS, CLOCK]
        labels = [Step(LABELS, part) for part, games in parts.items() if games]
        return [*labels, Step(FIT), *(Step(GATE, gate) for gate in gates), Step(END)]

    @property
    def next_step(self) -> Step | None:
        """The first step that is not done; after a gate that was not passed the round ends. None: it has ended."""
        if self.has_failed:
            return None if Step(END) in self.done else Step(END)
        return next((step for step in self.steps if step not in self.done), None)

    @property
    def gates(self) -> list[Entry]:
        """The results of the gates so far."""
        return [entry for step, entry in self.done.items() if step.kind == GATE]

    @property
    def has_failed(self) -> bool:
        """Was a gate not passed?"""
        return any(not gate["passed"] for gate in self.gates)

    @property
    def net(self) -> str | None:
        """The net of the fit."""
        fit = self.done.get(Step(FIT))
        return None if fit is None else fit["net"]

    @property
    def chunks(self) -> tuple[str, ...]:
        """The games of this round."""
        return tuple(entry["chunk"] for step, entry in self.done.items() if step.kind == LABELS)

    @property
    def kept(self) -> bool | None:
        """Did its net become the best? None: not known yet."""
        end = self.done.get(Step(END))
        return None if end is None else end["kept"]

    @property
    def cpu_seconds(self) -> float:
        """The processor time of its steps."""
        return float(sum(entry.get("cpu_seconds", 0.0) for entry in self.done.values()))

    @property
    def gain(self) -> Strength:
        """Over the best net before, by the last gate."""
        return gain_of(self.gates[-1]["pairs"]) if self.gates else Strength()


@dataclass
class LoopState:
    """All that a journal says."""

    first: str  # the net that the loop began with
    best: str
    settings: LoopSettings  # of the rounds to come
    rounds: list[Round] = field(default_factory=list)
    strength: Strength = field(default_factory=Strength)  # of the best net

    @property
    def under_way(self) -> Round | None:
        """The round that has not ended."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].kept is None else None

    @property
    def ended(self) -> int:
        """How many rounds have ended."""
        return len(self.rounds) - (self.under_way is not None)

    @property
    def cpu_seconds(self) -> float:
        """The processor time of all rounds."""
        return sum(one.cpu_seconds for one in self.rounds)


def read_state(entries: Sequence[Entry]) -> LoopState:
    """What the lines of a journal say; there is at least the header."""
    header = entries[0]
    state = LoopState(header["net"], header["net"], settings_of(header["settings"]))
    for entry in entries[1:]:
        _take(state, entry)
    return state


def _take(state: LoopState, entry: Entry) -> None:
    kind = entry["kind"]
    if kind == SETTINGS:
        state.settings = settings_of(entry["settings"])
        if entry.get(AT_ONCE):
            state.rounds[-1].settings = state.settings
        elif entry.get(BOOK_AT_ONCE):
            book = {name: getattr(state.settings, name) for name in OF_BOOK}
            state.rounds[-1].settings = replace(state.rounds[-1].settings, **book)
    elif kind == BEGIN:
        state.rounds.append(Round(entry["round"], state.settings, state.best, tuple(entry["old"])))
    elif kind in (LABELS, FIT, GATE, END) and state.rounds:
        one = state.rounds[-1]
        one.done[Step(kind, entry.get("part", ""))] = entry
        if kind == END and entry["kept"]:
            state.best, state.strength = one.net or state.best, state.strength.plus(one.gain)
    elif kind != HEADER:
        raise ValueError(f"the journal has a line that this version of Teresa does not know ({kind!a})")
