"""One search step by step: a pool, a clock and reports that are made up."""

import itertools
import time
from types import SimpleNamespace

import pytest

from engine.config.options import Options
from engine.config.search_params import search_params, weakened
from engine.config.strength import level_of
from engine.mcts.tree import ROOT, new_tree
from engine.report.effort import StopReason
from engine.report.lines import PositionCache
from engine.report.progress import History
from engine.search import run as run_module
from engine.search.clock import Budget, Limits, SearchControl, StopRules
from engine.search.reporter import SilentListener
from engine.search.resources import RootMoves
from engine.search.run import Run, SearchContext
from movegen import Position
from tests.engine.report.moves import move

STARTED = 100.0


class Listener(SilentListener):
    def __init__(self):
        self.messages, self.best = [], []

    def on_message(self, text):
        self.messages.append(text)

    def on_best_move(self, best, reply):
        self.best.append((best, reply))


class Resources:
    """Gives the root moves that the test wants."""

    network = None

    def __init__(self, root=None):
        self.root, self.asked = root, []

    @staticmethod
    def adapted(params, _options):
        return params

    def root_moves(self, position, search_moves, _options, in_game):
        self.asked.append((search_moves, in_game))
        return self.root or RootMoves(search_moves or position.move_codes)


def options_of(**values):
    options = Options()
    for name, value in values.items():
        setattr(options, name, value)
    return options


def run_of(limits=None, budget=None, options=None, root=None, position=None, search_moves=()):
    limits = limits or Limits(time_left=60_000)
    position = position or Position()
    context = SearchContext(options or Options(), Resources(root), Listener(), PositionCache(position), History())
    return Run(context, StopRules(limits, budget or Budget(1.0, 3.0), SearchControl(), STARTED), search_moves)


class Pool:
    """A pool that has done what the test says."""

    def __init__(self, *, nodes=100, mean_depth=4.4, deepest=9, longest_wait=0.0, tree=None):
        self.nodes, self.mean_depth, self.deepest, self.longest_wait = nodes, mean_depth, deepest, longest_wait
        self.is_over, self.is_working, self.ends, self.stretches = False, True, 0, []
        self.task = SimpleNamespace(tree=tree or new_tree(1))

    def end(self):
        self.is_over = True
        self.ends += 1


# Before the simulations


@pytest.mark.parametrize(
    ("options", "limits", "is_weak"),
    [
        ({}, Limits(nodes=9), False),
        ({"limit_strength": True}, Limits(nodes=9), True),
        ({"limit_strength": True}, Limits(time_left=9), True),
        ({"limit_strength": True}, Limits(nodes=9, ponder=True), True),
        ({"limit_strength": True}, Limits(infinite=True), False),
        ({"limit_strength": True, "analyse_mode": True}, Limits(nodes=9), False),
    ],
)
def test_when_it_plays_weakly(options, limits, is_weak):
    settings = options_of(elo=1340, **options)
    run = run_of(limits, options=settings)
    assert run.level == (level_of(1340) if is_weak else None)
    params = search_params(settings)
    assert run.params == (weakened(params) if is_weak else params)


@pytest.mark.parametrize(
    ("limit_strength", "nodes", "allowed", "reason"),
    [
        (False, None, None, StopReason.NODES),
        (False, 500, 500, StopReason.NODES),
        (True, None, 64, StopReason.STRENGTH),
        (True, 63, 63, StopReason.NODES),
        (True, 64, 64, StopReason.NODES),
        (True, 65, 64, StopReason.STRENGTH),
    ],
)
def test_the_nodes_allowed_and_the_reason(limit_strength, nodes, allowed, reason):
    limits = Limits(nodes=nodes, time_left=60_000)
    run = run_of(limits, options=options_of(limit_strength=limit_strength, elo=1340))
    assert (run._nodes_allowed, run._reason_for_nodes) == (allowed, reason)


@pytest.mark.parametrize(
    ("mate", "deepest"), [(None, 512), (1, 1), (2, 3), (3, 5), (256, 511), (257, 512), (9999, 512)]
)
def test_no_deeper_than_the_mate_that_is_looked_for(mate, deepest):
    assert run_of(Limits(mate=mate)).params.deepest == deepest


