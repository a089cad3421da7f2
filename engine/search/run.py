"""One search, from its limits to its best move: workers simulate, and a thread watches the clock."""

import random
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.config.options import Options
from engine.config.search_params import search_params, weakened
from engine.config.strength import level_of
from engine.mcts.fixed_visits import TO_EXPAND, SearchTask, expand_root
from engine.mcts.params import DEEPEST, SearchParams, Worker, new_worker
from engine.mcts.proof import prove_root
from engine.mcts.reroot import restrict_root
from engine.mcts.tree import EVALUATION, ROOT, Tree, ask_to_stop, clear, edges_of, keep
from engine.report.effort import StopReason, plural
from engine.report.lines import PositionCache, best_edges
from engine.report.move_stats import WIN, MoveStats, best_of, moves_below
from engine.report.progress import History, SearchProgress
from engine.search.choose import sample_by_level, sample_by_visits
from engine.search.clock import Course, Limits, StopRules
from engine.search.reporter import Listener, Reporter
from engine.search.resources import Resources, RootMoves
from engine.search.workers import Lookout, WorkerPool
from movegen import Position

WORKER_CHUNK_SECONDS = 0.002  # of simulations between two looks of a worker
WATCH_SECONDS = 0.02  # between two looks at the clock: how late they come shows how busy the processors are
TIMER_SECONDS = time.get_clock_info("monotonic").resolution  # by which a sleep may be late on an idle machine too
LOOK_SECONDS, LEAST_LOOK_SECONDS = 0.05, 0.005  # between two looks at the tree
NODES_AT_ONCE = 256  # where there is nothing to think about: enough for a score and a reply
SEED_STEP = 1_000_003  # between the seeds of two workers


@dataclass(frozen=True)
class SearchContext:
    """What a search works with."""

    options: Options
    resources: Resources
    listener: Listener
    positions: PositionCache
    history: History

    @property
    def position(self) -> Position:
        """The root."""
        return self.positions.root.position


