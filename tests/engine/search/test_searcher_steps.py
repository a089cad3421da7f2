"""The searcher step by step, with a run that waits; then whole searches of few visits."""

import threading
import time
from types import SimpleNamespace

import pytest

from engine.mcts.tree import ROOT, new_tree
from engine.report.effort import StopReason
from engine.report.lines import best_edges
from engine.report.move_stats import best_of, moves_below
from engine.report.progress import History
from engine.report.snapshot import NotInMemoryError
from engine.search import run as run_module
from engine.search import searcher as searcher_module
from engine.search.clock import Limits
from engine.search.run import present_moves
from engine.search.searcher import Searcher, search_to_end
from movegen import Position
from tests.engine.search.test_run import ONE, TWO, Listener, options_of


class FakeRun:
    """A run that waits until it may end."""

    made = ()

    def __init__(self, context, rules, search_moves):
        self.context, self.rules, self.search_moves = context, rules, search_moves
        self.may_end, self.longest_delay, self.reason = threading.Event(), 0.25, StopReason.SEARCHING
        self.params = "params"
        FakeRun.made = (*FakeRun.made, self)

    def finish(self, tree):
        self.tree = tree
        assert self.rules.is_short or self.may_end.wait(30)
        return "e2e4", "e7e5"


@pytest.fixture
def searcher(monkeypatch):
    FakeRun.made = ()
    monkeypatch.setattr(searcher_module, "Run", FakeRun)
    found = Searcher(options_of(hash_megabytes=1), Listener())
    yield found
    for run in FakeRun.made:
        run.may_end.set()
    found.wait(30)


def listener_of(searcher):
    return searcher.listener._listener


def test_a_search_gets_its_parts_and_its_end_is_reported(searcher):
    limits = Limits(time_left=60_000)
    searcher.go(limits, search_moves=ONE, started=77.0)
    (run,) = FakeRun.made
    assert searcher.run is run
    assert (run.rules.limits, run.rules.started, run.search_moves) == (limits, 77.0, ONE)
    assert run.rules.control is searcher.control
    assert run.context.positions is searcher.positions
    assert searcher.is_searching
    assert listener_of(searcher).best == []
    run.may_end.set()
    searcher.wait(30)
    assert not searcher.is_searching
    assert run.tree is searcher.tree
    assert listener_of(searcher).best == [("e2e4", "e7e5")]
    assert searcher.delay.expect().longest == 250


def test_the_clock_counts_from_now_if_nothing_else_is_said(searcher):
    before = time.perf_counter()
    searcher.go(Limits(nodes=5))
    assert before <= FakeRun.made[0].rules.started <= time.perf_counter()


def test_a_short_search_needs_no_thread(searcher, monkeypatch):
    monkeypatch.setattr(searcher, "_start", lambda _thread: pytest.fail("a thread was started"))
    searcher.go(Limits(move_time=1))
    assert listener_of(searcher).best == [("e2e4", "e7e5")]


