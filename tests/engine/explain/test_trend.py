"""What is said of the past, from samples whose answers can be read off."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.explain.trend import Steady, Trend

UNIT = 1 << 20
A, B, NEVER_SEEN = 10, 20, 30


def past(*lines):
    """Each line: visits of the root, then (visits, score) of A and of B."""
    samples = [
        SimpleNamespace(
            visits=visits,
            counts=np.array([count for count, _ in moves]),
            wins=np.array([round(count * score * UNIT) for count, score in moves]),
        )
        for visits, *moves in lines
    ]
    return Trend(SimpleNamespace(read=lambda: ([A, B], samples)))


TURNED = past(
    (10, (5, 0.5), (0, 0.0)),
    (100, (50, 0.6), (40, 0.5)),
    (200, (90, 0.5), (100, 0.5)),
    (400, (150, 0.4), (240, 0.55)),
    (800, (200, 0.4), (590, 0.5)),
)


def test_scores_begin_with_the_first_visit():
    assert TURNED.scores(A) == [0.5, 0.6, 0.5, 0.4, 0.4]
    assert TURNED.scores(B) == [None, 0.5, 0.5, 0.55, 0.5]
    assert TURNED.scores(NEVER_SEEN) == [None] * 5


def test_below_since_the_last_turn_and_equal_is_not_below():
    assert TURNED.below_since(A, B) == 400
    assert TURNED.below_since(B, A) is None
    assert past((10, (5, 0.4), (5, 0.5)), (20, (9, 0.3), (9, 0.5))).below_since(A, B) == 0
    assert past((10, (5, 0.4), (5, 0.5)), (20, (9, 0.5), (9, 0.5))).below_since(A, B) is None
    assert past((10, (0, 0.0), (5, 0.5))).below_since(A, B) is None


def test_most_visits_since():
    assert TURNED.best_since(B) == 200
    assert TURNED.best_since(A) is None
    assert TURNED.best_since(NEVER_SEEN) is None
    assert past((10, (5, 0.4), (5, 0.5)), (30, (19, 0.3), (9, 0.5))).best_since(A) == 10


def test_a_score_is_steady_from_a_tenth_of_the_visits_on():
    assert TURNED.steady(A) == Steady(0.4, 0.6, 100)
    assert TURNED.steady(B) == Steady(0.5, 0.55, 100)
    assert TURNED.steady(NEVER_SEEN) is None
    assert past((10, (5, 0.4), (5, 0.5))).steady(A) is None
    assert past().steady(A) is None


@pytest.mark.parametrize(("last", "since"), [(9_000, 1000), (10_000, 1000), (50_000, 1000), (4000, 500)])
def test_but_no_later_than_from_1000_visits_on(last, since):
    lines = [(visits, (visits, 0.5), (0, 0.0)) for visits in (10, 500, 1000, 1500, 2000, 2500)]
    assert past(*lines, (last, (last, 0.7), (0, 0.0))).steady(A) == Steady(0.5, 0.7, since)
