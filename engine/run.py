"""One search: the crew that simulates, somebody who watches the clock, and the move at the end."""

import random
import time
from functools import partial
from typing import TYPE_CHECKING

from engine.choice import best_of, draw_by_level, draw_move
from engine.clock import Budget, Limits, has_thought_enough
from engine.crew import Crew, Task
from engine.knowledge import RootMoves
from engine.mcts.proof import prove_root
from engine.mcts.setup import Worker, root_of
from engine.mcts.tree import IN_USE, ROOT, Tree, clear, edges_of, keep, restrict_root
from engine.reasons import Reason
from engine.report.info import Info
from engine.report.line import best_edges, main_line
from engine.settings import kernel_settings, weakened
from engine.stats import LOSS, MoveStats, moves_below
from engine.strength import level_of

if TYPE_CHECKING:
    from engine.search import Searcher

BATCH_SECONDS = 0.002  # of simulations between two looks at the stop flag
LOOK_SECONDS, LEAST_LOOK_SECONDS = 0.05, 0.005  # between two looks at the tree
SECONDS_BETWEEN_INFOS, LEAST_SECONDS_BETWEEN_INFOS = 1.0, 0.1
SHORT_SECONDS = 0.02
NODES_AT_ONCE = 256  # where there is nothing to think about: enough for a score and a reply


