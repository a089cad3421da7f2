"""What a search reports, and how often."""

import time
from types import SimpleNamespace

import pytest

from engine.config.options import Options
from engine.mcts.tree import IN_USE
from engine.report.progress import SearchProgress
from engine.search import reporter as reporter_module
from engine.search.reporter import BestMove, GuardedListener, Reporter, SilentListener
from tests.engine.report.moves import move

BEST, OTHER, THIRD = move(1, 30), move(2, 20), move(3, 10)
STARTED = 50.0


class Reports:
    """A reporter, a clock that is set, and what was reported. The main line of a move is its code, then 99."""

    def __init__(self, monkeypatch, multi_pv=1):
        self.infos, self.now, options = [], STARTED, Options()
        options.multi_pv = multi_pv
        listener = SilentListener()
        listener.on_info = self.infos.append
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(reporter_module, "main_line", self.main_line)
        self.positions = object()
        self.reporter = Reporter(listener, options, self.positions, STARTED)
        self.tree = SimpleNamespace(control=[0] * 8, visits=SimpleNamespace(size=4000))
        self.tree.control[int(IN_USE)] = 1000

    def main_line(self, tree, positions, slot, code):
        assert (tree, positions, slot) == (self.tree, self.positions, code)
        return [str(code), "99"]

    def send(self, moves=(BEST,), best=BEST, **progress):
        return self.reporter.send(self.tree, moves, best, SearchProgress(**progress))


def test_the_first_report_is_due_at_once(monkeypatch):
    assert Reports(monkeypatch).reporter.is_due(BEST, STARTED)


@pytest.mark.parametrize(
    ("best", "seconds", "expected"),
    [
        (BEST, 0.5, False),
        (BEST, 0.9, False),
        (BEST, 1.0, True),
        (OTHER, 0.0, False),
        (OTHER, 0.0625, False),
        (OTHER, 0.125, True),
        (OTHER, 1.0, True),
    ],
)
def test_the_next_one_after_a_second_or_sooner_if_the_best_move_has_changed(monkeypatch, best, seconds, expected):
    reports = Reports(monkeypatch)
    reports.now = STARTED + 4.0
    reports.send()
    assert reports.reporter.is_due(best, reports.now + seconds) == expected


def test_each_number_of_a_report(monkeypatch):
    reports = Reports(monkeypatch)
    reports.now = STARTED + 2.5
    line = reports.send(depth=7, deepest=21, nodes=900, visits=1000, tablebase_hits=5, known_score=0.5, seconds=9.0)
    assert line == ["1", "99"]
    (info,) = reports.infos
    assert (info.depth, info.deepest, info.seconds, info.nodes) == (7, 21, 2.5, 900)
    assert (info.hashfull, info.tbhits, info.known_score) == (250, 5, 0.5)
    assert info.lines == [(BEST, ["1", "99"])]


def test_depths_are_at_least_1(monkeypatch):
    reports = Reports(monkeypatch)
    reports.send(depth=0, deepest=0)
    assert (reports.infos[0].depth, reports.infos[0].deepest) == (1, 1)


@pytest.mark.parametrize(
    ("multi_pv", "best", "shown"),
    [
        (1, BEST, [BEST]),
        (1, OTHER, [OTHER]),  # the move to play comes first, whatever the order
        (2, BEST, [BEST, OTHER]),
        (2, THIRD, [THIRD, BEST]),
        (3, OTHER, [OTHER, BEST, THIRD]),
        (500, THIRD, [THIRD, BEST, OTHER]),
    ],
)
def test_the_best_move_is_shown_first_then_the_others_in_their_order(monkeypatch, multi_pv, best, shown):
    reports = Reports(monkeypatch, multi_pv)
    assert reports.send((BEST, OTHER, THIRD), best) == [str(best.code), "99"]
    assert [stats for stats, _ in reports.infos[0].lines] == shown


# Listeners that fail


class Failing(SilentListener):
    def __init__(self):
        self.calls, self.messages = [], []

    def on_info(self, info):
        self.calls.append(info)
        raise RuntimeError("planted")

    def on_best_move(self, best, reply):
        self.calls.append((best, reply))
        raise OSError("too late")

    def on_message(self, text):
        self.messages.append(text)
        raise KeyError("mute")


def test_all_calls_reach_the_listener_and_the_first_failure_is_reported():
    listener = Failing()
    guarded = GuardedListener(listener)
    guarded.on_info("first")
    guarded.on_info("second")
    guarded.on_best_move("e2e4", "e7e5")
    guarded.on_message("hello")
    assert listener.calls == ["first", "second", ("e2e4", "e7e5")]
    assert listener.messages == ["the search could not be shown (RuntimeError('planted'))", "hello"]


def test_the_move_is_kept():
    listener = BestMove()
    assert listener.move is None
    for moves in (("e2e4", "e7e5"), ("d2d4", None), (None, None)):
        listener.on_best_move(*moves)
        assert listener.move == moves[0]
