"""The loop: the next step, done and recorded, again and again. Whatever ends the process, the next one goes on there.

A step is recorded when all that it made is on disk. One that was interrupted is done again; what it had made is found
there and used. So a loop that was interrupted has the same nets and the same lines as one that was not.
"""

from collections.abc import Callable
from typing import Any, Protocol

from engine.training.loop.loop_journal import BEGIN, END, FIT, GATE, LABELS, LoopJournal
from engine.training.loop.rounds import LoopState, Round, Step, read_state

Fields = dict[str, Any]  # of a line of the journal


class RoundWork(Protocol):
    """What is done in a round. Each method can be called again after an interruption, and gives the same."""

    def begin(self) -> Fields:
        """Begin a round; -> which chunks of games there are."""

    def label(self, one: Round, part: str) -> Fields:
        """Make labelled games, and add them to the store."""

    def fit(self, one: Round) -> Fields:
        """Train a net."""

    def gate(self, one: Round, part: str) -> Fields:
        """Let the new net play against the best one."""

    def has_net(self, one: Round) -> bool:
        """Is the net of the fit there, as it was written?"""

    def clean(self, state: LoopState) -> None:
        """Delete what is not needed any more."""


Watcher = Callable[[LoopState, Step | None], None]


class Loop:
    """A loop whose journal is held."""

    def __init__(self, journal: LoopJournal, work: RoundWork, watcher: Watcher = lambda *_: None) -> None:
        """`watcher` is called before each step, and with None at the end."""
        self._journal, self._work, self._watcher = journal, work, watcher

    @property
    def state(self) -> LoopState:
        """Rounds and nets."""
        return read_state(self._journal.entries)

    def run(self, rounds: int | None, is_over: Callable[[], bool] = lambda: False) -> LoopState:
        """Go on until this number of rounds has ended in all, or until it is over."""
        self._work.clean(self.state)
        while (rounds is None or self.state.ended < rounds) and not is_over():
            self.step()
        self._watcher(self.state, None)
        return self.state

    def step(self) -> None:
        """Do and record the next step."""
        state = self.state
        if state.under_way is None:
            self._journal.add(BEGIN, round=len(state.rounds) + 1, **self._work.begin())
            state = self.state
        one = state.rounds[-1]
        step = self._next_step(one)
        self._watcher(state, step)
        self._journal.add(step.kind, round=one.number, part=step.part, **self._do(one, step))
        if step.kind == END:
            self._work.clean(self.state)

    def _next_step(self, one: Round) -> Step:
        """The next step. A net that is damaged before it was judged is made again, from checkpoints of its fit."""
        step = one.next_step
        if step is not None and step.kind == GATE and not self._work.has_net(one):
            return Step(FIT)
        return step or Step(END)

    def _do(self, one: Round, step: Step) -> Fields:
        if step.kind == LABELS:
            return self._work.label(one, step.part)
        if step.kind == FIT:
            return self._work.fit(one)
        if step.kind == GATE:
            return self._work.gate(one, step.part)
        return {"kept": not one.has_failed}
