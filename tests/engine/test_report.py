import pytest

from engine.mcts.tree import SCORE_UNIT
from engine.report import DRAW, LOSS, WIN, MoveStats, best_of, centipawns, rank, score_text, wdl


def move(code, visits=0, score=0.5, draws=0.0, result=0, distance=0):
    wins, shares = round(visits * score * SCORE_UNIT), round(visits * draws * SCORE_UNIT)
    return MoveStats(code, code, visits, wins, shares, 0.1, result, distance)


def choose(*moves):
    return best_of(sorted(moves, key=rank, reverse=True)).code


def test_most_visits_win_and_ties_go_by_score():
    assert choose(move(1, 10, 0.9), move(2, 50, 0.4), move(3, 20, 0.8)) == 2
    assert choose(move(1, 50, 0.4), move(2, 50, 0.6)) == 2


def test_the_shortest_proven_win_comes_first():
    assert choose(move(1, 9999, 0.99), move(2, 3, result=WIN, distance=5), move(3, 2, result=WIN, distance=3)) == 3


def test_a_proven_loss_is_played_only_if_there_is_nothing_else_and_then_the_longest():
    assert choose(move(1, 500, result=LOSS, distance=8), move(2, 1, 0.01)) == 2
    assert choose(move(1, 500, result=LOSS, distance=4), move(2, 1, result=LOSS, distance=10)) == 2


def test_a_proven_draw_counts_as_half():
    assert choose(move(1, 500, 0.4), move(2, 3, result=DRAW, distance=1)) == 2
    assert choose(move(1, 500, 0.6), move(2, 3, result=DRAW, distance=1)) == 1


@pytest.mark.parametrize(("score", "expected"), [(0.5, 0), (0.75, 275), (0.25, -275), (1.0, 9999), (0.0, -9999)])
def test_centipawns(score, expected):
    assert centipawns(score) == expected


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        (move(1, 10, 0.75), "cp 275"),
        (move(1, 10, result=WIN, distance=1), "mate 1"),
        (move(1, 10, result=WIN, distance=5), "mate 3"),
        (move(1, 10, result=LOSS, distance=2), "mate -1"),
        (move(1, 10, result=LOSS, distance=6), "mate -3"),
        (move(1, 10, result=DRAW, distance=4), "cp 0"),
        (move(1), "cp 0"),
    ],
)
def test_scores_as_text(stats, expected):
    assert score_text(stats) == expected


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        (move(1, 1000, 0.6, 0.2), (500, 200, 300)),
        (move(1, 10, result=WIN, distance=3), (1000, 0, 0)),
        (move(1, 10, result=DRAW, distance=3), (0, 1000, 0)),
        (move(1, 10, result=LOSS, distance=3), (0, 0, 1000)),
        (move(1, 7, 1 / 3, 1 / 3), (167, 333, 500)),
    ],
)
def test_win_draw_loss_adds_up(stats, expected):
    assert wdl(stats) == expected
    assert sum(wdl(stats)) == 1000
