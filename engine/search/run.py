"""One search: the crew that simulates, a thread that watches the clock, and the move at the end."""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from engine.config.search_params import search_params, weakened
from engine.config.strength import level_of
from engine.mcts.params import DEEPEST, Worker, root_of
from engine.mcts.proof import prove_root
from engine.mcts.tree import IN_USE, ROOT, Tree, ask_to_stop, clear, edges_of, keep, restrict_root
from engine.report.effort import plural
from engine.report.info import Info
from engine.report.move_stats import LOSS, WIN, MoveStats, moves_below
from engine.report.pv import best_edges, main_line
from engine.report.stop_reason import Reason
from engine.search.choose import best_of, draw_by_level, draw_move
from engine.search.clock import Budget, Limits, has_thought_enough
from engine.search.resources import RootMoves
from engine.search.workers import Crew, Lookout, Task

if TYPE_CHECKING:
    from engine.search.searcher import Searcher

CHUNK_SECONDS = 0.002  # of simulations between two looks of a worker
WATCH_SECONDS = 0.02  # between two looks at the clock: how late they come shows how busy the processors are
TIMER_SECONDS = time.get_clock_info("monotonic").resolution  # by which a sleep may be late on an idle machine too
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
        self.started = started
        self.nodes_allowed = limits.nodes
        analyses = limits.infinite or self.options.analyse_mode
        is_weak = self.options.limit_strength and not analyses
        self.level = level_of(self.options.elo) if is_weak else None
        self.params = search_params(self.options)
        if is_weak:
            self.params = weakened(self.params)
        if limits.mate is not None:  # proofs of longer mates would end the search
            self.params = self.params._replace(deepest=min(DEEPEST, 2 * limits.mate - 1))
        self.depth = 0
        self.looked_at, self.reported_at, self.reported_move = started, -SECONDS_BETWEEN_INFOS, -1
        self.seconds_between_looks = max(LEAST_LOOK_SECONDS, min(LOOK_SECONDS, (budget.soft or 1.0) / 4))
        self.crew: Crew | None = None
        self.root_moves = RootMoves(())
        self.chosen: int | None = None  # the move to play, once it is told
        self.reason, self.reason_for_nodes = Reason.SEARCHING, Reason.NODES
        self.stopped_at: float | None = None
        self.working_since = started
        self.longest_delay = 0.0  # seconds that the clock was looked at too late, or a worker was kept from its work

    @property
    def is_short(self) -> bool:
        """Is it over before anybody can want to stop it?"""
        if self.limits.infinite or self.limits.ponder or self.budget.hard is None:
            return False
        return self.budget.hard <= SHORT_SECONDS

    @property
    def pondering(self) -> bool:
        """Is the opponent still to move?"""
        return self.limits.ponder and self.signals.ponder_hit_at is None

    @property
    def clock_started(self) -> float:
        """The moment from which the clock counts: of a ponder hit, if there was one."""
        hit = self.signals.ponder_hit_at if self.limits.ponder else None
        return self.started if hit is None else hit

    @property
    def seconds_on_clock(self) -> float | None:
        """Since the clock counts; None if it never did."""
        return None if self.pondering else time.perf_counter() - self.clock_started

    def finish(self, tree: Tree) -> tuple[str | None, str | None]:
        """Search until it is over; -> the best move and the reply to it."""
        self.tree, self.task = tree, Task(tree, root_of(self.position), self.knowledge.network, self.params)
        ask_to_stop(tree, shall_stop=False)  # a tree from a file may say anything
        seed = self.options.seed or time.time_ns() & 0x7FFF_FFFF
        self.rng = random.Random(seed)
        self._limit_by_level()
        self._choose_root_moves()
        self._forget_long_mates()
        crew = self.crew = self._new_crew(seed)
        if self.root_moves.codes:
            self._prepare_root(crew)
            self.working_since = time.perf_counter()
            self.history.start(self.working_since)
            lookout = Lookout(partial(self._look, crew), self._keep_best_line)
            crew.work(lookout, None if self.is_short else partial(self._watch, crew))
        self._note_the_end()
        self.wait_until_allowed()
        return self._best_move() if self.root_moves.codes else (None, None)

    def _new_crew(self, seed: int) -> Crew:
        threads = range(1 if self.is_short else self.options.threads)
        workers = [self.task.new_worker(seed + 1_000_003 * number) for number in threads]
        chunk_seconds = min(CHUNK_SECONDS, (self.budget.hard or 1.0) / 4)
        return Crew(self.task, workers, self.signals, self.nodes_allowed, chunk_seconds)

    def _limit_by_level(self) -> None:
        """See no more than a player of this level. What was seen before would make him stronger: it is forgotten."""
        if self.level is None:
            return
        clear(self.tree)
        if self.limits.nodes is None or self.level.visits < self.limits.nodes:
            self.nodes_allowed, self.reason_for_nodes = self.level.visits, Reason.STRENGTH

    def _forget_long_mates(self) -> None:
        """`go mate` asks for a short mate: what was proven before may be longer than that."""
        if self.limits.mate is None:
            return
        known = [move for move in moves_below(self.tree, int(ROOT)) if move.code in self.root_moves.codes]
        if not any(move.result == WIN and move.distance < 2 * self.limits.mate for move in known):
            clear(self.tree)

    # The root

    def _choose_root_moves(self) -> None:
        """See which moves may be played; where there is nothing to think about, think little."""
        limits = self.limits
        in_game = not (limits.infinite or limits.ponder or self.options.analyse_mode)
        self.root_moves = self.knowledge.root_moves(self.position, self.wished, self.options, in_game)
        for note in self.root_moves.notes:
            self.listener.on_message(note)
        if self.root_moves.source:
            moves = plural(len(self.root_moves.codes), "move")
            self.listener.on_message(f"{moves} by {self.root_moves.source}")
        if self.root_moves.source == "book" or (limits.has_clock and len(self.root_moves.codes) == 1):
            self.reason_for_nodes = Reason.BOOK if self.root_moves.source == "book" else Reason.ONLY_MOVE
            self.nodes_allowed = min(NODES_AT_ONCE, limits.nodes or NODES_AT_ONCE)

    def _prepare_root(self, crew: Crew) -> None:
        """Let the root have just the moves that may be played, and what follows from what is known of them."""
        self._limit_root_moves(crew.workers[0], crew.take)
        prove_root(self.tree)

    def _limit_root_moves(self, worker: Worker, take: Callable[[int], int]) -> None:
        """Expand the root if it has not all moves wanted, with as many of two visits as can be taken."""
        wanted = set(self.root_moves.codes)
        if not wanted <= self._present_root_moves():
            if self.tree.visits[int(ROOT)] or self._present_root_moves():
                clear(self.tree)
            self.task.expand_root(worker, take(2))
        if self._present_root_moves() > wanted:
            restrict_root(self.tree, wanted)

    def _present_root_moves(self) -> set[int]:
        return {int(self.tree.move[slot]) for slot in edges_of(self.tree, int(ROOT))}

    # When to stop

    def _reason_to_stop(self, now: float) -> Reason:
        """Why to stop, or SEARCHING."""
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
        """Stop, if there is a reason and it is the first."""
        if reason != Reason.SEARCHING and not crew.is_over:
            self.reason = reason
            crew.end()

    def _note_the_end(self) -> None:
        """Remember why the simulations ended, and how the root stood then."""
        now = self.stopped_at = time.perf_counter()
        self._note_delays(now)
        self.history.add(self.tree, now)
        if not self.root_moves.codes:
            self.reason = Reason.NO_MOVE
        elif self.tree.proven[int(ROOT)]:
            self.reason = Reason.PROVEN
        elif self.reason_for_nodes in (Reason.BOOK, Reason.ONLY_MOVE):  # there was nothing to think about
            self.reason = self.reason_for_nodes
        elif self.reason == Reason.SEARCHING:
            self.reason = Reason.STOP if self.signals.is_stopped else self.reason_for_nodes

    def _note_delays(self, now: float) -> None:
        """How late was it?"""
        waits = [self.longest_delay, self.crew.longest_wait if self.crew else 0.0]
        if self.budget.hard is not None and not self.pondering and not self.limits.infinite:
            waits.append(now - max(self.working_since, self.clock_started + self.budget.hard))
        self.longest_delay = max(waits)

    def wait_until_allowed(self) -> None:
        """Under `infinite` and `ponder` the best move may not be given before the GUI says so."""
        while not self.signals.is_stopped and (self.limits.infinite or self.pondering):
            self.signals.wait()

    def _watch(self, crew: Crew) -> None:
        """Look at the clock and at nothing else until all workers have ended, however slow they are."""
        while crew.is_working:
            now = time.perf_counter()
            self._end(crew, Reason.STOP if self.signals.is_stopped else self._reason_to_stop(now))
            seconds = self._seconds_to_watch(crew, now)
            if not self.signals.wait(seconds) and seconds is not None:
                self.longest_delay = max(self.longest_delay, time.perf_counter() - now - seconds - TIMER_SECONDS)

    def _seconds_to_watch(self, crew: Crew, now: float) -> float | None:
        """Until the clock must be looked at again; None: there is none, or the end is only waited for."""
        if crew.is_over or self.pondering or self.limits.infinite or self.budget.hard is None:
            return None
        return min(WATCH_SECONDS, max(0.0, self.clock_started + self.budget.hard - now))

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
        """Look at the clock; now and then at the tree too: report, see whether it is clear."""
        now = time.perf_counter()
        self.history.note(self.tree, now)
        self._end(crew, self._reason_to_stop(now))
        if crew.is_over or now - self.looked_at < self.seconds_between_looks:
            return
        self.looked_at, moves = now, moves_below(self.tree, int(ROOT))
        if not moves or moves[0].visits == 0:
            return
        best = best_of(moves)
        self._end(crew, self._reason_to_stop_thinking(now, moves))
        since_report = now - self.started - self.reported_at
        has_changed = best.code != self.reported_move and since_report >= LEAST_SECONDS_BETWEEN_INFOS
        if not crew.is_over and (has_changed or since_report >= SECONDS_BETWEEN_INFOS):
            self._report(moves, best)

    def _keep_best_line(self) -> None:
        """Let nothing of the main line be recycled, as it is now."""
        moves = moves_below(self.tree, int(ROOT))
        if moves:
            self._keep_line(best_of(moves))

    def _keep_line(self, best: MoveStats) -> None:
        """Let nothing of the main line be recycled."""
        keep(self.tree, [best.slot, *(slot for slot, _ in best_edges(self.tree, best.slot))])

    def _report(self, moves: list[MoveStats], best: MoveStats) -> list[str]:
        """Tell how the search stands; -> the main line."""
        shown = [best, *(move for move in moves if move is not best)][: self.options.multi_pv]
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

    def _best_move(self) -> tuple[str, str | None]:
        if not self._present_root_moves():  # however short the time was
            self._limit_root_moves(self.task.new_worker(1), lambda wanted: wanted)
            self.history.add(self.tree, time.perf_counter())
        moves = moves_below(self.tree, int(ROOT))
        best = self._choose(moves)
        self.chosen = best.code
        self._keep_line(best)
        line = self._report(moves, best)
        return line[0], line[1] if len(line) > 1 else None

    def move_after_failure(self) -> str | None:
        """The best of the allowed moves by what is known of them, else any of them; None if there is none."""
        codes = self.root_moves.codes or self.wished or self.position.move_codes
        moves = moves_below(self.tree, int(ROOT)) if self.crew else []
        known = [move for move in moves if move.code in codes and (move.visits or move.result)]
        if not known:
            return self.position.uci(codes[0]) if codes else None
        return self.position.uci(best_of(known).code)

    def _choose(self, moves: list[MoveStats]) -> MoveStats:
        """The move to play: the best one, or by chance if the user wants it so."""
        if self.level is not None:
            return draw_by_level(moves, self.level, self.rng)
        temperature = 0 if self.options.analyse_mode else self.options.temperature / 1000
        return draw_move(moves, temperature, self.rng)
