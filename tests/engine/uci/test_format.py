"""`info` lines: each number where the protocol wants it."""

import pytest

from engine.report.info import Info
from engine.report.move_stats import WIN
from engine.uci.format import info_lines
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
