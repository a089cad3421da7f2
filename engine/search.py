"""The searcher: a tree, threads that simulate in it, and somebody who watches the clock.

It knows nothing of UCI: what it finds goes to two callbacks, `on_info` and `on_best_move`.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine import report
from engine.clock import Limits, budget
from engine.mcts.setup import PLAYOUT, PUCT, UCB1, Root, Settings, Worker, new_worker
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import IN_USE, ROOT, Tree, clear, new_root, new_tree
from engine.options import Settings as Options
from engine.report import MoveStats
from movegen import Position
from movegen.bits import U64

BATCH_SECONDS = 0.002  # of simulations between two looks at the stop flag
FIRST_BATCH, LARGEST_BATCH = 16, 4096
POLL_SECONDS = 0.002
CLOSE_SHARE = 0.7  # of the best move's visits: then another move is close
SECONDS_BETWEEN_INFOS, LEAST_SECONDS_BETWEEN_INFOS = 1.0, 0.1


@dataclass(frozen=True)
class Info:
    """How a search stands."""

    depth: int
    deepest: int
    seconds: float
    nodes: int
    hashfull: int  # permille
    lines: list[tuple[MoveStats, list[str]]]  # best first


class Searcher:
    """One search at a time, in a tree that is kept from move to move."""

    def __init__(
        self,
        options: Options,
        on_info: Callable[[Info], None],
        on_best_move: Callable[[str | None, str | None], None],
    ) -> None:
        self.options = options
        self.on_info, self.on_best_move = on_info, on_best_move
        self.position = Position()
        self.tree: Tree | None = None
        self._thread: threading.Thread | None = None
        self.stop_asked = threading.Event()
        self.ponder_hit_heard = threading.Event()

    # The tree and where it stands

    def forget(self) -> None:
        """Drop the tree, and its memory if another size is wanted."""
        if self.tree is not None and self.tree.visits.nbytes * 8 != self.options.number("Hash") << 20:
            self.tree = None
        if self.tree is not None:
            clear(self.tree)

    def set_position(self, position: Position, moves: tuple[int, ...] | None) -> None:
        """Search from here. `moves` lead here from where the tree stands; None: it has nothing to do with it."""
        if self.tree is not None:
            if moves is None:
                clear(self.tree)
            else:
                for move in moves:
                    new_root(self.tree, move)
        self.position = position

    # Start and stop

    def go(self, limits: Limits) -> None:
        """Start to search; `on_best_move` is called once when it ends."""
        self.wait()
        self.stop_asked.clear()
        self.ponder_hit_heard.clear()
        self._thread = threading.Thread(target=self._run, args=(limits, time.perf_counter()), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the search soon."""
        self.stop_asked.set()

    def ponder_hit(self) -> None:
        """The move that was pondered on was played: from now on the clock counts."""
        self.ponder_hit_heard.set()

    @property
    def is_searching(self) -> bool:
        """Is a search going on?"""
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> None:
        """Wait until the search has ended."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # The search itself

    def _run(self, limits: Limits, started: float) -> None:
        if self.tree is None:
            self.tree = new_tree(self.options.number("Hash"))
        _Run(self, self.tree, limits, started).finish()


class _Run:
    """One search: workers, watch, report."""

    def __init__(self, searcher: Searcher, tree: Tree, limits: Limits, started: float) -> None:
        self.searcher, self.tree, self.limits = searcher, tree, limits
        self.options, self.position = searcher.options, searcher.position
        past = np.array(self.position.past_keys, dtype=np.uint64)
        self.root = Root(self.position.board, U64(self.position.key), U64(self.position.halfmove_clock), past)
        self.settings = kernel_settings(self.options)
        seed = self.options.number("Seed") or time.time_ns() & 0x7FFF_FFFF
        self.workers = [new_worker(seed + 1_000_003 * number) for number in range(self.options.number("Threads"))]
        self.budget = budget(limits, self.options.number("Move Overhead"))
        self.started = self.clock_started = started
        self.pondering = limits.ponder
        self.depth = 0
        self.reported_at, self.reported_move = -SECONDS_BETWEEN_INFOS, -1
        self.ended = False
        self.nodes_left = limits.nodes
        self.lock = threading.Lock()

    def finish(self) -> None:
        """Search until it is over, and tell the best move."""
        threads = [threading.Thread(target=self._work, args=(worker,), daemon=True) for worker in self.workers]
        for thread in threads:
            thread.start()
        while not self._is_over() and any(thread.is_alive() for thread in threads):
            self._report_if_due()
            self.searcher.stop_asked.wait(POLL_SECONDS)
        self.ended = True
        for thread in threads:
            thread.join()
        self._wait_until_allowed()
        self._tell_best_move()

    def _work(self, worker: Worker) -> None:
        """Simulate in small batches until the search is over."""
        batch = FIRST_BATCH
        while not self.ended and not self.searcher.stop_asked.is_set():
            size = self._take(batch)
            if size == 0:
                return
            begin = time.perf_counter()
            made = int(simulate_many(self.tree, self.root, self.settings, worker, U64(size)))
            if made < size:  # the root is proven
                return
            seconds = max(time.perf_counter() - begin, 1e-6)
            batch = max(1, min(LARGEST_BATCH, 2 * batch, int(batch * BATCH_SECONDS / seconds)))

    def _take(self, wanted: int) -> int:
        """How many simulations a worker may make now, of those that `go nodes` allows."""
        if self.nodes_left is None:
            return wanted
        with self.lock:
            taken = min(wanted, self.nodes_left)
            self.nodes_left -= taken
        return taken

    def _is_over(self) -> bool:
        """Is there a reason to stop?"""
        if self.searcher.stop_asked.is_set():
            return True
        if self.pondering and self.searcher.ponder_hit_heard.is_set():
            self.pondering, self.clock_started = False, time.perf_counter()
        if self.limits.depth is not None and self._mean_depth() >= self.limits.depth:
            return True
        if self.pondering or self.limits.infinite or self.budget.hard is None:
            return False
        elapsed = time.perf_counter() - self.clock_started
        return elapsed >= self.budget.hard or (self.limits.has_clock and self._has_thought_enough(elapsed))

    def _has_thought_enough(self, elapsed: float) -> bool:
        """In a game with a clock: the soft limit, stretched while the two best moves are close."""
        moves = report.moves_below(self.tree, int(ROOT))
        if len(moves) == 1:
            return True
        soft = self.budget.soft or 0.0
        if not moves:
            return elapsed >= soft
        first, second = moves[0], moves[1]
        if elapsed >= soft:
            return second.visits < CLOSE_SHARE * first.visits or first.score >= second.score
        speed = self._nodes() / max(elapsed, 1e-3)
        return elapsed > 0.1 * soft and second.visits + speed * (soft - elapsed) < first.visits

    def _nodes(self) -> int:
        return sum(int(worker.totals[0]) for worker in self.workers)

    def _mean_depth(self) -> int:
        """The rounded mean depth of leaves, never falling."""
        nodes = self._nodes()
        mean = round(sum(int(worker.totals[1]) for worker in self.workers) / nodes) if nodes else 0
        self.depth = max(self.depth, mean, 1)
        return self.depth

    def _report_if_due(self) -> None:
        now = time.perf_counter() - self.started
        if now - self.reported_at < LEAST_SECONDS_BETWEEN_INFOS:
            return
        moves = report.moves_below(self.tree, int(ROOT))
        if not moves or moves[0].visits == 0:
            return
        if now - self.reported_at >= SECONDS_BETWEEN_INFOS or report.best_of(moves).code != self.reported_move:
            self._report(moves)

    def _report(self, moves: list[MoveStats]) -> list[str]:
        """Tell how the search stands; -> the main line."""
        best = report.best_of(moves)
        ordered = [best, *(move for move in moves if move is not best)]
        shown = ordered[: self.options.number("MultiPV")]
        lines = [(move, report.main_line(self.tree, self.position, move)) for move in shown]
        self.reported_at, self.reported_move = time.perf_counter() - self.started, best.code
        self.searcher.on_info(
            Info(
                self._mean_depth(),
                max(1, *(int(worker.totals[2]) for worker in self.workers)),
                self.reported_at,
                self._nodes(),
                1000 * int(self.tree.control[int(IN_USE)]) // self.tree.visits.size,
                lines,
            )
        )
        return lines[0][1]

    def _wait_until_allowed(self) -> None:
        """Under `infinite` and `ponder` the best move may not be told before the GUI says so."""
        while self.limits.infinite and not self.searcher.stop_asked.wait(POLL_SECONDS):
            pass
        while self.pondering and not self.searcher.stop_asked.wait(POLL_SECONDS):
            if self.searcher.ponder_hit_heard.is_set():
                return

    def _tell_best_move(self) -> None:
        moves = report.moves_below(self.tree, int(ROOT))
        if not moves and self.position.move_codes:
            make_root_moves(self.tree, self.root, self.settings)
            moves = report.moves_below(self.tree, int(ROOT))
        if not moves:
            self.searcher.on_best_move(None, None)
            return
        line = self._report(moves)
        self.searcher.on_best_move(line[0], line[1] if len(line) > 1 else None)


def make_root_moves(tree: Tree, root: Root, settings: Settings) -> None:
    """Two simulations: enough for the root to have its moves, however short the time was."""
    simulate_many(tree, root, settings, new_worker(1), U64(2))


def kernel_settings(options: Options) -> Settings:
    """The options that the kernels need."""
    if options.text("Formula") == "UCB1":
        return Settings(UCB1, PLAYOUT, options.number("UCB1 C") / 1000, 0.0)
    return Settings(PUCT, PLAYOUT, options.number("PUCT C") / 1000, options.number("First Play") / 1000)
