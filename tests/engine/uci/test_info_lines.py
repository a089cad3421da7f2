"""`info` lines: each number where the protocol wants it."""

import pytest

from engine.report.move_stats import DRAW, LOSS, WIN
from engine.report.node import Row
from engine.search.reporter import Info
from engine.uci.search_commands import best_move_line, info_lines, move_line, no_move_line, score_text
from tests.engine.report.moves import move


def info(**changes):
    usual = {
        "depth": 7,
        "deepest": 21,
        "seconds": 2.5,
        "nodes": 100_000,
        "hashfull": 321,
        "tbhits": 4,
        "known_score": None,
        "lines": [(move(1, 900, 0.75, 0.1), ["e2e4", "e7e5"]), (move(2, 100, 0.5, 1.0), ["d2d4"])],
    }
    return Info(**{**usual, **changes})


def test_every_number_of_a_line():
    first, second = info_lines(info(), with_wdl=True)
    work = "nodes 100000 nps 40000 hashfull 321 tbhits 4 time 2500"
    assert first == f"info depth 7 seldepth 21 multipv 1 score cp 275 wdl 700 100 200 {work} pv e2e4 e7e5"
    assert second == f"info depth 7 seldepth 21 multipv 2 score cp 0 wdl 0 1000 0 {work} pv d2d4"
    assert " wdl " not in info_lines(info(), with_wdl=False)[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"seconds": 0.0}, " nps 0 "),
        ({"seconds": 0.0019}, " time 1 "),
        ({"known_score": 1.0}, " score cp 9999 "),
        ({"lines": [(move(1, 9, result=WIN, distance=5), ["e2e4"])], "known_score": 1.0}, " score mate 3 "),
    ],
)
def test_edges(changes, expected):
    assert expected in info_lines(info(**changes), with_wdl=False)[0]


@pytest.mark.parametrize(
    ("stats", "known_score", "expected"),
    [
        (move(1, 9, result=WIN, distance=1), None, "mate 1"),
        (move(1, 9, result=WIN, distance=3), None, "mate 2"),
        (move(1, 9, result=WIN, distance=5), 0.0, "mate 3"),
        (move(1, 9, result=LOSS, distance=2), None, "mate -1"),
        (move(1, 9, result=LOSS, distance=6), 1.0, "mate -3"),
        (move(1, 9, result=DRAW, distance=4), None, "cp 0"),
        (move(1, 4, 0.75), None, "cp 275"),
        (move(1, 4, 0.25), None, "cp -275"),
        (move(1, 4, 0.25), 0.0, "cp -9999"),
        (move(1, 4, 0.25), 0.5, "cp 0"),
        (move(1), None, "cp 0"),
    ],
)
def test_scores(stats, known_score, expected):
    assert score_text(stats, known_score) == expected


@pytest.mark.parametrize(
    ("best", "reply", "expected"),
    [
        ("e2e4", "e7e5", "bestmove e2e4 ponder e7e5"),
        ("a7a8q", None, "bestmove a7a8q"),
        (None, None, "bestmove 0000"),
    ],
)
def test_best_moves(best, reply, expected):
    assert best_move_line(best, reply) == expected


def test_positions_without_a_move():
    assert no_move_line(in_check=True) == "info depth 0 score mate 0"
    assert no_move_line(in_check=False) == "info depth 0 score cp 0"


ROW = Row(
    uci="e2e4",
    san="e4",
    n=1234,
    share=0.625,
    q=0.5432149,
    wdl=[400, 300, 300],
    p=0.321,
    p_search=0.123,
    u=None,
    s=1.25,
    v=0.111,
    proven=None,
    pv=["e2e4", "e7e5"],
    line=["e4", "e5"],
    flags=[],
)


def test_lines_of_the_table_of_moves():
    numbers = "N 1234 (62.5%) P 32.1% Q 0.5432 U - S 1.2500"
    assert move_line(ROW) == f"e2e4  {numbers} WDL 400 300 300 pv e2e4 e7e5"
    proven = ROW._replace(uci="e7e8q", proven={"result": "win", "plies": 3}, wdl=None, pv=["e7e8q"])
    assert move_line(proven) == f"e7e8q {numbers} WDL - proven win in 3 plies pv e7e8q"
    assert " proven loss in 1 ply pv" in move_line(ROW._replace(proven={"result": "loss", "plies": 1}))
