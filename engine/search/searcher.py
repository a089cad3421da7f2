"""The searcher: a tree that is kept from move to move, and one search in it at a time.

It knows nothing of UCI: what it finds goes to a `Listener`.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Protocol

from engine.config.options import Options
from engine.config.search_params import root_exponent, search_params
from engine.mcts.tree import Tree, clear, new_root, new_tree, temper_root, touch
from engine.report.history import History
from engine.report.info import Info
from engine.report.positions import Places
from engine.report.report import Report
from engine.report.snapshot import Source
from engine.report.stop_reason import Reason
from engine.search.clock import DelayMeter, Limits, OverheadMeter, budget
from engine.search.control import Signals
from engine.search.resources import Knowledge
from engine.search.run import Run
from engine.system.processors import processors
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


class Guarded:
    """A listener whose failures do not disturb the search: each call is made once, and what it raises is reported."""

    def __init__(self, listener: Listener) -> None:
        self._listener, self._has_complained = listener, False

    def on_info(self, info: Info) -> None:
        """How the search stands."""
        self._call(self._listener.on_info, info)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The end of a search."""
        self._call(self._listener.on_best_move, best, reply)

    def on_message(self, text: str) -> None:
        """Something that people may want to know."""
        with contextlib.suppress(Exception):
            self._listener.on_message(text)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        try:
            function(*arguments)
        except Exception as error:  # noqa: BLE001  (reported; the search goes on)
            if not self._has_complained:
                self._has_complained = True
                self.on_message(f"the search could not be shown ({error!r})")


class Searcher:
    """One search at a time."""

    def __init__(self, options: Options, listener: Listener, knowledge: Knowledge | None = None) -> None:
        self.options, self.listener = options, Guarded(listener)
        self.knowledge = knowledge or Knowledge()
        self.position = Position()
        self.tree: Tree | None = None
        self.places, self.history = Places(self.position), History()
        self.run: Run | None = None  # the search that goes on, or the last one at this root
        self.generation = 0  # of the root: odd while it changes
        self.overhead, self.delay = OverheadMeter(), DelayMeter()
        self.signals = Signals()
        self._megabytes = 0  # that were asked for when the tree was made; it may have got less
        self._threads_warned_of = 0
        self._limits, self._preparing = Limits(), threading.Lock()
        self._thread: threading.Thread | None = None

    # The tree and where it stands

    def prepare(self) -> Tree:
        """Make the tree, if there is none of the size wanted; its memory is provided in the background."""
        megabytes = self.options.hash_megabytes
        with self._preparing:
            if self.tree is None or self._megabytes != megabytes:
                self.generation += 2
                self.tree = None  # two at once may be too much
                self.tree, self._megabytes = self._new_tree(megabytes), megabytes
                self.history.clear()
                threading.Thread(target=touch, args=(self.tree.memory,), daemon=True).start()
            return self.tree

    def _new_tree(self, megabytes: int) -> Tree:
        while True:
            try:
                return new_tree(megabytes)
            except MemoryError:
                if megabytes == 1:
                    raise
                self.listener.on_message(f"there are no {megabytes} MB for the tree, {megabytes // 2} are tried")
                megabytes //= 2

    def forget(self) -> None:
        """Drop all that is known, of the clock too: another game may follow."""
        self.overhead = OverheadMeter()
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
        """Take over a saved search. Not while threads search.

        `fill` writes its tree; if it raises an error, it has changed nothing, and nothing else changes either.
        """
        tree, before = self.prepare(), self.generation
        self.generation = before + 1
        try:
            fill(tree)
        except BaseException:
            self.generation = before
            raise
        self.position, self.places, self.history, self.run = position, Places(position), history, None
        self.generation = before + 2

    # Start and stop

    def go(self, limits: Limits, *, wished: tuple[int, ...] = (), started: float | None = None) -> None:
        """Start to search; `on_best_move` is called once when it ends.

        `wished`: the moves to choose from, all if empty. `started`: the moment (of `time.perf_counter`) from which the
        clock counts, now if it is not given.
        """
        self.wait()
        self.signals, self._limits = Signals(), limits
        begin = time.perf_counter() if started is None else started
        overhead, delay = self.overhead.expect(limits, self.options.move_overhead), self.delay.expect()
        self._warn_of_threads()
        run = self.run = Run(self, limits, wished, budget(limits, overhead, delay), begin)
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
        if self.tree is None:
            self.prepare()
        generation, tree, run = self.generation, self.tree, self.run  # each read once: another thread may change them
        return Report(
            Source(
                tree=self.prepare() if tree is None else tree,
                places=self.places,
                history=self.history,
                run=run,
                params=run.params if run else search_params(self.options),
                network=self.knowledge.network,
                is_current=lambda: generation == self.generation and generation % 2 == 0,
            )
        )

    def _warn_of_threads(self) -> None:
        """Say it once if there are more threads than processors."""
        threads = self.options.threads
        if threads != self._threads_warned_of and threads > processors():
            self.listener.on_message(f"{threads} threads for {processors()} processors: more do not search faster")
        self._threads_warned_of = threads

    def _finish(self, run: Run) -> None:
        """Search; whatever fails, a move is given, once."""
        best, reply = None, None
        try:
            best, reply = run.finish(self.prepare())
        except Exception as error:  # noqa: BLE001  (without a move the game would be lost)
            self.listener.on_message(f"the search failed ({error!r}), a legal move is played")
            best = self._recover(run)
        self.overhead.note(run.limits, run.seconds_on_clock)
        self.delay.note(run.longest_delay)
        self.listener.on_best_move(best, reply)

    def _recover(self, run: Run) -> str | None:
        """After a failure: drop the tree, which may be damaged; -> a move, when it may be given."""
        try:
            best = run.move_after_failure()
        except Exception:  # noqa: BLE001  (what is known of the moves may be damaged too)
            best = next(iter(self.position.legal_moves), None)
        run.reason = Reason.FAILED
        self.forget()
        run.wait_until_allowed()
        return best
