import pytest

from engine.report.move_stats import DRAW, LOSS, WIN, centipawns, wdl
from engine.uci.search_commands import score_text
from tests.engine.report.moves import move


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


@pytest.mark.parametrize(
    ("known", "text", "shares"),
    [(1.0, "cp 9999", (1000, 0, 0)), (0.5, "cp 0", (0, 1000, 0)), (0.0, "cp -9999", (0, 0, 1000))],
)
def test_what_tablebases_know_comes_before_the_guess_but_not_before_a_proven_mate(known, text, shares):
    assert score_text(move(1, 10, 0.3), known) == text
    assert wdl(move(1, 10, 0.3), known) == shares
    assert score_text(move(1, 10, result=WIN, distance=3), known) == "mate 2"
