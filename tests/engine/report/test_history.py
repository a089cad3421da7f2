from itertools import pairwise

import numpy as np
import pytest

from engine.mcts.reroot import restrict_root
from engine.mcts.tree import SCORE_UNIT, new_tree
from engine.report import history as history_module
from engine.report.history import MOST_SAMPLES, History, Sample, thinned, within_bounds
from engine.report.move_stats import moves_below
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME, new_searcher, searched


@pytest.mark.jit
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


@pytest.mark.jit
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


@pytest.mark.jit
def test_other_root_moves_start_anew():
    searcher = searched(MIDDLEGAME, 3000)
    chosen = tuple(Position(MIDDLEGAME).code(move) for move in ("h3", "Nd5"))
    searcher.go(Limits(nodes=500), search_moves=chosen)
    searcher.wait()
    told = searcher.report().history()
    assert sorted(told["moves"]) == ["c3d5", "h2h3"]
    assert told["visits"][-1] == searcher.tree.visits[0]


def samples_of(visits):
    return [Sample(float(count), count, np.zeros(1, np.uint32), np.zeros(1, np.int64)) for count in visits]


def test_a_root_without_visits_is_no_sample():
    """`searchmoves` of a move that has none leaves the root without visits."""
    searcher = new_searcher(MIDDLEGAME)
    searcher.go(Limits(nodes=3))
    searcher.wait()
    tree, history = searcher.tree, History()
    unvisited = next(move for move in moves_below(tree, 0) if move.visits == 0)
    restrict_root(tree, {unvisited.code})
    assert tree.visits[0] == 0
    history.start(0.0)
    history.add(tree, 0.1)
    assert history.read() == ((), [])
    searcher.go(Limits(nodes=50), search_moves=(unvisited.code,))
    searcher.wait()
    told = searcher.report().history()
    assert told["visits"][0] > 0
    assert told["visits"][-1] == 50


def test_a_memory_whose_first_sample_has_no_visits_is_thinned():
    for visits in (range(MOST_SAMPLES), range(0, 5 * MOST_SAMPLES, 5), [0, *range(10**6, 10**6 + MOST_SAMPLES - 1)]):
        samples = samples_of(visits)
        sparse = thinned(samples)
        assert (sparse[0], sparse[-1]) == (samples[0], samples[-1])
        assert len(sparse) <= MOST_SAMPLES // 2 + 2
        assert [sample.visits for sample in sparse] == sorted({sample.visits for sample in sparse})


@pytest.mark.parametrize("first", [0, 1, 2**32 - 600])
def test_a_memory_never_overflows(first):
    searcher = searched(MIDDLEGAME, 100)
    tree, history = searcher.tree, History()
    history.start(0.0)
    for step in range(3 * MOST_SAMPLES):
        tree.visits[0] = min(first + step, 2**32 - 1)
        history.add(tree, float(step))
        assert len(history.read()[1]) <= MOST_SAMPLES
    visits = [sample.visits for sample in history.read()[1]]
    assert visits == sorted(set(visits))
    assert visits[0] == max(1, first)
    assert visits[-1] == tree.visits[0]


def test_a_tree_without_a_node_is_no_sample():
    history = History()
    history.start(0.0)
    history.note(new_tree(1), 0.0)
    assert history.read() == ((), [])


def test_scores_stay_within_visits_whatever_threads_do_meanwhile():
    counts, wins = np.array([2, 0, 7], np.uint32), np.array([3, 1, 5], np.int64) * SCORE_UNIT
    sample = within_bounds(Sample(1.0, 9, counts, wins))
    assert (sample.wins // SCORE_UNIT).tolist() == [2, 0, 5]
    assert sample.counts is counts


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