def test_one_search_at_a_time(searcher):
    searcher.go(Limits(infinite=True))
    waiting = threading.Thread(target=searcher.go, args=(Limits(nodes=5),), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    assert len(FakeRun.made) == 1
    FakeRun.made[0].may_end.set()
    waiting.join(30)
    assert len(FakeRun.made) == 2


def test_stops_and_hits_belong_to_one_search(searcher):
    searcher.go(Limits(ponder=True, time_left=9000))
    assert searcher.is_pondering
    searcher.ponder_hit(5.0)
    assert (searcher.is_pondering, searcher.control.ponder_hit_at) == (False, 5.0)
    searcher.stop()
    assert searcher.control.is_stopped
    FakeRun.made[0].may_end.set()
    searcher.wait(30)
    searcher.go(Limits(nodes=5))
    assert (searcher.control.is_stopped, searcher.control.ponder_hit_at) == (False, None)
    assert not searcher.is_pondering
    before = time.perf_counter()
    searcher.ponder_hit()
    assert before <= searcher.control.ponder_hit_at <= time.perf_counter()


def test_a_ponder_search_that_has_ended_ponders_no_more(searcher):
    searcher.go(Limits(ponder=True, time_left=9000))
    FakeRun.made[0].may_end.set()
    searcher.wait(30)
    assert not searcher.is_pondering


@pytest.mark.parametrize(
    ("threads", "processors", "messages"),
    [
        ([1, 1], 2, 0),
        ([2, 2], 2, 0),
        ([3, 3, 3], 2, 1),  # once
        ([3, 4], 2, 2),
        ([3, 2, 3], 2, 2),
    ],
)
def test_too_many_threads_are_reported_once(searcher, monkeypatch, threads, processors, messages):
    monkeypatch.setattr(searcher_module, "processors", lambda: processors)
    for number in threads:
        searcher.options.threads = number
        searcher._warn_of_threads()
    found = listener_of(searcher).messages
    assert len(found) == messages
    assert all(text.endswith(f"threads for {processors} processors: more do not search faster") for text in found)


def test_a_report_is_no_longer_current_when_the_root_changes(searcher):
    report = searcher.report()
    report.snapshot.check()
    searcher.set_position(Position(), ())  # the same
    report.snapshot.check()
    changes = [
        lambda: searcher.set_position(Position().play("e4"), ONE),
        lambda: searcher.set_position(Position(), None),
        searcher.forget,
        lambda: searcher.load(Position(), History(), lambda _tree: None),
        lambda: (setattr(searcher.options, "hash_megabytes", 2), searcher.prepare()),
    ]
    for change in changes:
        report = searcher.report()
        report.snapshot.check()
        change()
        with pytest.raises(NotInMemoryError):
            report.snapshot.check()
    assert searcher.generation % 2 == 0


def test_a_report_from_the_middle_of_a_change_is_not_current(searcher):
    searcher.prepare()
    with searcher._changing_root(Position()):
        report = searcher.report()
    with pytest.raises(NotInMemoryError):
        report.snapshot.check()


def test_a_new_root_starts_with_nothing_known(searcher):
    searcher.run, history = FakeRun(None, None, ()), searcher.history
    searcher.set_position(Position().play("e4"), None)
    assert searcher.run is None
    assert searcher.history is not history
    assert searcher.position.fen() == searcher.positions.root.position.fen() == Position().play("e4").fen()


def test_a_load_that_fails_changes_nothing(searcher):
    before = (searcher.prepare(), searcher.position, searcher.history, searcher.generation)

    def fail(_tree):
        assert searcher.generation % 2 == 1
        raise ValueError("bad file")

    with pytest.raises(ValueError, match="bad file"):
        searcher.load(Position().play("e4"), History(), fail)
    assert before == (searcher.tree, searcher.position, searcher.history, searcher.generation)


def test_a_new_game_forgets_the_clock_and_the_tree(searcher):
    searcher.prepare().visits[int(ROOT)] = 50
    overhead, delay = searcher.overhead, searcher.delay
    searcher.forget()
    assert searcher.overhead is not overhead
    assert searcher.delay is delay  # the machine is the same
    assert searcher.tree.visits[int(ROOT)] == 0


def test_memory_that_is_not_there_is_an_error_at_last(searcher, monkeypatch):
    def none(_megabytes):
        raise MemoryError

    monkeypatch.setattr(searcher_module, "new_tree", none)
    searcher.options.hash_megabytes = 4
    with pytest.raises(MemoryError):
        searcher.prepare()
    assert listener_of(searcher).messages == [
        "there are no 4 MB for the tree, 2 are tried",
        "there are no 2 MB for the tree, 1 are tried",
    ]


def test_another_size_of_the_tree_forgets_its_history(searcher):
    tree = searcher.prepare()
    searcher.history.restore(((1,), ["a sample"]))
    assert searcher.prepare() is tree
    assert searcher.history.read() == ((1,), ["a sample"])
    generation = searcher.generation
    searcher.options.hash_megabytes = 2
    assert searcher.prepare() is not tree
    assert searcher.history.read() == ((), [])
    assert searcher.generation == generation + 2
    assert searcher.tree.visits.size * 32 == 2 << 20


@pytest.mark.parametrize("failure", [None, RuntimeError("no luck")])
def test_what_a_search_costs_is_noted_once_whatever_happens(searcher, monkeypatch, failure):
    noted, waited = [], []
    limits = Limits(move_time=1, time_left=9000)

    class Failing(FakeRun):
        def finish(self, _tree):
            self.rules = SimpleNamespace(
                limits=self.rules.limits, seconds_on_clock=1.5, wait_until_allowed=lambda: waited.append(True)
            )
            if failure is not None:
                raise failure
            return "e2e4", None

        def move_after_failure(self):
            return "a2a3"

    monkeypatch.setattr(searcher_module, "Run", Failing)
    monkeypatch.setattr("engine.search.clock.OverheadMeter.note", lambda _self, *what: noted.append(what))
    searcher.go(limits)
    searcher.wait(30)
    assert noted == [(limits, 1.5)]
    assert listener_of(searcher).best == [("e2e4" if failure is None else "a2a3", None)]
    assert waited == ([] if failure is None else [True])
    expected = ["the search failed (RuntimeError('no luck')), a legal move is played"]
    assert listener_of(searcher).messages == ([] if failure is None else expected)


def test_a_failure_upon_a_failure_gives_a_legal_move(searcher, monkeypatch):
    class Failing(FakeRun):
        def finish(self, _tree):
            raise RuntimeError("no luck")

        def move_after_failure(self):
            return self.finish(None)

    monkeypatch.setattr(searcher_module, "Run", Failing)
    searcher.go(Limits(move_time=1))
    searcher.wait(30)
    assert listener_of(searcher).best == [(Position().legal_moves[0], None)]
    assert searcher.run is None
    assert FakeRun.made[0].reason == StopReason.FAILED


# A whole search, of few visits


PATIENCE = 600  # seconds: the first search may have to compile its kernels, on a busy machine


def small_searcher(**options):
    return Searcher(options_of(hash_megabytes=1, seed=1, **options), Listener())


def search(searcher, limits, **options):
    """Search to the end."""
    searcher.go(limits, **options)
    searcher.wait(PATIENCE)
    assert not searcher.is_searching


@pytest.mark.jit
@pytest.mark.parametrize("batch", [1, 8])
def test_a_tree_that_was_asked_to_stop_is_searched_again(batch):
    searcher = small_searcher(batch=batch)
    searcher.prepare().prior[int(ROOT)] = 1
    search(searcher, Limits(nodes=30), search_moves=TWO)
    assert present_moves(searcher.tree) == set(TWO)
    assert searcher.run.pool.nodes == 30
    assert listener_of(searcher).best[0][0] in ("e2e4", "d2d4")


@pytest.mark.jit
def test_the_history_of_a_search_is_that_of_its_root():
    searcher = small_searcher()
    for _ in range(2):
        search(searcher, Limits(nodes=40))
    codes, samples = searcher.history.read()
    assert set(codes) == set(Position().move_codes)
    assert [sample.visits for sample in samples] == sorted(sample.visits for sample in samples)
    assert samples[-1].visits == 80
    assert sum(samples[-1].counts.tolist()) == 79
    assert all(0 <= sample.seconds < 60 for sample in samples)  # of search, not of the clock


@pytest.mark.jit
def test_the_main_line_is_kept_while_it_is_searched():
    searcher = small_searcher()
    search(searcher, Limits(nodes=60))
    tree = searcher.tree
    best = best_of(moves_below(tree, int(ROOT)))
    line = [int(tree.link[slot]) for slot in (best.slot, *(slot for slot, _ in best_edges(tree, best.slot)))]
    tree.kept[0] = 0
    run_module._keep_best_line(tree)
    assert tree.kept[1 : 1 + int(tree.kept[0])].tolist() == line
    run_module._keep_best_line(new_tree(1))  # there is none


@pytest.mark.jit
def test_a_weak_player_starts_from_nothing_and_a_strong_one_goes_on():
    for limit_strength, visits in ((True, 20), (False, 40)):
        searcher = small_searcher(limit_strength=limit_strength, elo=2590)
        for _ in range(2):
            search(searcher, Limits(nodes=20))
        assert searcher.tree.visits[int(ROOT)] == visits


@pytest.mark.jit
def test_a_position_without_moves_is_answered_without_one():
    searcher = small_searcher()
    searcher.set_position(Position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), None)
    search(searcher, Limits(nodes=20))
    assert listener_of(searcher).best == [(None, None)]
    assert searcher.run.reason == StopReason.NO_MOVE


