"""The chart and the numbers of a review, with moves made by hand."""

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import chess.pgn
import pytest

from engine.review.chart import is_chart, sparkline, svg, white_scores
from engine.review.judged import Judged, Worth, evaluation_of
from engine.review.numbers import GameFacts, numbers_of
from engine.review.phases import Division
from engine.review.reviewed_game import Review

WIN, LOSS, DRAW = ({"result": result, "plies": 5} for result in ("win", "loss", "draw"))


def worth(score, proven=None, visits=1000, best="e2e4"):
    return Worth(score, proven, visits, best, best and "e4", [best], ["e4"])


def judged(ply, before, after, turn=None, proven=None):
    """A move: the score before it for the player who makes it, and after it for the same player."""
    turn = turn or ("white" if ply % 2 == 0 else "black")
    return Judged(ply, ply // 2 + 1, turn, "a2a4", "a4", worth(before), worth(round(1 - after, 6), proven))


def review_of(*moves, codes=None):
    game = chess.pgn.Game()
    game.headers.update({"White": "A <b>", "Black": "B & C", "Result": "1-0"})
    count = len(moves) if codes is None else codes
    return Review(SimpleNamespace(), game, start=SimpleNamespace(), codes=[0] * count, moves=list(moves))


GAME = review_of(judged(0, 0.5, 0.5), judged(1, 0.5, 0.25), judged(2, 0.75, 0.65), judged(3, 0.35, 0.29))


@pytest.mark.parametrize(
    ("proven", "mate"),
    [
        (None, None),
        (DRAW, None),
        (WIN, 3),
        ({"result": "win", "plies": 1}, 1),
        ({"result": "loss", "plies": 2}, -1),
        ({"result": "loss", "plies": 6}, -3),
        ({"result": "loss", "plies": 0}, 0),
    ],
)
def test_mates(proven, mate):
    assert worth(0.5, proven).mate == mate
    if mate:
        assert evaluation_of(worth(0.5, proven), -1) == {"mate": -mate}


@pytest.mark.parametrize(("turn", "sign"), [("white", 1), ("black", -1)])
def test_evaluations_are_for_white(turn, sign):
    assert judged(0, 0.5, 0.75, turn).evaluation == {"cp": sign * 275}
    mated = judged(0, 0.5, 0.0, turn, {"result": "win", "plies": 3})
    assert mated.evaluation == {"mate": -sign * 2}
    assert judged(0, 0.5, 1.0, turn, {"result": "loss", "plies": 0}).evaluation is None
    assert judged(0, 0.5, 0.75, turn).white_score == (0.75 if turn == "white" else 0.25)


def test_losses_and_names():
    moves = GAME.moves
    assert [move.loss for move in moves] == pytest.approx([0, 0.25, 0.1, 0.06])
    assert [str(move.severity) for move in moves] == ["", "blunder", "mistake", "inaccuracy"]
    assert [move.is_in_doubt for move in moves] == [False, True, True, False]
    assert [move.name for move in moves] == ["1. a4", "1... a4", "2. a4", "2... a4"]
    assert judged(0, 0.3, 0.6).loss == 0.0


def test_sums_of_the_players():
    facts = GameFacts(("A <b>", "B & C"), True, None, Division(2, None), (None, 7.0, None, 5.5))
    players = numbers_of(facts, GAME.moves)["players"]
    white, black = players["white"], players["black"]
    names = ("name", "moves", "average_loss", "inaccuracy", "mistake", "blunder")
    assert [white[name] for name in names] == ["A <b>", 2, 0.05, 0, 1, 0]
    assert [black[name] for name in names] == ["B & C", 2, 0.155, 1, 0, 1]
    assert (white["seconds"], black["seconds"], black["by_phase"]["middlegame"]["seconds"]) == (None, 12.5, 5.5)
    assert [black["by_phase"][phase]["moves"] for phase in ("opening", "middlegame", "endgame")] == [1, 1, 0]
    nobody = numbers_of(facts, [])["players"]["white"]
    assert (nobody["average_loss"], nobody["accuracy"], nobody["average_centipawn_loss"]) == (None, None, None)


def test_scores_over_the_game():
    assert white_scores(GAME) == pytest.approx([0.5, 0.5, 0.75, 0.65, 0.71])
    assert white_scores(review_of(judged(0, 0.3, 0.4, "black"))) == pytest.approx([0.7, 0.6])
    assert white_scores(review_of()) == []


@pytest.mark.parametrize(
    ("scores", "width", "bars", "text"),
    [
        ([0, 0.124, 0.125, 0.5, 0.874, 0.875, 1], 10, True, "▁▁▂▅▇██"),
        ([0, 0.09, 0.1, 0.55, 0.99, 1], 10, False, "001599"),
        ([0.0, 0.1, 0.2, 0.3], 2, False, "02"),
        ([0.0, 0.1, 0.2, 0.3], 0, False, "0"),
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], 4, False, "0134"),
    ],
)
def test_small_bars(scores, width, bars, text):
    assert sparkline(scores, width, bars=bars) == text


def test_the_geometry_of_the_chart():
    """740 units wide from 44, 170 high from 40: White's win is at the top."""
    text = svg(GAME)
    assert is_chart(text.encode()[:4096])
    assert not is_chart(b" " + text.encode())
    root = ET.fromstring(text)  # noqa: S314
    space = "{http://www.w3.org/2000/svg}"
    points = "44.0,125.0 229.0,125.0 414.0,82.5 599.0,99.5 784.0,89.3"
    assert root.find(f"{space}polyline").get("points") == points
    assert root.find(f"{space}polygon").get("points") == f"44,210 {points} 784.0,210"
    lines = [(line.get("x1"), line.get("x2"), line.get("y1"), line.get("y2")) for line in root.iter(f"{space}line")]
    assert lines == [("44", "784", y, y) for y in ("210.0", "125.0", "40.0")]
    dots = [
        (dot.get("class"), dot.get("cx"), dot.get("cy")) for dot in root.iter(f"{space}circle") if dot.get("cy") != "18"
    ]
    assert dots == [
        ("dot blunder", "414.0", "82.5"),
        ("dot mistake", "599.0", "99.5"),
        ("dot inaccuracy", "784.0", "89.3"),
    ]
    titles = [title.text for title in root.iter(f"{space}title")]
    assert titles[0] == "1... a4: blunder, score .25 (1,000 visits); e4 has .50 (1,000)"
    texts = [one.text for one in root.iter(f"{space}text")]
    assert texts[0] == "A <b> - B & C, 1-0"
    assert texts[1:4] == ["0", "½", "1"]
    assert texts[4] == "White’s score: win 1, draw ½, loss 0; 4 half-moves"
    assert texts[5:] == ["inaccuracy", "mistake", "blunder"]
    legend = [dot.get("cx") for dot in root.iter(f"{space}circle") if dot.get("cy") == "18"]
    assert legend == ["500", "605", "710"]


def test_a_chart_of_nothing():
    root = ET.fromstring(svg(review_of()))  # noqa: S314
    assert root.find("{http://www.w3.org/2000/svg}polyline") is None