class Run:
    """One search."""

    def __init__(self, context: SearchContext, rules: StopRules, search_moves: tuple[int, ...]) -> None:
        """`search_moves`: the moves to choose from, all if empty."""
        self.context, self.rules, self.search_moves = context, rules, search_moves
        options, limits = context.options, rules.limits
        is_weak = options.limit_strength and not (limits.infinite or options.analyse_mode)
        self.level = level_of(options.elo) if is_weak else None
        self.params = _params_of(context, limits, is_weak)
        self.root_moves = RootMoves(())
        self.pool: WorkerPool | None = None  # once the root is known
        self.chosen: int | None = None  # the move to play, once it is given
        self.reason = StopReason.SEARCHING
        self.longest_delay = 0.0  # seconds that the clock was looked at too late, or a worker was kept from its work
        self._nodes_allowed, self._reason_for_nodes = limits.nodes, StopReason.NODES
        if self.level is not None and (limits.nodes is None or self.level.visits < limits.nodes):
            self._nodes_allowed, self._reason_for_nodes = self.level.visits, StopReason.STRENGTH
        self._seed = options.seed or time.time_ns() & 0x7FFF_FFFF
        self._rng = random.Random(self._seed)
        self._reporter = Reporter(context.listener, options, context.positions, rules.started)
        self._course = Course()
        self._depth = 0  # the largest mean depth of leaves that was seen
        self._looked_at = self._working_since = rules.started
        self._stopped_at: float | None = None
        self._seconds_between_looks = max(LEAST_LOOK_SECONDS, min(LOOK_SECONDS, (rules.budget.soft or 1.0) / 4))

    def finish(self, tree: Tree) -> tuple[str | None, str | None]:
        """Search until it is over; -> the best move and the reply to it."""
        task = self.context.resources.task(tree, self.context.position, self.params)
        ask_to_stop(tree, shall_stop=False)  # a tree from a file may say anything
        self._forget_other_evaluations(tree)
        self._choose_root_moves()
        if self.rules.limits.mate is not None:
            forget_long_mates(tree, self.rules.limits.mate, self.root_moves.codes)
        pool = self.pool = self._new_pool(task)
        if self.root_moves.codes:
            self._simulate(pool)
        self._note_the_end(pool)
        self.rules.wait_until_allowed()
        return self._best_move(task) if self.root_moves.codes else (None, None)

    def move_after_failure(self) -> str | None:
        """The best of the allowed moves by what is known of them, else any of them; None if there is none."""
        position = self.context.position
        codes = self.root_moves.codes or self.search_moves or position.move_codes
        moves = moves_below(self.pool.task.tree, int(ROOT)) if self.pool else []
        known = [move for move in moves if move.code in codes and move.is_known]
        if not known:
            return position.uci(codes[0]) if codes else None
        return position.uci(best_of(known).code)

    def progress(self, tree: Tree) -> SearchProgress:
        """How far the search is now. From any thread; it changes nothing."""
        visits = int(tree.visits[int(ROOT)])  # before the nodes: they are not fewer then
        pool, verdict = self.pool, self.root_moves.verdict
        nodes = pool.nodes if pool else 0
        end = time.perf_counter() if self._stopped_at is None else self._stopped_at
        return SearchProgress(
            visits=visits,
            nodes=nodes,
            seconds=end - self.rules.started,
            depth=self._mean_depth(pool) if pool and nodes else 0,
            deepest=pool.deepest if pool else 0,
            state=self.reason,
            moves_by=self.root_moves.source,
            known_score=verdict.score if verdict else None,
            tablebase_hits=verdict.probes if verdict else 0,
            chosen=self.chosen,
        )

    # Before the simulations

    def _forget_other_evaluations(self, tree: Tree) -> None:
        """Keep the tree only if its values and priors are those of this search: a weak player has others.

        And what was seen before would make a weak player stronger.
        """
        known = (0, self.context.resources.evaluation_of(self.params))  # 0: of an empty tree, or one from a file
        if self.level is not None or tree.control[int(EVALUATION)] not in known:
            clear(tree)
            self.context.history.clear()

    def _limit_root(self, task: SearchTask, worker: Worker, take: Callable[[int], int]) -> None:
        """Let the root have the moves that may be played; note how the tree is evaluated, which `clear` forgets."""
        limit_root(task, worker, self.root_moves.codes, take)
        task.tree.control[int(EVALUATION)] = self.context.resources.evaluation_of(self.params)

    def _choose_root_moves(self) -> None:
        """See which moves may be played; where there is nothing to think about, think little."""
        limits, context = self.rules.limits, self.context
        in_game = not (limits.infinite or limits.ponder or context.options.analyse_mode)
        root = self.root_moves = context.resources.root_moves(
            context.position, self.search_moves, context.options, in_game
        )
        for note in root.notes:
            context.listener.on_message(note)
        if root.source:
            context.listener.on_message(f"{plural(len(root.codes), 'move')} by {root.source}")
        if root.source == "book" or (limits.has_clock and len(root.codes) == 1):
            self._reason_for_nodes = StopReason.BOOK if root.source == "book" else StopReason.ONLY_MOVE
            self._nodes_allowed = min(NODES_AT_ONCE, limits.nodes or NODES_AT_ONCE)

    def _new_pool(self, task: SearchTask) -> WorkerPool:
        threads = range(1 if self.rules.is_short else max(self.context.options.threads, task.workers))
        workers = [new_worker(self._seed + SEED_STEP * number, task.network) for number in threads]
        chunk_seconds = min(WORKER_CHUNK_SECONDS, (self.rules.budget.hard or 1.0) / 4)
        return WorkerPool(task, workers, self.rules.control, self._nodes_allowed, chunk_seconds)

    # While the workers simulate

    def _simulate(self, pool: WorkerPool) -> None:
        """Let the workers simulate until it is time to stop. A short search needs no other thread than this."""
        tree = pool.task.tree
        self._limit_root(pool.task, pool.workers[0], pool.take)
        prove_root(tree)
        self._working_since = time.perf_counter()
        self.context.history.start(self._working_since)
        lookout = Lookout(lambda: self._look(pool), lambda: _keep_best_line(tree))
        pool.work(lookout, None if self.rules.is_short else lambda: self._watch(pool))

    def _look(self, pool: WorkerPool) -> None:
        """Look at the clock; now and then at the tree too: send a report, see whether the choice is clear."""
        now, tree = time.perf_counter(), pool.task.tree
        self.context.history.note(tree, now)
        self._depth = self._mean_depth(pool)
        self._end(pool, self.rules.reason_to_stop(now, self._depth))
        if pool.is_over or now - self._looked_at < self._seconds_between_looks:
            return
        self._looked_at, moves = now, moves_below(tree, int(ROOT))
        if not moves or moves[0].visits == 0:
            return
        best = best_of(moves)
        if not self.rules.is_pondering:
            self._course.note(best.code, best.score)
        self._end(pool, self.rules.reason_to_move(now, moves, pool.nodes, self._course.stretch(moves)))
        if not pool.is_over and self._reporter.is_due(best, now):
            self._reporter.send(tree, moves, best, self.progress(tree))

    def _watch(self, pool: WorkerPool) -> None:
        """Look at the clock and at nothing else until all workers have ended, however slow they are."""
        control = self.rules.control
        while pool.is_working:
            now, depth = time.perf_counter(), self._mean_depth(pool)
            self._end(pool, StopReason.STOP if control.is_stopped else self.rules.reason_to_stop(now, depth))
            deadline = None if pool.is_over else self.rules.deadline
            seconds = None if deadline is None else min(WATCH_SECONDS, max(0.0, deadline - now))
            if not control.wait(seconds) and seconds is not None:
                self.longest_delay = max(self.longest_delay, time.perf_counter() - now - seconds - TIMER_SECONDS)

    def _end(self, pool: WorkerPool, reason: StopReason) -> None:
        """Stop, if there is a reason and it is the first."""
        if reason != StopReason.SEARCHING and not pool.is_over:
            self.reason = reason
            pool.end()

    def _mean_depth(self, pool: WorkerPool) -> int:
        """The rounded mean depth of leaves, at least 1; it never falls."""
        return max(self._depth, round(pool.mean_depth), 1)

    # After the simulations

    def _note_the_end(self, pool: WorkerPool) -> None:
        """Note why the simulations ended, the state of the root, and how late it was."""
        now = self._stopped_at = time.perf_counter()
        tree, deadline = pool.task.tree, self.rules.deadline
        late = 0.0 if deadline is None else now - max(self._working_since, deadline)
        self.longest_delay = max(self.longest_delay, pool.longest_wait, late)
        self.context.history.add(tree, now)
        if not self.root_moves.codes:
            self.reason = StopReason.NO_MOVE
        elif tree.proven[int(ROOT)]:
            self.reason = StopReason.PROVEN
        elif self._reason_for_nodes in (StopReason.BOOK, StopReason.ONLY_MOVE):  # there was nothing to think about
            self.reason = self._reason_for_nodes
        elif self.reason == StopReason.SEARCHING:
            self.reason = StopReason.STOP if self.rules.control.is_stopped else self._reason_for_nodes

    def _best_move(self, task: SearchTask) -> tuple[str, str | None]:
        """Choose the move to play, and report it; -> the move and the reply to it."""
        tree = task.tree
        if not present_moves(tree):  # however short the time was
            self._limit_root(task, new_worker(1, task.network), take=lambda wanted: wanted)
            self.context.history.add(tree, time.perf_counter())
        moves = moves_below(tree, int(ROOT))
        best = self._choose(moves)
        self.chosen = best.code
        _keep_line(tree, best)
        line = self._reporter.send(tree, moves, best, self.progress(tree))
        return line[0], line[1] if len(line) > 1 else None

    def _choose(self, moves: list[MoveStats]) -> MoveStats:
        """The best move, or a random one if the options say so."""
        if self.level is not None:
            return sample_by_level(moves, self.level, self._rng)
        options = self.context.options
        if options.analyse_mode or options.temperature == 0:
            return best_of(moves)
        return sample_by_visits(moves, options.temperature / 1000, self._rng, options.root_temperature / 1000)