@pytest.mark.jit
@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_the_answer_of_very_few_visits(nodes):
    searcher = small_searcher()
    search(searcher, Limits(nodes=nodes))
    ((best, reply),) = listener_of(searcher).best
    assert best in Position().legal_moves
    assert (reply is None) == (nodes < 3)
    assert searcher.run.chosen == Position().code(best)
    assert searcher.report().summary()["state"] == "nodes"


# A search that the caller waits for


class Counting:
    """A searcher that ends after some looks, or at a Ctrl-C."""

    def __init__(self, looks, interrupted_at=None):
        self.looks, self.interrupted_at, self.calls = looks, interrupted_at, []

    @property
    def is_searching(self):
        return self.looks > 0

    def go(self, limits):
        self.calls.append(limits)

    def wait(self, seconds=None):
        self.calls.append("wait" if seconds is None else "look")
        if seconds is None:
            self.looks = 0
        if self.looks == self.interrupted_at:
            raise KeyboardInterrupt
        self.looks -= 1

    def stop(self):
        self.calls.append("stop")


def test_a_search_to_its_end_is_waited_for():
    searcher, limits = Counting(3), Limits(nodes=5)
    search_to_end(searcher, limits)
    assert searcher.calls == [limits, "look", "look", "look"]


def test_ctrl_c_stops_a_search_waits_for_its_end_and_is_passed_on():
    searcher = Counting(3, interrupted_at=2)
    with pytest.raises(KeyboardInterrupt):
        search_to_end(searcher, Limits(infinite=True))
    assert searcher.calls == [Limits(infinite=True), "look", "look", "stop", "wait"]
