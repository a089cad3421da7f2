from itertools import pairwise

import pytest

from engine import history as history_module
from engine.clock import Limits
from engine.history import MOST_SAMPLES, History, thinned
from engine.mcts.tree import SCORE_UNIT
from engine.stats import moves_below
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME, new_searcher, searched


def test_visits_only_grow_and_the_last_sample_is_the_tree():
    searcher = searched(MIDDLEGAME, 20_000)
    told, position = searcher.report().history(), Position(MIDDLEGAME)
    known = {position.uci(move.code): move for move in moves_below(searcher.tree, 0)}
    assert len(told["visits"]) == len(told["seconds"]) == len(told["n"]) == len(told["q"]) > 8
    assert told["visits"] == sorted(set(told["visits"]))
    assert told["seconds"] == sorted(told["seconds"])
    assert told["visits"][0] < 100
    for earlier, later in pairwise(told["n"]):
        assert all(a <= b for a, b in zip(earlier, later, strict=True))
    assert set(told["moves"]) == set(known)
    for uci, count, score in zip(told["moves"], told["n"][-1], told["q"][-1], strict=True):
        assert count == known[uci].visits
        if count:
            assert score == pytest.approx(known[uci].wins / SCORE_UNIT / count, abs=1e-6)
    assert told["n"][-1] == sorted(told["n"][-1], reverse=True)
    assert searcher.report().history(3)["moves"] == told["moves"][:3]


def test_a_search_that_goes_on_adds_to_it_and_a_new_root_starts_anew():
    searcher = searched(MIDDLEGAME, 3000)
    before = searcher.report().history()
    searcher.go(Limits(nodes=3000))
    searcher.wait()
    after = searcher.report().history()
    assert after["visits"][: len(before["visits"])] == before["visits"]
    assert after["visits"][-1] == 6000
    assert after["seconds"] == sorted(after["seconds"])
    position = Position(MIDDLEGAME)
    best = moves_below(searcher.tree, 0)[0]
    searcher.set_position(position.play(best.code), (best.code,))
    assert searcher.report().history()["visits"] == []
    searcher.go(Limits(nodes=100))
    searcher.wait()
    assert searcher.report().history()["visits"][-1] == searcher.tree.visits[0]
    searcher.forget()
    assert searcher.report().history()["visits"] == []


def test_other_root_moves_start_anew():
    searcher = searched(MIDDLEGAME, 3000)
    wished = tuple(Position(MIDDLEGAME).code(move) for move in ("h3", "Nd5"))
    searcher.go(Limits(nodes=500), wished=wished)
    searcher.wait()
    told = searcher.report().history()
    assert sorted(told["moves"]) == ["c3d5", "h2h3"]
    assert told["visits"][-1] == searcher.tree.visits[0]


@pytest.mark.slow
def test_a_full_memory_is_thinned_to_equal_ratios(monkeypatch):
    monkeypatch.setattr(history_module, "SECONDS_BETWEEN_SAMPLES", 0.0)
    searcher = new_searcher(MIDDLEGAME, Hash=32)
    history = History()
    monkeypatch.setattr(searcher, "history", history)
    searcher.go(Limits(nodes=200_000))
    searcher.wait()
    _, samples = history.read()
    assert len(samples) <= MOST_SAMPLES
    assert samples[-1].visits == searcher.tree.visits[0]
    sparse = thinned(samples)
    assert len(sparse) <= MOST_SAMPLES // 2 + 2
    assert (sparse[0], sparse[-1]) == (samples[0], samples[-1])
    ratio = (samples[-1].visits / samples[0].visits) ** (1 / 255)
    for earlier, later in pairwise(sparse[:-1]):
        assert later.visits >= earlier.visits * ratio * 0.999
