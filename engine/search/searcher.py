"""The searcher: a tree that is kept from move to move, and one search in it at a time.

It knows nothing of UCI: its results go to a `Listener`.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.config.options import Options
from engine.config.search_params import root_exponent, search_params
from engine.mcts.reroot import new_root, take_back, temper_root
from engine.mcts.tree import ROOT, Tree, clear, new_tree, touch
from engine.report.effort import StopReason
from engine.report.lines import PositionCache
from engine.report.progress import History, SearchProgress
from engine.report.report import Report
from engine.report.snapshot import Snapshot
from engine.search.clock import Delay, DelayMeter, Limits, OverheadMeter, SearchControl, StopRules, budget, in_reserve
from engine.search.reporter import GuardedListener, Listener
from engine.search.resources import Resources
from engine.search.run import Run, SearchContext
from movegen import Position
from perft.processors import processors

SECONDS_BETWEEN_WAITS = 0.1  # Windows raises KeyboardInterrupt only between two waits


class Searcher:
    """One search at a time."""

    def __init__(self, options: Options, listener: Listener, resources: Resources | None = None) -> None:
        self.options, self.listener = options, GuardedListener(listener)
        self.resources = resources or Resources()
        self.position = Position()
        self.tree: Tree | None = None
        self.positions, self.history = PositionCache(self.position), History()
        self.run: Run | None = None  # the search that is running, or the last one at this root
        self.generation = 0  # of the root: odd while it changes
        self._was_before_a_root = False  # the node that `take_back` makes the root
        self.overhead, self.delay = OverheadMeter(), DelayMeter()
        self.control = SearchControl()
        self._megabytes = 0  # that were asked for when the tree was made; it may have got less
        self._threads_warned_of = 1  # which never needs a warning
        self._digest_warned_of: str | None = None
        self._limits, self._preparing = Limits(), threading.Lock()
        self._ended = threading.Event()  # not `Thread.join`: interrupted, Python takes the thread for ended
        self._ended.set()

    # The tree and its root

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
        if self.resources.queue is not None:
            self.resources.queue.forget()
        with self._changing_root(self.position):
            if self.tree is not None:
                clear(self.tree)

    def set_position(self, position: Position, moves: tuple[int, ...] | None, *, takes_back: bool = False) -> None:
        """Search from here. `moves` lead here from the present root; None: the tree cannot be used.

        `takes_back`: the last move that led to the present root was another one, `moves` begin instead of it; without
        moves, the root before is the root again.
        """
        if moves == () and not takes_back:
            return
        with self._changing_root(position):
            if self.tree is None:
                return
            if moves is None:
                clear(self.tree)
                return
            if takes_back:
                take_back(self.tree)
            for move in moves:
                new_root(self.tree, move)
            if moves or not self._was_before_a_root:  # this node was not made as a root
                temper_root(self.tree, root_exponent(self.options))
            self._was_before_a_root = len(moves) == 1 and (self._was_before_a_root or not takes_back)

    @contextmanager
    def _changing_root(self, position: Position) -> Iterator[None]:
        """Start a new root; reports of the old one, or from between, find `generation` changed."""
        self.generation += 1
        self._set_root(position, History())
        yield
        self.generation += 1

    def _set_root(self, position: Position, history: History) -> None:
        self.position, self.positions, self.history, self.run = position, PositionCache(position), history, None

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
        self._set_root(position, history)
        self.generation = before + 2

    # Start and stop

    def go(self, limits: Limits, *, search_moves: tuple[int, ...] = (), started: float | None = None) -> None:
        """Start to search; `on_best_move` is called once when it ends.

        `search_moves`: the moves to choose from, all if empty. `started`: the moment (of `time.perf_counter`) from
        which the clock counts, now if it is not given.
        """
        self.wait()
        self.control, self._limits = SearchControl(), limits
        begin = time.perf_counter() if started is None else started
        overhead, delay = self.overhead.expect(limits, self.options.move_overhead), self.delay.expect()
        self._warn_of_threads()
        self._warn_of_rating()
        context = SearchContext(self.options, self.resources, self.listener, self.positions, self.history)
        queue = self.resources.queue
        if queue is not None:  # the next move needs one evaluation at least
            delay = Delay(delay.usual, max(delay.longest, round(1000 * queue.pace)))
        planned = budget(limits, overhead.usual, in_reserve(overhead, delay))
        rules = StopRules(limits, planned, self.control, begin, may_wait=queue is not None)
        run = self.run = Run(context, rules, search_moves)
        if rules.is_short:  # starting a thread would take as long
            self._finish(run)
        else:
            self._start(threading.Thread(target=self._finish_apart, args=(run,), name="search", daemon=True))

    def _start(self, thread: threading.Thread) -> None:
        try:
            self._ended.clear()
            thread.start()
        except BaseException:  # Ctrl-C, too: the thread may be running nevertheless
            self.stop()
            if thread not in threading.enumerate():
                self._ended.set()
            raise

    def stop(self) -> None:
        """End the search soon."""
        self.control.stop()

    def ponder_hit(self, moment: float | None = None) -> None:
        """The expected move was played: the clock counts since now, or since that moment."""
        self.control.ponder_hit(time.perf_counter() if moment is None else moment)

    @property
    def is_searching(self) -> bool:
        """Is a search running?"""
        return not self._ended.is_set()

    @property
    def is_pondering(self) -> bool:
        """Does the search wait for `ponder_hit`?"""
        return self.is_searching and self._limits.ponder and self.control.ponder_hit_at is None

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the search has ended, at most `seconds`."""
        self._ended.wait(seconds)

    def report(self) -> Report:
        """What is known of the root now. From any thread, also while threads search."""
        if self.tree is None:
            self.prepare()
        generation, tree, run = self.generation, self.tree, self.run  # each read once: another thread may change them
        if tree is None:
            tree = self.prepare()
        return Report(
            Snapshot(
                tree=tree,
                positions=self.positions,
                history=self.history,
                params=run.params if run else self.resources.adapted(search_params(self.options), self.options),
                network=self.resources.network,
                queue=self.resources.queue,
                is_current=lambda: generation == self.generation and generation % 2 == 0,
                progress=run.progress(tree) if run else SearchProgress(visits=int(tree.visits[int(ROOT)])),
            )
        )

    def _warn_of_threads(self) -> None:
        """Warn once if there are more threads than processors."""
        threads = self.options.threads
        if threads != self._threads_warned_of and threads > processors():
            self.listener.on_message(f"{threads} threads for {processors()} processors: more do not search faster")
        self._threads_warned_of = threads

    def _warn_of_rating(self) -> None:
        """Warn once if a rating is asked for that means nothing with this network."""
        digest = self.resources.queue.net.digest if self.resources.queue and self.options.limit_strength else None
        if digest is not None and digest != self._digest_warned_of:
            self.listener.on_message("UCI_Elo was measured with Teresa's network; with this one it is another rating")
        self._digest_warned_of = digest

    def _finish_apart(self, run: Run) -> None:
        """In a thread."""
        try:
            self._finish(run)
        finally:
            self._ended.set()

    def _finish(self, run: Run) -> None:
        """Search; whatever fails, a move is given, once."""
        best, reply = None, None
        try:
            best, reply = run.finish(self.prepare())
        except Exception as error:  # noqa: BLE001  (without a move the game would be lost)
            self.listener.on_message(f"the search failed ({error!r}), a legal move is played")
            best = self._recover(run)
        self.overhead.note(run.rules.limits, run.rules.seconds_on_clock)
        self.delay.note(run.longest_delay)
        self.listener.on_best_move(best, reply)

    def _recover(self, run: Run) -> str | None:
        """After a failure: drop the tree, which may be damaged; -> a move, when it may be given."""
        try:
            best = run.move_after_failure()
        except Exception:  # noqa: BLE001  (what is known of the moves may be damaged too)
            best = next(iter(self.position.legal_moves), None)
        run.reason = StopReason.FAILED
        self.forget()
        run.rules.wait_until_allowed()
        return best


def search_to_end(searcher: Searcher, limits: Limits) -> None:
    """Search until the limits are reached; Ctrl-C stops it."""
    try:
        searcher.go(limits)
        while searcher.is_searching:
            searcher.wait(SECONDS_BETWEEN_WAITS)
    except KeyboardInterrupt:
        searcher.stop()
        searcher.wait()
        raise