@pytest.mark.parametrize(
    ("soft", "expected"), [(None, 0.05), (10.0, 0.05), (0.2, 0.05), (0.1, 0.025), (0.02, 0.005), (0.001, 0.005)]
)
def test_seconds_between_looks_at_the_tree(soft, expected):
    assert run_of(budget=Budget(soft, soft))._seconds_between_looks == pytest.approx(expected)


ONE = (Position().code("e2e4"),)
TWO = (*ONE, Position().code("d2d4"))


@pytest.mark.parametrize(
    ("limits", "root", "nodes", "reason", "messages"),
    [
        (Limits(nodes=900), RootMoves(TWO), 900, StopReason.NODES, []),
        (Limits(nodes=900), RootMoves(ONE), 900, StopReason.NODES, []),  # no clock: as asked
        (Limits(time_left=9000), RootMoves(ONE), 256, StopReason.ONLY_MOVE, []),
        (Limits(time_left=9000), RootMoves(TWO), None, StopReason.NODES, []),
        (Limits(time_left=9000, nodes=10), RootMoves(ONE), 10, StopReason.ONLY_MOVE, []),
        (Limits(time_left=9000, nodes=900), RootMoves(ONE), 256, StopReason.ONLY_MOVE, []),
        (Limits(nodes=900), RootMoves(ONE, "book"), 256, StopReason.BOOK, ["1 move by book"]),
        (Limits(time_left=9000), RootMoves(ONE, "book"), 256, StopReason.BOOK, ["1 move by book"]),
        (Limits(nodes=900), RootMoves(TWO, "tablebase"), 900, StopReason.NODES, ["2 moves by tablebase"]),
        (Limits(nodes=9), RootMoves(TWO, notes=("a", "b")), 9, StopReason.NODES, ["a", "b"]),
        (Limits(time_left=1), RootMoves(ONE, "tablebase"), 256, StopReason.ONLY_MOVE, ["1 move by tablebase"]),
    ],
)
def test_where_there_is_nothing_to_think_about_it_thinks_little(limits, root, nodes, reason, messages):
    run = run_of(limits, root=root)
    run._choose_root_moves()
    assert run.root_moves is root
    assert (run._nodes_allowed, run._reason_for_nodes) == (nodes, reason)
    assert run.context.listener.messages == messages


@pytest.mark.parametrize(("infinite", "ponder", "analyse"), list(itertools.product([False, True], repeat=3)))
def test_what_is_a_game(infinite, ponder, analyse):
    limits = Limits(time_left=9, infinite=infinite, ponder=ponder)
    run = run_of(limits, options=options_of(analyse_mode=analyse), search_moves=ONE)
    run._choose_root_moves()
    assert run.context.resources.asked == [(ONE, not (infinite or ponder or analyse))]


@pytest.mark.parametrize(
    ("budget", "threads", "seconds"),
    [
        (Budget(None, None), 4, 0.002),
        (Budget(1.0, 3.0), 4, 0.002),
        (Budget(0.003, 0.004), 1, 0.001),  # a short search has one thread
        (Budget(0.02, 0.021), 4, 0.002),
    ],
)
def test_the_workers(monkeypatch, budget, threads, seconds):
    seeds = []
    monkeypatch.setattr(run_module, "new_worker", lambda seed, network: seeds.append((seed, network)))
    run = run_of(budget=budget, options=options_of(threads=4, seed=7))
    pool = run._new_pool(SimpleNamespace(network="net", workers=1))
    assert seeds == [(7 + number * 1_000_003, "net") for number in range(threads)]
    assert pool.chunk_seconds == pytest.approx(seconds)
    assert (pool.control, pool.nodes_left) == (run.rules.control, None)


def test_the_seed_is_that_of_the_options_or_of_the_clock(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 0xF_1234_5678)
    assert run_of(options=options_of(seed=7))._seed == 7
    assert run_of()._seed == 0x1234_5678


# While the workers simulate