def _params_of(context: SearchContext, limits: Limits, is_weak: bool) -> SearchParams:
    params = context.resources.adapted(search_params(context.options), context.options)
    if is_weak:
        params = weakened(params)
    if limits.mate is not None:  # proofs of longer mates would end the search
        params = params._replace(deepest=min(DEEPEST, 2 * limits.mate - 1))
    return params


def _keep_best_line(tree: Tree) -> None:
    """Let nothing of the main line be recycled, as it is now."""
    moves = moves_below(tree, int(ROOT))
    if moves:
        _keep_line(tree, best_of(moves))


def _keep_line(tree: Tree, best: MoveStats) -> None:
    """Let nothing of a move's main line be recycled."""
    keep(tree, [best.slot, *(slot for slot, _ in best_edges(tree, best.slot))])


# The moves of the root: a search may be restricted to some of them


def present_moves(tree: Tree) -> set[int]:
    """The moves that the root has now."""
    return {int(tree.move[slot]) for slot in edges_of(tree, int(ROOT))}


def limit_root(task: SearchTask, worker: Worker, codes: Collection[int], take: Callable[[int], int]) -> None:
    """Let the root have just these moves, with their statistics.

    If it lacks some, it is made again, by as many of its first two visits as `take` allows.
    """
    tree, wanted = task.tree, set(codes)
    present = present_moves(tree)
    if not wanted <= present:
        if tree.visits[int(ROOT)] or present:
            clear(tree)
        expand_root(task, worker, take(TO_EXPAND))
    if present_moves(tree) > wanted:
        restrict_root(tree, wanted)


def forget_long_mates(tree: Tree, longest: int, codes: Collection[int]) -> None:
    """Clear the tree unless it has proven a mate of at most `longest` moves: a longer one would end the search."""
    known = [move for move in moves_below(tree, int(ROOT)) if move.code in codes]
    if not any(move.result == WIN and move.distance < 2 * longest for move in known):
        clear(tree)
