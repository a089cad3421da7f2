"""The searcher: a tree that is kept from move to move, and one search in it at a time.

It knows nothing of UCI: what it finds goes to a `Listener`.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from engine.clock import Limits, OverheadMeter, budget
from engine.history import History
from engine.knowledge import Knowledge
from engine.mcts.tree import BYTES_PER_SLOT, Tree, clear, new_root, new_tree, temper_root, touch
from engine.options import Settings
from engine.reasons import Reason
from engine.report.info import Info
from engine.report.places import Places
from engine.report.report import Report
from engine.report.source import Source
from engine.run import Run
from engine.settings import kernel_settings, root_exponent
from engine.signals import Signals
from movegen import Position


class Listener(Protocol):
    """Who wants to hear of a search."""

    def on_info(self, info: Info) -> None:
        """How the search stands."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Once a search, at its end: the move to play (None if there is none) and the reply to think about."""

    def on_message(self, text: str) -> None:
        """Something that people may want to know."""


class SilentListener:
    """Hears, and says nothing."""

    def on_info(self, info: Info) -> None:
        """Nothing."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Nothing."""

    def on_message(self, text: str) -> None:
        """Nothing."""


class Searcher:
    """One search at a time."""

    def __init__(self, options: Settings, listener: Listener, knowledge: Knowledge | None = None) -> None:
        self.options, self.listener = options, listener
        self.knowledge = knowledge or Knowledge()
        self.position = Position()
        self.tree: Tree | None = None
        self.places, self.history = Places(self.position), History()
        self.run: Run | None = None  # the search that goes on, or the last one at this root
        self.generation = 0  # of the root: odd while it changes
        self.overhead = OverheadMeter()
        self.signals = Signals()
        self._limits, self._preparing = Limits(), threading.Lock()
        self._thread: threading.Thread | None = None

    # The tree and where it stands

    def prepare(self) -> Tree:
        """Make the tree, if there is none of the size wanted; its memory is provided in the background."""
        megabytes = self.options.number("Hash")
        with self._preparing:
            if self.tree is None or self.tree.visits.size != (megabytes << 20) // BYTES_PER_SLOT:
                self.generation += 2
                self.tree = None  # two at once may be too much
                self.tree = self._new_tree(megabytes)
                self.history.clear()
                threading.Thread(target=touch, args=(self.tree.memory,), daemon=True).start()
            return self.tree

    def _new_tree(self, megabytes: int) -> Tree:
        while True:
            try:
                return new_tree(megabytes)
            except MemoryError:
                self.listener.on_message(f"there are no {megabytes} MB for the tree, {megabytes // 2} are tried")
                megabytes //= 2

    def forget(self) -> None:
        """Drop all that is known."""
        self._begin_anew(self.position)
        if self.tree is not None:
            clear(self.tree)
        self.generation += 1

    def _begin_anew(self, position: Position) -> None:
        """From now on the root is another one; whoever calls this says by `generation` when that is done."""
        self.generation += 1
        self.position, self.places, self.history, self.run = position, Places(position), History(), None

    def set_position(self, position: Position, moves: tuple[int, ...] | None) -> None:
        """Search from here. `moves` lead here from where the tree stands; None: it has nothing to do with it."""
        if moves == ():
            return
        self._begin_anew(position)
        if self.tree is not None:
            if moves is None:
                clear(self.tree)
            else:
                for move in moves:
                    new_root(self.tree, move)
                temper_root(self.tree, root_exponent(self.options))  # this node was not made as a root
        self.generation += 1

    def load(self, position: Position, history: History, fill: Callable[[Tree], None]) -> None:
        """Take over a saved search; `fill` writes its tree. Not while threads search."""
        tree = self.prepare()
        self._begin_anew(position)
        try:
            fill(tree)
            self.history = history
        finally:
            self.generation += 1

    # Start and stop

    def go(self, limits: Limits, *, wished: tuple[int, ...] = (), started: float | None = None) -> None:
        """Start to search; `on_best_move` is called once when it ends.

        `wished`: the moves to choose from, all if empty. `started`: the moment (of `time.perf_counter`) from which the
        clock counts, now if it is not given.
        """
        self.wait()
        self.signals, self._limits = Signals(), limits
        begin = time.perf_counter() if started is None else started
        overhead = self.overhead.expect(limits, self.options.number("Move Overhead"))
        run = self.run = Run(self, limits, wished, budget(limits, overhead), begin)
        if run.is_short:  # starting a thread would take as long
            self._finish(run)
        else:
            self._thread = threading.Thread(target=self._finish, args=(run,), name="search", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the search soon."""
        self.signals.stop()

    def ponder_hit(self, moment: float | None = None) -> None:
        """The move that was pondered on was played: from now (or that moment) on the clock counts."""
        self.signals.ponder_hit(time.perf_counter() if moment is None else moment)

    @property
    def is_searching(self) -> bool:
        """Is a search going on?"""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_pondering(self) -> bool:
        """Does the search wait for `ponder_hit`?"""
        return self.is_searching and self._limits.ponder and self.signals.ponder_hit_at is None

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the search has ended, so many seconds at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def report(self) -> Report:
        """What is known of the root as it stands now; also while threads search."""
        tree = self.prepare() if self.tree is None else self.tree
        generation = self.generation
        return Report(
            Source(
                tree=tree,
                places=self.places,
                history=self.history,
                run=self.run,
                settings=self.run.settings if self.run else kernel_settings(self.options),
                network=self.knowledge.network,
                is_current=lambda: generation == self.generation and generation % 2 == 0,
            )
        )

    def _finish(self, run: Run) -> None:
        """Search; whatever fails, a move is told."""
        best, reply = None, None
        try:
            best, reply = run.finish(self.prepare())
        except Exception as error:  # noqa: BLE001  (without a move the game would be lost)
            self.listener.on_message(f"the search failed ({error!r}), a legal move is played")
            run.reason = Reason.FAILED
            self.forget()
            best = next(iter(self.position.legal_moves), None)
        self.overhead.note(run.limits, time.perf_counter() - run.clock_started)
        self.listener.on_best_move(best, reply)
