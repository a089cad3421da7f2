"""Accuracy against a plain version of the published formula, and against the bounds of lichess's own tests."""

import math
import random

import pytest

from engine.review.accuracy import accuracy_of, average_centipawn_loss, numbers_of_moves, win_percent


def plain_accuracy(first, evaluations, white_begins):
    """The formula step by step, as lichess describes it; -> White's and Black's accuracy."""
    wins = []
    for evaluation in [first, *evaluations]:
        cp = min(max(evaluation, -1000), 1000)
        wins.append(50 + 50 * (2 / (1 + math.exp(-0.00368208 * cp)) - 1))
    size = min(max(len(evaluations) // 10, 2), 8)
    windows = [wins[:size] for _ in range(min(size, len(wins)) - 2)]
    windows += [wins[start : start + size] for start in range(len(wins) - size + 1)]
    found = {True: [], False: []}
    for ply, window in zip(range(len(evaluations)), windows, strict=False):
        mean = sum(window) / len(window)
        deviation = math.sqrt(sum((x - mean) ** 2 for x in window) / len(window))
        is_white = white_begins == (ply % 2 == 0)
        fall = wins[ply] - wins[ply + 1] if is_white else wins[ply + 1] - wins[ply]
        value = 100.0
        if fall > 0:
            value = 103.1668100711649 * math.exp(-0.04354415386953951 * fall) - 3.166924740191411 + 1
        found[is_white].append((min(max(value, 0), 100), min(max(deviation, 0.5), 12)))
    sides = []
    for moves in (found[True], found[False]):
        weighted = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
        harmonic = len(moves) / sum(1 / max(1, value) for value, _ in moves)
        sides.append((weighted + harmonic) / 2)
    return sides


def accuracies(evaluations, turn="white", first=15):
    moves = numbers_of_moves(first, evaluations, turn)
    return [accuracy_of([move for move in moves if move.turn == side]) for side in ("white", "black")]


def test_random_games_have_the_accuracy_of_the_plain_formula():
    rng = random.Random(1)
    for plies in [2, 3, 5, 10, 19, 20, 21, 40, 80, 81, 200]:
        evaluations = [rng.choice([0, rng.gauss(0, 150), rng.gauss(0, 900), 5000]) for _ in range(plies)]
        for turn in ("white", "black"):
            first = rng.choice([15, -400])
            assert accuracies(evaluations, turn, first) == pytest.approx(
                plain_accuracy(first, evaluations, turn == "white")
            )


@pytest.mark.parametrize(
    ("evaluations", "white", "black", "tolerance"),
    [
        ([15, 15], 100, 100, 1),
        ([-900, -900], 10, 100, 5),
        ([15, 900], 100, 10, 5),
        ([-900, 0], 10, 10, 5),
        ([15] * 20, 100, 100, 1),
        ([15] * 20 + [-900], 50, 100, 5),
        ([15] * 21 + [900], 100, 50, 5),
        ([-50, 15] * 5, 76, 76, 8),
        ([-50, 15] * 50, 76, 76, 8),
        ([-135, 15] * 50, 54, 54, 8),
        ([-435, 15] * 50, 20, 20, 8),
    ],
)
def test_the_values_that_lichess_expects(evaluations, white, black, tolerance):
    """Those of AccuracyPercentTest in github.com/lichess-org/lila."""
    found = accuracies(evaluations)
    assert found == [pytest.approx(white, abs=tolerance), pytest.approx(black, abs=tolerance)]
    mirrored = accuracies([-value for value in evaluations], "black", first=-15)
    assert mirrored == pytest.approx(found[::-1])


def test_centipawns_lost_are_capped():
    moves = numbers_of_moves(15, [-35, -35, -1500, 3000, 100], "white")
    losses = [[move.centipawn_loss for move in moves if move.turn == side] for side in ("white", "black")]
    assert losses == [[50, 965, 900], [0, 2000]]
    assert average_centipawn_loss(moves[:1]) == 50
    assert average_centipawn_loss([]) is None
    assert accuracy_of([]) is None
    assert [round(win_percent(cp), 1) for cp in (0, 100, -100, 5000)] == [50.0, 59.1, 40.9, 97.5]
