"""Texts of tables and formulas, with numbers put in by hand."""

import math

import pytest

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.params import PLAYOUT, UCB1
from engine.mcts.tree import SCORE_UNIT
from engine.report.columns import best_score, find, grade, lesson, state_text, table_columns
from engine.report.effort import IN_SHORT, MEANINGS, StopReason, effort_text, ending_text, plies_text, plural, rest_text
from engine.report.formulas import FORMULAS, Context
from engine.report.move_stats import (
    DRAW,
    LOSS,
    WIN,
    allowed,
    centipawns,
    in_order,
    mean_score,
    proof_of,
    rank,
    short_score,
)
from engine.report.node import Row, next_slot, shares_of
from engine.report.node import Urgency as Terms
from engine.report.static_eval import Outcome, PlayoutEval
from tests.engine.report.moves import move, ranked

ROW = Row(
    uci="g1f3",
    san="Nf3",
    n=1500,
    share=0.75,
    q=0.625,
    wdl=[500, 250, 250],
    p=0.25,
    p_search=0.2,
    u=0.125,
    s=0.75,
    v=0.6,
    proven=None,
    pv=["g1f3", "g8f6"],
    line=["Nf3", "Nf6"],
    flags=[],
)


def test_cells_of_a_row():
    texts = {column.key: column.text(ROW.data()) for column in table_columns()}
    assert texts == {
        "move": "Nf3",
        "n": "1,500",
        "share": "75.0%",
        "q": ".62",
        "wdl": "50 25 25",
        "p": "25.0%",
        "v": ".60",
        "u": "0.125",
        "s": "0.750",
        "state": "",
        "line": "Nf3 Nf6",
    }
    empty = ROW._replace(n=0, q=None, wdl=None, u=None, s=None, v=None).data()
    texts = {column.key: column.text(empty) for column in table_columns()}
    assert [texts[key] for key in ("q", "wdl", "u", "s", "v")] == ["-"] * 5


def test_columns_by_importance():
    orders = [[column.key for column in table_columns(lowest)] for lowest in (1, 3, 4, 6)]
    assert orders == [
        ["move"],
        ["move", "n", "q"],
        ["move", "n", "share", "q"],
        ["move", "n", "share", "q", "state", "line"],
    ]
    assert "p_search" not in [column.key for column in table_columns()]


@pytest.mark.parametrize(
    ("proven", "flags", "text"),
    [
        (None, [], ""),
        (None, ["best", "next"], "next"),
        ({"result": "draw", "plies": 4}, ["next"], "draw"),
        ({"result": "win", "plies": 1}, [], "mate in 1"),
        ({"result": "win", "plies": 5}, [], "mate in 3"),
        ({"result": "loss", "plies": 2}, [], "mated in 1"),
        ({"result": "loss", "plies": 6}, [], "mated in 3"),
    ],
)
def test_states(proven, flags, text):
    assert state_text({"proven": proven, "flags": flags}) == text


@pytest.mark.parametrize(
    ("q", "best", "expected"),
    [
        (0.5, 0.5, "good"),
        (0.48, 0.5, "good"),
        (0.479, 0.5, "fair"),
        (0.46, 0.5, "fair"),
        (0.459, 0.5, "poor"),
        (0.9, 0.5, "good"),
        (None, 0.5, ""),
        (0.5, None, ""),
    ],
)
def test_grades(q, best, expected):
    assert grade({"q": q}, best) == expected


def test_the_score_that_others_are_compared_with():
    assert best_score([{"q": None}, {"q": 0.4}, {"q": 0.9}]) == 0.4
    assert best_score([{"q": None}]) is None
    assert best_score([]) is None


def test_columns_by_name():
    assert find("Q").key == find("score").key == "q"
    assert find("First Look").key == "v"
    with pytest.raises(ValueError, match=r"^there is no column 'line'; there are n \(visits\), share \(share\), q"):
        find("line")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((20_000, 20_000, 0.24), "20,000 visits, 0.2 s"),
        ((1, 1, 0.0), "1 visit, 0.0 s"),
        ((5000, 0, 0.0), "5,000 visits of earlier searches"),
        ((5000, 2000, 1.26), "5,000 visits, 2,000 of them now in 1.3 s"),
        ((90, 100, 2.0), "90 visits, 2.0 s"),
    ],
)
def test_efforts(numbers, text):
    assert effort_text(dict(zip(("visits", "nodes", "seconds"), numbers, strict=True))) == text