def looked_at(
    monkeypatch,
    run,
    pool,
    now,
    *,
    moves=(),
    stop=StopReason.SEARCHING,
    settled=StopReason.SEARCHING,
    is_pondering=False,
):
    """-> the calls that a look at the tree makes."""
    calls = []
    rules = SimpleNamespace(
        reason_to_stop=lambda at, depth: calls.append(("stop?", at, depth)) or stop,
        reason_to_move=lambda at, _moves, nodes, stretch: (
            calls.append(("move?", at, nodes)) or pool.stretches.append(stretch) or settled
        ),
        started=STARTED,
        is_pondering=is_pondering,
    )
    run.rules, run.pool = rules, pool
    run._reporter = SimpleNamespace(
        is_due=lambda best, at: calls.append(("due?", best.code, at)) or True,
        send=lambda _tree, _moves, best, progress: calls.append(("send", best.code, progress.depth)),
    )
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    monkeypatch.setattr(run_module, "moves_below", lambda _tree, slot: list(moves) if slot == 0 else None)
    run._look(pool)
    return calls


MOVES = (move(1, 50), move(2, 40))


@pytest.mark.parametrize(
    ("now", "moves", "expected"),
    [
        (100.01, MOVES, ["stop?"]),  # not yet at the tree
        (100.06, MOVES, ["stop?", "move?", "due?", "send"]),
        (100.06, (), ["stop?"]),
        (100.06, (move(1, 0),), ["stop?"]),
    ],
)
def test_what_a_look_asks(monkeypatch, now, moves, expected):
    run = run_of()
    calls = looked_at(monkeypatch, run, Pool(), now, moves=moves)
    assert [call[0] for call in calls] == expected
    assert calls[0] == ("stop?", now, 4)
    if len(calls) > 1:
        assert calls[1:] == [("move?", now, 100), ("due?", 1, now), ("send", 1, 4)]
        assert run._looked_at == now


def test_looks_at_the_tree_stretch_the_soft_limit(monkeypatch):
    """Two moves with half of the visits each; then the other one is the best, with a lower score."""
    run, pool = run_of(), Pool()
    for now, first, second in ((100.06, move(1, 51, 0.6), move(2, 49)), (100.12, move(2, 51, 0.5), move(1, 49))):
        looked_at(monkeypatch, run, pool, now, moves=(first, second))
    by_share = 1 + 1.39 * (0.68 - 0.51)
    assert pool.stretches == pytest.approx([by_share, by_share * 1.4 * 1.15])


def test_what_was_open_while_the_opponent_thought_costs_no_time(monkeypatch):
    """Pondering takes minutes, the clock counts from the hit."""
    run, pool = run_of(), Pool()
    for number in range(1, 9):
        moves = move(number % 2, 68, 0.9 - 0.05 * number), move(2, 32)
        looked_at(monkeypatch, run, pool, 100 + 0.06 * number, moves=moves, is_pondering=number < 8)
    assert pool.stretches[-1] == pytest.approx(1.0)


def test_a_search_that_must_stop_looks_no_further(monkeypatch):
    run, pool = run_of(), Pool()
    assert len(looked_at(monkeypatch, run, pool, 100.06, moves=MOVES, stop=StopReason.TIME)) == 1
    assert (run.reason, pool.ends) == (StopReason.TIME, 1)


def test_a_settled_search_reports_nothing_more(monkeypatch):
    run, pool = run_of(), Pool()
    calls = looked_at(monkeypatch, run, pool, 100.06, moves=MOVES, settled=StopReason.SETTLED)
    assert [call[0] for call in calls] == ["stop?", "move?"]
    assert (run.reason, pool.ends) == (StopReason.SETTLED, 1)


def test_the_first_reason_counts():
    run, pool = run_of(), Pool()
    run._end(pool, StopReason.SEARCHING)
    assert (run.reason, pool.ends) == (StopReason.SEARCHING, 0)
    run._end(pool, StopReason.DEPTH)
    run._end(pool, StopReason.TIME)
    assert (run.reason, pool.ends) == (StopReason.DEPTH, 1)


def test_the_depth_never_falls(monkeypatch):
    run, depths = run_of(), []
    for mean in (0.2, 3.6, 2.0, 7.4):
        depths.append(run._mean_depth(Pool(mean_depth=mean)))
        looked_at(monkeypatch, run, Pool(mean_depth=mean), 100.0)
    assert depths == [1, 4, 4, 7]