class Run:
    """One search."""

    def __init__(
        self, searcher: "Searcher", limits: Limits, wished: tuple[int, ...], budget: Budget, started: float
    ) -> None:
        self.limits, self.wished, self.budget = limits, wished, budget
        self.options, self.position, self.knowledge = searcher.options, searcher.position, searcher.knowledge
        self.signals, self.listener = searcher.signals, searcher.listener
        self.places, self.history = searcher.places, searcher.history
        self.started = self.clock_started = started
        self.pondering = limits.ponder
        self.nodes_allowed = limits.nodes
        analyses = limits.infinite or self.options.flag("UCI_AnalyseMode")
        is_weak = self.options.flag("UCI_LimitStrength") and not analyses
        self.level = level_of(self.options.number("UCI_Elo")) if is_weak else None
        self.settings = kernel_settings(self.options)
        if is_weak:
            self.settings = weakened(self.settings)
        self.depth = 0
        self.looked_at, self.reported_at, self.reported_move = started, -SECONDS_BETWEEN_INFOS, -1
        self.seconds_between_looks = max(LEAST_LOOK_SECONDS, min(LOOK_SECONDS, (budget.soft or 1.0) / 4))
        self.crew: Crew | None = None
        self.root_moves = RootMoves(())
        self.chosen: int | None = None  # the move to play, once it is told
        self.reason, self.reason_for_nodes = Reason.SEARCHING, Reason.NODES
        self.stopped_at: float | None = None

    @property
    def is_short(self) -> bool:
        """Is it over before anybody can want to stop it?"""
        if self.limits.infinite or self.limits.ponder or self.budget.hard is None:
            return False
        return self.budget.hard <= SHORT_SECONDS

    def finish(self, tree: Tree) -> tuple[str | None, str | None]:
        """Search until it is over; -> the best move and the reply to it."""
        self.tree, self.task = tree, Task(tree, root_of(self.position), self.knowledge.network, self.settings)
        seed = self.options.number("Seed") or time.time_ns() & 0x7FFF_FFFF
        self.rng = random.Random(seed)
        self._limit_by_level()
        self._choose_root_moves()
        crew = self.crew = self._new_crew(seed)
        if self.root_moves.codes:
            self._prepare_root(crew)
            self.history.start(time.perf_counter())
            crew.work(partial(self._look, crew))
        self._note_the_end()
        self._wait_until_allowed()
        return self._best_move(crew) if self.root_moves.codes else (None, None)

    def _new_crew(self, seed: int) -> Crew:
        threads = range(self.options.number("Threads"))
        workers = [self.task.new_worker(seed + 1_000_003 * number) for number in threads]
        batch_seconds = min(BATCH_SECONDS, (self.budget.hard or 1.0) / 4)
        return Crew(self.task, workers, self.signals, self.nodes_allowed, batch_seconds)

    def _limit_by_level(self) -> None:
        """See no more than a player of this level. What was seen before would make him stronger: it is forgotten."""
        if self.level is None:
            return
        clear(self.tree)
        if self.limits.nodes is None or self.level.visits < self.limits.nodes:
            self.nodes_allowed, self.reason_for_nodes = self.level.visits, Reason.STRENGTH

    # The root

    def _choose_root_moves(self) -> None:
        """See which moves may be played; where there is nothing to think about, think little."""
        limits = self.limits
        in_game = not (limits.infinite or limits.ponder or self.options.flag("UCI_AnalyseMode"))
        self.root_moves = self.knowledge.root_moves(self.position, self.wished, self.options, in_game)
        if self.root_moves.source:
            self.listener.on_message(f"{len(self.root_moves.codes)} moves by {self.root_moves.source}")
        if self.root_moves.source == "book" or (limits.has_clock and len(self.root_moves.codes) == 1):
            self.reason_for_nodes = Reason.BOOK if self.root_moves.source == "book" else Reason.ONLY_MOVE
            self.nodes_allowed = min(NODES_AT_ONCE, limits.nodes or NODES_AT_ONCE)

    def _prepare_root(self, crew: Crew) -> None:
        """Let the root have just the moves that may be played, and what follows from what is known of them."""
        self._limit_root_moves(crew, crew.workers[0])
        prove_root(self.tree)

    def _limit_root_moves(self, crew: Crew, worker: Worker) -> None:
        wanted, present = set(self.root_moves.codes), self._present_root_moves()
        if wanted == present or (not present and len(wanted) == len(self.position.move_codes)):
            return
        if not wanted <= present:
            clear(self.tree)
            self.task.simulate(worker, crew.take(2))
        if self._present_root_moves() > wanted:
            restrict_root(self.tree, wanted)

    def _present_root_moves(self) -> set[int]:
        return {int(self.tree.move[slot]) for slot in edges_of(self.tree, int(ROOT))}

    # When to stop

    def _reason_to_stop(self, now: float) -> Reason:
        """Why to stop, or SEARCHING."""
        if self.pondering and self.signals.ponder_hit_at is not None:
            self.pondering, self.clock_started = False, self.signals.ponder_hit_at
        if self.limits.depth is not None and self.mean_depth() >= self.limits.depth:
            return Reason.DEPTH
        if self.pondering or self.limits.infinite or self.budget.hard is None:
            return Reason.SEARCHING
        return Reason.TIME if now - self.clock_started >= self.budget.hard else Reason.SEARCHING

    def _reason_to_stop_thinking(self, now: float, moves: list[MoveStats]) -> Reason:
        """In a game with a clock: is more thinking of no use?"""
        if self.pondering or self.limits.infinite or not self.limits.has_clock:
            return Reason.SEARCHING
        elapsed, speed = now - self.clock_started, self.nodes / max(now - self.started, 1e-3)
        hopeful = [move for move in moves if move.result != LOSS]
        if not has_thought_enough(hopeful, self.budget, elapsed, speed):
            return Reason.SEARCHING
        return Reason.TIME if elapsed >= (self.budget.soft or 0.0) else Reason.SETTLED

    def _end(self, crew: Crew, reason: Reason) -> None:
        """Stop, if there is a reason."""
        if reason != Reason.SEARCHING:
            self.reason, crew.is_over = reason, True

    def _note_the_end(self) -> None:
        """Remember why the simulations ended, and how the root stood then."""
        now = self.stopped_at = time.perf_counter()
        self.history.add(self.tree, now)
        if not self.root_moves.codes:
            self.reason = Reason.NO_MOVE
        elif self.tree.proven[int(ROOT)]:
            self.reason = Reason.PROVEN
        elif self.reason_for_nodes in (Reason.BOOK, Reason.ONLY_MOVE):  # there was nothing to think about
            self.reason = self.reason_for_nodes
        elif self.reason == Reason.SEARCHING:
            self.reason = Reason.STOP if self.signals.is_stopped else self.reason_for_nodes

    def _wait_until_allowed(self) -> None:
        """Under `infinite` and `ponder` the best move may not be told before the GUI says so."""
        while not self.signals.is_stopped and (
            self.limits.infinite or (self.pondering and self.signals.ponder_hit_at is None)
        ):
            self.signals.wait()

    # What is told

    @property
    def nodes(self) -> int:
        """Visits made by this search."""
        return self.crew.nodes if self.crew else 0

    @property
    def deepest(self) -> int:
        """The largest depth of a leaf."""
        return self.crew.deepest if self.crew else 0

    @property
    def seconds(self) -> float:
        """Since the start; of a search that has ended, what it took."""
        return (time.perf_counter() if self.stopped_at is None else self.stopped_at) - self.started

    def mean_depth(self) -> int:
        """The rounded mean depth of leaves, never falling."""
        self.depth = max(self.depth, round(self.crew.mean_depth) if self.crew else 0, 1)
        return self.depth

    def _look(self, crew: Crew) -> None:
        """Look at the clock; now and then at the tree too: keep the main line, report, see whether it is clear."""
        now = time.perf_counter()
        self.history.note(self.tree, now)
        self._end(crew, self._reason_to_stop(now))
        if crew.is_over or now - self.looked_at < self.seconds_between_looks:
            return
        self.looked_at, moves = now, moves_below(self.tree, int(ROOT))
        if not moves or moves[0].visits == 0:
            return
        best = best_of(moves)
        self._keep_line(best)
        self._end(crew, self._reason_to_stop_thinking(now, moves))
        since_report = now - self.started - self.reported_at
        has_changed = best.code != self.reported_move and since_report >= LEAST_SECONDS_BETWEEN_INFOS
        if not crew.is_over and (has_changed or since_report >= SECONDS_BETWEEN_INFOS):
            self._report(moves, best)

    def _keep_line(self, best: MoveStats) -> None:
        """Let nothing of the main line be recycled."""
        keep(self.tree, [best.slot, *(slot for slot, _ in best_edges(self.tree, best.slot))])

    def _report(self, moves: list[MoveStats], best: MoveStats) -> list[str]:
        """Tell how the search stands; -> the main line."""
        shown = [best, *(move for move in moves if move is not best)][: self.options.number("MultiPV")]
        lines = [(move, main_line(self.tree, self.places, move.slot, move.code)) for move in shown]
        self.reported_at, self.reported_move = time.perf_counter() - self.started, best.code
        verdict = self.root_moves.verdict
        self.listener.on_info(
            Info(
                depth=self.mean_depth(),
                deepest=max(1, self.deepest),
                seconds=self.reported_at,
                nodes=self.nodes,
                hashfull=1000 * int(self.tree.control[int(IN_USE)]) // self.tree.visits.size,
                tbhits=verdict.probes if verdict else 0,
                known_score=verdict.score if verdict else None,
                lines=lines,
            )
        )
        return lines[0][1]

    def _best_move(self, crew: Crew) -> tuple[str, str | None]:
        if not self._present_root_moves():  # however short the time was
            crew.nodes_left = None
            spare = self.task.new_worker(1)
            self.task.simulate(spare, 2)
            self._limit_root_moves(crew, spare)
            self.history.add(self.tree, time.perf_counter())
        moves = moves_below(self.tree, int(ROOT))
        best = self._choose(moves)
        self.chosen = best.code
        self._keep_line(best)
        line = self._report(moves, best)
        return line[0], line[1] if len(line) > 1 else None

    def _choose(self, moves: list[MoveStats]) -> MoveStats:
        """The move to play: the best one, or by chance if the user wants it so."""
        if self.level is not None:
            return draw_by_level(moves, self.level, self.rng)
        temperature = 0 if self.options.flag("UCI_AnalyseMode") else self.options.number("Temperature") / 1000
        return draw_move(moves, temperature, self.rng)
