"""The words against the numbers that they stand for."""

import re

import pytest

from engine.explain.explain import answer, explain, search_alone, search_more
from engine.explain.text import data_of, lines_of, percent, proven_text
from engine.explain.verdict import Verdict
from engine.report.move_stats import moves_below, short_score
from movegen import Position
from tests.engine.report.searches import MIDDLEGAME, searched
from tests.engine.report.test_network_priors import ROUNDED, softmax_of

TWO_MATES = "6k1/8/6K1/8/8/8/8/R6Q w - - 0 1"


@pytest.mark.parametrize(
    ("result", "plies", "expected"),
    [
        ("win", 1, "mate in 1 is proven"),
        ("win", 5, "mate in 3 is proven"),
        ("loss", 2, "being mated in 1 is proven"),
        ("loss", 6, "being mated in 3 is proven"),
        ("draw", 1, "a draw is proven, after 1 ply"),
        ("draw", 4, "a draw is proven, after 4 plies"),
    ],
)
def test_proofs(result, plies, expected):
    assert proven_text({"result": result, "plies": plies}) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, "0 %"), (0.003, "0.3 %"), (0.0994, "9.9 %"), (0.0996, "10 %"), (0.714, "71 %"), (1, "100 %")],
)
def test_shares(share, expected):
    assert percent(share) == expected


@pytest.mark.parametrize(
    ("score", "expected"), [(None, "-"), (0.0, ".00"), (0.494, ".49"), (0.996, "1.00"), (1, "1.00")]
)
def test_scores(score, expected):
    assert short_score(score) == expected


def test_the_numbers_of_a_move_that_is_worse():
    found = answer(searched(MIDDLEGAME, 20_000).report(), "h4")
    text = "\n".join(lines_of(found))
    row, best = found.row, found.best
    below = round(round(best.q, 2) - round(row.q, 2), 2)
    assert row.q < best.q
    assert f"score {short_score(row.q)}, {short_score(below)} below {best.san}" in text
    assert f"first look {short_score(row.v)}" in text
    shown = re.search(r"\(W (\d+) D (\d+) L (\d+)\)", text)
    assert [int(part) for part in shown.groups()] == [round(part / 10) for part in row.wdl]


def test_the_scores_of_replies_are_turned_to_the_player_who_asks():
    found = explain(searched(MIDDLEGAME, 20_000).report(), "b4")
    first, second = found.replies
    line = next(line for line in lines_of(found) if "reply" in line)
    assert f"{first.san} ({percent(first.share)} of the replies)" in line
    assert f"next best reply {second.san} ({percent(second.share)}): {short_score(1 - second.q)} for White" in line
    assert abs(second.q - 0.5) > 0.02  # so that the other view would show another number


def test_what_is_missing_is_counted_in_the_search_that_decides():
    report = searched(MIDDLEGAME, 20_000).report()
    rows = {row.san: row for row in report.rows()}
    best = report.rows()[0]
    expected = best.n - rows["h4"].n + (rows["h4"].q <= best.q)
    assert explain(report, "h4").missing == expected
    assert answer(report, "h4").missing == expected
    assert f"at least {expected:,} more to overtake {best.san}" in lines_of(answer(report, "h4"))[-1]


def test_a_search_for_a_move_takes_the_priors_of_an_inner_node():
    report = searched(MIDDLEGAME, 500).report()
    found = explain(report, "h4")
    alone = search_alone(report.snapshot, found.after, 50)
    after = Position(MIDDLEGAME).play("h4")
    expected = softmax_of(report.snapshot.network, after.fen(), temperature=2.4)
    for move in moves_below(alone.tree, 0):
        assert move.prior == pytest.approx(expected[after.uci(move.code)], abs=ROUNDED)


def test_a_mate_that_was_not_visited_is_seen():
    report = searched(TWO_MATES, 2).report()
    found = [search_more(explain(report, move), 10) for move in ("Ra8", "Qa8")]
    assert [(one.verdict, one.row.proven) for one in found] == [(Verdict.PROVEN_WIN, {"result": "win", "plies": 1})] * 2


@pytest.mark.parametrize("move", [None, "b4", "h4", "Ke2"])
def test_text_is_made_of_the_labelled_lines_and_nothing_else(move):
    data = data_of(answer(searched(MIDDLEGAME, 3000).report(), move))
    verdict = f"verdict: {data['verdict']}".split()
    around = {"situation": [], "numbers": [], "verdict": [*verdict, "()"], "reason": [*verdict[:-1], f"{verdict[-1]}:"]}
    for line, text in zip(data["lines"], data["text"], strict=True):
        for part in line["parts"]:
            assert part in text
            text = text.replace(part, "", 1)  # noqa: PLW2901
        assert text.split() == around.get(line["label"], [line["label"]])
    labels = [line["label"] for line in data["lines"]]
    expected = {None: ["line", "why", "settled"], "Ke2": ["reason"]}.get(move, ["reply", "turned", "evidence"])
    assert labels == (expected if move == "Ke2" else ["situation", "verdict", "numbers", *expected])