class Control:
    """Waiting takes the time that the test says, on a clock that only waits move."""

    is_stopped, ponder_hit_at = False, None

    def __init__(self, pool, takes, messages=()):
        self.pool, self.takes, self.messages, self.now, self.waited = pool, takes, list(messages), STARTED, []

    def wait(self, seconds):
        self.waited.append(seconds)
        self.now += self.takes.pop(0)
        self.pool.is_working = bool(self.takes)
        return self.messages.pop(0) if self.messages else False


def watched(monkeypatch, limits, budget, takes, messages=()):
    pool = Pool()
    control = Control(pool, takes, messages)
    run = run_of(limits, budget)
    run.rules = StopRules(limits, budget, control, STARTED)
    monkeypatch.setattr(time, "perf_counter", lambda: control.now)
    monkeypatch.setattr(run_module, "TIMER_SECONDS", 0.0)
    run._watch(pool)
    return run, pool, control


def test_the_clock_is_watched_to_its_deadline(monkeypatch):
    run, pool, control = watched(monkeypatch, Limits(move_time=50), Budget(0.05, 0.05), [0.02, 0.02, 0.01, 0.5])
    assert control.waited[:3] == pytest.approx([0.02, 0.02, 0.01])
    assert control.waited[3] is None  # it is over: the workers are waited for
    assert (run.reason, pool.ends) == (StopReason.TIME, 1)
    assert run.longest_delay == pytest.approx(0.0, abs=1e-9)


def test_a_late_look_is_a_delay_but_not_one_that_a_message_ended(monkeypatch):
    takes = [0.02, 0.05, 0.02]
    assert watched(monkeypatch, Limits(move_time=900), Budget(0.9, 0.9), takes)[0].longest_delay == pytest.approx(0.03)
    takes = [0.02, 0.05, 0.02]
    run = watched(monkeypatch, Limits(move_time=900), Budget(0.9, 0.9), takes, [False, True, False])[0]
    assert run.longest_delay == pytest.approx(0.0, abs=1e-9)


def test_without_a_deadline_only_messages_are_waited_for(monkeypatch):
    run, pool, control = watched(monkeypatch, Limits(infinite=True), Budget(None, None), [9.0, 9.0])
    assert control.waited == [None, None]
    assert (run.longest_delay, run.reason, pool.ends) == (0.0, StopReason.SEARCHING, 0)


def test_a_stop_is_seen_by_the_watch(monkeypatch):
    monkeypatch.setattr(Control, "is_stopped", True)
    run, pool, _ = watched(monkeypatch, Limits(infinite=True), Budget(None, None), [0.1])
    assert (run.reason, pool.ends) == (StopReason.STOP, 1)


# After the simulations


@pytest.mark.parametrize(
    ("codes", "proven", "reason_for_nodes", "reason", "is_stopped", "expected"),
    [
        (TWO, False, StopReason.NODES, StopReason.SEARCHING, False, StopReason.NODES),
        (TWO, False, StopReason.STRENGTH, StopReason.SEARCHING, False, StopReason.STRENGTH),
        (TWO, False, StopReason.NODES, StopReason.SEARCHING, True, StopReason.STOP),
        (TWO, False, StopReason.NODES, StopReason.TIME, True, StopReason.TIME),
        (TWO, True, StopReason.NODES, StopReason.TIME, False, StopReason.PROVEN),
        (TWO, True, StopReason.BOOK, StopReason.SEARCHING, False, StopReason.PROVEN),
        (ONE, False, StopReason.BOOK, StopReason.TIME, True, StopReason.BOOK),
        (ONE, False, StopReason.ONLY_MOVE, StopReason.TIME, False, StopReason.ONLY_MOVE),
        ((), True, StopReason.NODES, StopReason.SEARCHING, True, StopReason.NO_MOVE),
    ],
)
def test_why_it_ended(codes, proven, reason_for_nodes, reason, is_stopped, expected):
    run, pool = run_of(), Pool()
    run.root_moves, run._reason_for_nodes, run.reason = RootMoves(codes), reason_for_nodes, reason
    run.rules.control.is_stopped = is_stopped
    pool.task.tree.proven[int(ROOT)] = proven
    run._note_the_end(pool)
    assert run.reason == expected


