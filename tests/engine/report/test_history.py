from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from engine.mcts.reroot import restrict_root
from engine.mcts.tree import SCORE_UNIT, new_tree
from engine.report import progress as history_module
from engine.report.move_stats import moves_below
from engine.report.progress import MOST_SAMPLES, History, Sample, thinned, within_bounds
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME, new_searcher, searched


@pytest.mark.jit
def test_visits_only_grow_and_the_last_sample_is_the_tree():
    searcher = searched(MIDDLEGAME, 20_000)
    data, position = searcher.report().history(), Position(MIDDLEGAME)
    known = {position.uci(move.code): move for move in moves_below(searcher.tree, 0)}
    assert len(data["visits"]) == len(data["seconds"]) == len(data["n"]) == len(data["q"]) > 8
    assert data["visits"] == sorted(set(data["visits"]))
    assert data["seconds"] == sorted(data["seconds"])
    assert data["visits"][0] < 100
    for earlier, later in pairwise(data["n"]):
        assert all(a <= b for a, b in zip(earlier, later, strict=True))
    assert set(data["moves"]) == set(known)
    for uci, count, score in zip(data["moves"], data["n"][-1], data["q"][-1], strict=True):
        assert count == known[uci].visits
        if count:
            assert score == pytest.approx(known[uci].wins / SCORE_UNIT / count, abs=1e-6)
    assert data["n"][-1] == sorted(data["n"][-1], reverse=True)
    assert searcher.report().history(3)["moves"] == data["moves"][:3]


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
    data = searcher.report().history()
    assert sorted(data["moves"]) == ["c3d5", "h2h3"]
    assert data["visits"][-1] == searcher.tree.visits[0]


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
    data = searcher.report().history()
    assert data["visits"][0] > 0
    assert data["visits"][-1] == 50


def test_a_memory_whose_first_sample_has_no_visits_is_thinned():
    for visits in (range(MOST_SAMPLES), range(0, 5 * MOST_SAMPLES, 5), [0, *range(10**6, 10**6 + MOST_SAMPLES - 1)]):
        samples = samples_of(visits)
        sparse = thinned(samples)
        assert (sparse[0], sparse[-1]) == (samples[0], samples[-1])
        assert len(sparse) <= MOST_SAMPLES // 2 + 2
        assert [sample.visits for sample in sparse] == sorted({sample.visits for sample in sparse})


@pytest.fixture(scope="module")
def own_tree():
    """A tree whose visits a test may change."""
    return searched(MIDDLEGAME, 30).tree


@pytest.mark.parametrize("first", [0, 1, 2**32 - 600])
def test_a_memory_never_overflows(own_tree, first):
    tree, history = own_tree, History()
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


# The moments at which a history takes samples, with trees made by hand.


def tree_of(visits, counts, wins, codes=(5, 6)):
    """A root with the moves of two slots."""
    size = len(codes)
    return SimpleNamespace(
        visits=np.array([visits, size, *counts], np.uint32),
        move=np.array([0, 0, *codes], np.uint16),
        wins=np.array([0, 0, *(number * SCORE_UNIT for number in wins)], np.int64),
    )


@pytest.fixture
def history(monkeypatch):
    monkeypatch.setattr("engine.report.progress.edges_of", lambda *_: range(2, 4))
    return History()


def test_samples_are_taken_by_time_or_by_visits(history):
    history.start(10.0)
    moments = [
        (10.0, 100),
        (10.05, 114),
        (10.05, 115),
        (10.06, 116),
        (10.149, 120),
        (10.151, 121),
        (10.2, 139),
        (10.2, 140),
    ]
    for now, visits in moments:
        history.note(tree_of(visits, [visits - 1, 0], [1, 0]), now)
    codes, samples = history.read()
    assert codes == (5, 6)
    assert [sample.visits for sample in samples] == [100, 115, 121, 140]
    assert [sample.seconds for sample in samples] == pytest.approx([0.0, 0.05, 0.151, 0.2])
    assert samples[-1].counts.tolist() == [139, 0]
    assert samples[-1].wins.tolist() == [SCORE_UNIT, 0]


def test_a_search_that_goes_on_continues_the_time(history):
    history.start(10.0)
    history.add(tree_of(50, [30, 19], [3, 4]), 12.0)
    history.start(100.0)
    history.add(tree_of(50, [30, 19], [3, 4]), 100.5)  # nothing new
    history.add(tree_of(60, [40, 19], [3, 4]), 101.0)
    assert [(sample.seconds, sample.visits) for sample in history.read()[1]] == [(2.0, 50), (3.0, 60)]
    kept = history.read()
    history.clear()
    assert history.read() == ((), [])
    history.restore(kept)
    assert history.read() is kept


def test_other_moves_and_fewer_visits_start_again(history):
    history.start(0.0)
    history.add(tree_of(50, [30, 19], [3, 4]), 1.0)
    history.add(tree_of(60, [30, 29], [3, 4], codes=(5, 7)), 2.0)
    assert (history.read()[0], [one.visits for one in history.read()[1]]) == ((5, 7), [60])
    history.add(tree_of(40, [30, 9], [3, 4], codes=(5, 7)), 3.0)
    assert [one.visits for one in history.read()[1]] == [40]
    before = history.read()[1]
    history.add(tree_of(41, [30, 10], [3, 4], codes=(5, 7)), 4.0)
    assert [one.visits for one in before] == [40], "what was read stays as it was"


def test_a_full_history_is_thinned_by_ratios():
    samples = [Sample(0.0, visits, np.zeros(1), np.zeros(1)) for visits in range(1, 1025)]
    kept = [sample.visits for sample in thinned(samples)]
    expected, ratio = [1], 1024 ** (1 / 255)
    for visits in range(2, 1024):
        if visits >= expected[-1] * ratio:
            expected.append(visits)
    assert kept == [*expected, 1024]