def test_counted_words():
    assert [plural(count, "move") for count in (0, 1, 2, 2000)] == ["0 moves", "1 move", "2 moves", "2,000 moves"]
    assert [plies_text(count) for count in (0, 1, 2)] == ["0 plies", "1 ply", "2 plies"]
    assert rest_text({"moves": 0, "share": 0.5}) == ""
    assert rest_text({"moves": 1, "share": 0.0021}) == "1 more move, 0.2% of visits"
    assert rest_text({"moves": 7, "share": 0.1}) == "7 more moves, 10.0% of visits"
    assert ending_text({"state": "nodes"}) == "stopped: visits reached"
    assert ending_text({"state": "other"}) == "other"
    assert set(IN_SHORT) == set(MEANINGS) == set(StopReason)


# Formulas.

PUCT = Context(visits=2001, total=2000, moves=20, params=search_params(Options()), temperature=2.0)
PUCT = PUCT._replace(temperature_name="Root Temperature", power_sum=2.5)
PLAIN = PUCT._replace(params=search_params(Options())._replace(formula=UCB1, evaluator=PLAYOUT, exploration=0.5))


BONUS = (
    "C * (1 + growth * ln((N + 8192) / 8192)) * P * sqrt(N) / (1 + n); "
    "P = prior ^ (1 / T) / sum of prior ^ (1 / T), T = 2 (Root Temperature)"
)


@pytest.mark.parametrize(
    ("key", "row", "context", "text", "worked"),
    [
        ("n", ROW, PUCT, "n, counted", "1,500"),
        ("share", ROW, PUCT, "n / sum of n", "1,500 / 2,000 = 75.0%"),
        ("q", ROW, PUCT, "sum of results / n", "937.5000 / 1,500 = 0.6250"),
        ("q", ROW._replace(q=None), PUCT, "sum of results / n", "not visited yet"),
        ("q", ROW._replace(q=1.0, proven={"result": "win"}), PUCT, "sum of results / n", "win is proven: 1.0"),
        (
            "wdl",
            ROW,
            PUCT,
            "draws counted; wins = score - draws / 2",
            "draws 25.0 %; wins 0.625 - 0.250 / 2 = 50.0 %; losses the rest, 25.0 %",
        ),
        ("wdl", ROW._replace(wdl=None), PUCT, "draws counted; wins = score - draws / 2", "not visited yet"),
        ("p", ROW, PUCT, "softmax of the network, temperature 1", "0.2500"),
        ("p", ROW, PLAIN, "1 / moves: playouts prefer none", "1 / 20 = 0.2500"),
        (
            "p_search",
            ROW,
            PUCT,
            "prior ^ (1 / T) / sum of prior ^ (1 / T), T = 2 (Root Temperature)",
            "0.250000 ^ (1 / 2) / 2.5 = 0.2000",
        ),
        (
            "p_search",
            ROW._replace(p_search=0.2001),
            PUCT._replace(temperature=1, power_sum=1.25),
            "prior ^ (1 / T) / sum of prior ^ (1 / T), T = 1",
            "0.250000 ^ (1 / 1) / 1.25 = 0.2000, which the tree keeps rounded: 0.2001",
        ),
        ("p_search", ROW, PLAIN, "the prior", "0.2000"),
        ("v", ROW, PUCT, "1 - score of the position after it", "1 - 0.4000 = 0.6000"),
        ("v", ROW._replace(v=None), PUCT, "1 - score of the position after it", "playouts have no first look"),
        ("u", ROW, PLAIN, "C * sqrt(ln N / n)", f"0.5 * sqrt({math.log(2001):.4f} / 1500) = 0.1250"),
        (
            "u",
            ROW,
            PUCT,
            BONUS,
            "0.55 * (1 + 4 * ln((2001 + 8192) / 8192)) * 0.2 * sqrt(2001) / (1 + 1500) = 0.1250",
        ),
        ("s", ROW, PUCT, "score + bonus", "0.6250 + 0.1250 = 0.7500"),
        ("s", ROW._replace(u=None), PUCT, "score + bonus", "no number: see the bonus"),
    ],
)
def test_formulas(key, row, context, text, worked):
    assert FORMULAS[key].text(context) == text
    assert FORMULAS[key].worked(row, context) == worked