@pytest.mark.parametrize(
    ("limits", "working_since", "waited", "noted", "expected"),
    [
        (Limits(time_left=9), 100.0, 0.0, 0.0, 2.0),  # the deadline was at 103
        (Limits(time_left=9), 104.5, 0.0, 0.0, 0.5),  # it began too late to be in time
        (Limits(time_left=9), 100.0, 2.5, 0.0, 2.5),
        (Limits(time_left=9), 100.0, 0.0, 2.75, 2.75),
        (Limits(infinite=True), 100.0, 0.25, 0.0, 0.25),
        (Limits(infinite=True), 100.0, 0.0, 0.0, 0.0),
    ],
)
def test_how_late_it_was(monkeypatch, limits, working_since, waited, noted, expected):
    run, pool = run_of(limits), Pool(longest_wait=waited)
    run._working_since, run.longest_delay, run.root_moves = working_since, noted, RootMoves(TWO)
    monkeypatch.setattr(time, "perf_counter", lambda: 105.0)
    run._note_the_end(pool)
    assert run.longest_delay == pytest.approx(expected)
    monkeypatch.setattr(time, "perf_counter", lambda: 900.0)
    assert run.progress(pool.task.tree).seconds == 5.0  # it does not grow any more


def test_progress(monkeypatch):
    run, tree = run_of(), new_tree(1)
    tree.visits[int(ROOT)] = 700
    monkeypatch.setattr(time, "perf_counter", lambda: 102.5)
    found = run.progress(tree)
    assert (found.visits, found.nodes, found.seconds, found.depth, found.deepest) == (700, 0, 2.5, 0, 0)
    assert (found.state, found.known_score, found.tablebase_hits) == (StopReason.SEARCHING, None, 0)
    run.pool, run.chosen, run.reason = Pool(nodes=100), 12, StopReason.TIME
    run.root_moves = RootMoves(TWO, "tablebase", SimpleNamespace(score=0.5, probes=17))
    found = run.progress(tree)
    assert (found.nodes, found.depth, found.deepest, found.state, found.chosen) == (100, 4, 9, StopReason.TIME, 12)
    assert (found.moves_by, found.known_score, found.tablebase_hits) == ("tablebase", 0.5, 17)
    run.pool = Pool(nodes=0, mean_depth=0.0)
    assert run.progress(tree).depth == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, "best"), ({"temperature": 500}, 0.5), ({"temperature": 500, "analyse_mode": True}, "best")],
)
def test_how_the_move_is_chosen(monkeypatch, options, expected):
    chosen = []
    monkeypatch.setattr(run_module, "best_of", lambda moves: chosen.append((moves, "best")))
    monkeypatch.setattr(
        run_module, "sample_by_visits", lambda moves, heat, _rng, _prior_heat: chosen.append((moves, heat))
    )
    monkeypatch.setattr(run_module, "sample_by_level", lambda moves, level, _rng: chosen.append((moves, level)))
    run_of(options=options_of(**options))._choose(MOVES)
    assert chosen == [(MOVES, expected)]
    run_of(options=options_of(limit_strength=True, elo=1340, **options))._choose(MOVES)
    assert chosen[1] == (MOVES, expected if options.get("analyse_mode") else level_of(1340))


def test_after_a_failure_the_best_known_move_of_those_allowed(monkeypatch):
    position, run = Position(), run_of()
    e4, d4, a3 = (position.code(text) for text in ("e2e4", "d2d4", "a2a3"))
    assert run.move_after_failure() == position.uci(position.move_codes[0])
    run.search_moves = (a3, d4)
    assert run.move_after_failure() == "a2a3"
    known = [move(e4, 90, 0.9), move(d4, 20, 0.5), move(a3, 0)]
    monkeypatch.setattr(run_module, "moves_below", lambda *_: known)
    assert run.move_after_failure() == "a2a3"  # no pool yet: nothing is known
    run.pool = Pool()
    assert run.move_after_failure() == "d2d4"
    run.root_moves = RootMoves((e4, a3))
    assert run.move_after_failure() == "e2e4"
    run.root_moves = RootMoves((a3,))
    assert run.move_after_failure() == "a2a3"
    mated = run_of(position=Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
    assert mated.move_after_failure() is None
