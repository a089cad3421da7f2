"""Scores of pairs and the Elo that they show, against values computed by hand."""

import math

import pytest

from engine.match.pairs import Pair
from engine.match.sprt import Sprt
from engine.match.statistics import (
    Counts,
    Interval,
    elo_interval,
    elo_of_share,
    mean_and_variance,
    score_of_pairs,
    share_of_elo,
)
from engine.match.summary import MatchSummary, elo_text

PAIRS = [(1.0, 1.0), (1.0, 0.5), (0.5, 1.0), (0.5, 0.5), (1.0, 0.0), (0.0, 0.5), (0.0, 0.0)]


def test_games_and_pairs_are_counted():
    score = score_of_pairs(PAIRS)
    assert (score.wins, score.draws, score.losses, score.games) == (5, 5, 4, 14)
    assert score.counts == Counts(1, 1, 2, 2, 1)
    assert score.share == pytest.approx(7.5 / 14)


def test_no_games_are_an_even_score():
    score = score_of_pairs([])
    assert (score.games, score.share, score.counts.pairs) == (0, 0.5, 0)
    assert elo_interval(score.counts) is None


@pytest.mark.parametrize(("elo", "share"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (200, 0.759747), (100, 0.640065)])
def test_elo_and_share(elo, share):
    assert share_of_elo(elo) == pytest.approx(share, abs=1e-6)
    assert elo_of_share(share) == pytest.approx(elo, abs=1e-3)


def test_mean_and_variance():
    """By hand: scores 0 and 1 alike often, then ¼ and ¾."""
    assert mean_and_variance([0.5, 0, 0, 0, 0.5]) == (0.5, 0.25)
    assert mean_and_variance([0, 0.5, 0, 0.5, 0]) == (0.5, 0.0625)


def test_interval_by_hand():
    """100 pairs, 60 with 1 point, 40 with 1½: mean 0.6, variance 0.015, error 1.96 · sqrt(0.015 / 100) = 0.024005."""
    interval = elo_interval(Counts(0, 0, 60, 40, 0))
    error = 1.959964 * math.sqrt(0.6 * 0.01 + 0.4 * 0.0225) / 10
    assert error == pytest.approx(0.024005, abs=1e-6)
    assert interval.value == pytest.approx(400 * math.log10(1.5))
    assert interval.low == pytest.approx(400 * math.log10((0.6 - error) / (0.4 + error)))
    assert interval.high == pytest.approx(400 * math.log10((0.6 + error) / (0.4 - error)))


def test_pairs_know_more_than_games():
    """White nearly always wins: most pairs end 1 : 1. As 42 single games the interval would be 215 Elo wide."""
    interval = elo_interval(Counts(0, 0, 20, 1, 0))
    assert interval.high - interval.low < 40


@pytest.mark.parametrize("counts", [Counts(0, 0, 0, 0, 10), Counts(0, 0, 10, 0, 0), Counts(1, 0, 0, 0, 0)])
def test_pairs_that_all_end_alike_have_an_error_too(counts):
    interval = elo_interval(counts)
    assert interval.low < interval.value or interval.value < interval.high
    assert interval.high > interval.low


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (None, "unknown"),
        (Interval(12.4, -3.2, 28.0), "+12 (-3 … +28)"),
        (Interval(3600, 566, 3600), "over +566"),
        (Interval(-3600, -3600, -566.2), "under -566"),
        (Interval(798.3, 496, 3600), "+798 (over +496)"),
        (Interval(-191, -3600, 100), "-191 (under +100)"),
        (Interval(0, -3600, 3600), "+0 (anything)"),
    ],
)
def test_elo_as_text(interval, text):
    assert elo_text(interval) == text


def test_unknown_bounds_are_no_numbers():
    """Two pairs, ½ and 1½ points: µ ± error is 0.5 ± 0.35. One pair with 2: only that it is over some Elo."""
    bounded = MatchSummary(("A", "B"), (Pair((0.5, 0.0), (None,) * 2), Pair((1.0, 0.5), (None,) * 2)))
    assert None not in bounded.data()["elo"].values()
    data = MatchSummary(("A", "B"), (Pair((1.0, 1.0), (None, None)),)).data()["elo"]
    assert data["value"] is data["high"] is None
    assert data["low"] < 0


def test_summary_lists_forfeits_by_worker():
    pairs = (
        Pair((1.0, 0.5), ("second: time", None), "here:1"),
        Pair((0.0, 1.0), ("first: crash", "second: time"), "here:1"),
        Pair((1.0, 1.0), ("second: time", None), "there:2"),
    )
    summary = MatchSummary(("A", "B"), pairs, Sprt(0, 5))
    text = "\n".join(summary.lines())
    assert "A against B: 6 games" in text
    assert "won 4, drawn 1, lost 1: 75.0 %" in text
    assert "pairs with 0, ½, 1, 1½, 2 points: 0 0 1 1 1" in text
    assert "(second: time) on here:1: 2" in text
    assert "(second: time) on there:2: 1" in text
    assert "(first: crash) on here:1: 1" in text
    data = summary.data()
    assert data["pentanomial"] == [0, 0, 1, 1, 1]
    assert {"forfeit": "second: time", "worker": "here:1", "games": 2} in data["forfeits"]
    assert (data["limit"], data["left_out"]) == (None, [])
    assert data["sprt"]["decision"] == "undecided"