@pytest.mark.parametrize(
    ("flags", "text"), [(["first"], "without end: it comes first"), ([], "none: it is proven to lose")]
)
def test_a_bonus_without_a_number(flags, text):
    assert FORMULAS["u"].worked(ROW._replace(u=None, flags=flags), PUCT) == text


def test_a_lesson():
    assert lesson(find("q"), ROW, PUCT, "White") == [
        "score (q): mean result: win 1, draw 1/2, loss 0; for White, the side to move",
        "  formula  sum of results / n",
        "  Nf3      937.5000 / 1,500 = 0.6250",
    ]


# Small numbers.


def test_shares_are_rounded_by_their_remainders():
    assert shares_of([1, 1, 1]) == [0.334, 0.333, 0.333]
    assert shares_of([1, 2]) == [0.333, 0.667]
    assert shares_of([0, 5]) == [0.0, 1.0]
    assert shares_of([0, 0]) == [0.0, 0.0]


def test_scores_and_proofs():
    assert mean_score(3 * SCORE_UNIT, 4) == 0.75
    assert mean_score(0, 0) is None
    assert proof_of(WIN, 3) == {"result": "win", "plies": 3}
    assert proof_of(0, 3) is None
    assert [short_score(score) for score in (None, 0.0, 0.494, 1.0)] == ["-", ".00", ".49", "1.00"]
    assert [centipawns(score) for score in (0.6, 0.4, 0.99, 1e-30)] == [101, -101, 1149, -9999]


def test_the_move_that_is_visited_next():
    assert next_slot({5: Terms(0.1, 0.5, ""), 6: Terms(0.2, 0.7, ""), 7: Terms(0.2, 0.7, "")}) == 6
    assert next_slot({5: Terms(0.1, 0.9, ""), 6: Terms(None, None, "first"), 7: Terms(None, None, "first")}) == 6
    assert next_slot({5: Terms(None, None, "never")}) is None
    assert next_slot({}) is None


def test_playouts_and_outcomes():
    sample = PlayoutEval(50, 20, 30)
    assert (sample.games, sample.score) == (100, 0.6)
    variance = (50 * 0.4**2 + 20 * 0.1**2 + 30 * 0.6**2) / 100
    assert sample.error == pytest.approx(math.sqrt(variance / 100))
    assert PlayoutEval(10, 0, 0).error == 0
    assert Outcome(0.5, 0.3, 0.2).score == 0.65


def test_the_order_of_moves():
    quick, slow = move(1, 1, result=WIN, distance=1), move(2, 9, result=WIN, distance=3)
    many, few = move(3, 50, 0.4), move(4, 5, 0.9)
    late, soon = move(5, 9, result=LOSS, distance=8), move(6, 99, result=LOSS, distance=2)
    drawn = move(7, 20, result=DRAW, distance=2)
    order = [quick, slow, many, drawn, few, late, soon]
    assert sorted(order[3:] + order[:3], key=rank, reverse=True) == order
    assert [one.code for one in allowed(ranked(many, few, drawn, late))] == [7]
    better = move(8, 60, 0.6)
    assert [one.code for one in allowed(ranked(better, many, few, drawn, move(9)))] == [8, 4, 7]
    assert [one.code for one in allowed(ranked(many, few, move(9), late))] == [3, 4]
    assert [one.code for one in allowed(ranked(move(9), late))] == [9]
    assert [one.code for one in in_order(ranked(many, few, drawn, late))] == [7, 3, 4, 5]
    assert [one.code for one in in_order(ranked(move(9), move(8)))] == [9, 8]
