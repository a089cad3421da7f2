"""Columns by importance: at every width the most important ones are whole."""

import io

import pytest
from rich.console import Console

from engine.cli.console import Column, fitting, moves_table, search_view, whole_words
from engine.cli.review_tables import players_table
from engine.pgn.game_file import FoundGame
from engine.report.columns import state_text, table_columns
from engine.report.effort import StopReason, effort_text, ending_text, rest_text
from engine.review.numbers import game_numbers
from engine.review.reviewed_game import Review

WIDTHS = [40, 60, 80, 100, 120, 200]
LINE = ("exd8=Q+", "Nbxd7+", "Qxd7", "Rad1", "Rfe8", "Rxd7", "O-O-O+", "Kh8", "Nf6", "gxf6", "Qg4+", "Bg7", "Rd3")


def row(san, visits, **changes):
    usual = {
        "san": san,
        "n": visits,
        "share": 0.123,
        "q": 0.54,
        "wdl": [412, 231, 357],
        "p": 0.321,
        "v": 0.51,
        "u": 0.1234,
        "s": 0.6634,
        "proven": None,
        "flags": [],
        "line": [san, *LINE[1:]],
    }
    return {**usual, **changes}


NODE = {
    "rows": [
        row("exd8=Q+", 7_123_456, flags=["next"]),
        row("Nbxd7+", 1_999_999),
        row("a3", 5, proven={"result": "loss", "plies": 24}),
        row("h3", 0, q=None, wdl=None, share=0.0),
    ],
    "rest": {"moves": 1, "n": 3, "share": 0.002},
}
SUMMARY = {
    "turn": "white",
    "visits": 9_123_456,
    "nodes": 9_123_456,
    "seconds": 61.23,
    "speed": 149_000,
    "depth": 12,
    "deepest": 40,
    "memory": 0.05,
    "state": "nodes",
}


def drawn(what, width):
    file = io.StringIO()
    Console(file=file, width=width, force_terminal=False, highlight=False).print(what)
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_move_visits_and_score_are_whole_at_every_width(width):
    head, _, *rows = drawn(moves_table(NODE, width), width)
    assert all(len(line) <= width for line in [head, *rows])
    assert head.split()[:2] == ["move", "visits"]
    assert "score" in head
    assert "…" not in "".join([head, *rows])
    for line, shown in zip(rows, NODE["rows"], strict=True):
        assert line.split()[:2] == [shown["san"], f"{shown['n']:,}"]
        place = head.index("score") + len("score")
        assert line[:place].split()[-1] == ("-" if shown["q"] is None else ".54")


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_drop_by_importance(width):
    head = drawn(moves_table(NODE, width), width)[0]
    shown = [one.title in head for one in sorted(table_columns(), key=lambda one: one.importance)]
    assert shown == sorted(shown, reverse=True)
    assert all(shown) == (width >= 200)


def test_the_columns_of_each_width():
    heads = {width: drawn(moves_table(NODE, width), width)[0].split() for width in WIDTHS}
    assert heads[40] == ["move", "visits", "share", "score"]
    assert heads[60] == ["move", "visits", "share", "score", "line"]
    assert heads[80] == ["move", "visits", "share", "score", "state", "line"]
    assert "prior" in heads[100]
    assert "first" in heads[120]


@pytest.mark.parametrize("width", WIDTHS)
def test_lines_break_between_moves(width):
    head, _, *rows = drawn(moves_table(NODE, width), width)
    if "line" in head:
        for line, shown in zip(rows, NODE["rows"], strict=True):
            moves = line[head.index("line") :].split()
            assert moves == shown["line"][: len(moves)]
            assert moves


@pytest.mark.parametrize("width", [10, 20, 30])
def test_the_move_is_never_squeezed(width):
    head, _, *rows = drawn(moves_table(NODE, width), width)
    assert [line.split()[0] for line in rows] == [shown["san"] for shown in NODE["rows"]]
    assert head.split()[0] == "move"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_table_of_players(width):
    names = ('[White "Nepomniachtchi, Ian Alexandrovich"]', '[Black "王皓 Wang, Hao, of a very long name indeed"]')
    found = FoundGame("x.pgn", 1, "\n".join(names) + "\n\n1. e4 *\n")
    lines = drawn(players_table(game_numbers(Review.of(found)), width), width)
    head, _, white, black = lines
    assert "…" not in "".join(lines)
    assert head.split()[0] == "side"
    for name in ("blunders", "mistakes", "player"):
        assert name in head
    assert ("accuracy" in head, "average loss" in head) == (width >= 60, width >= 80)
    assert white.startswith("white   Nepomnia")
    assert black.split()[1].startswith("王皓")
    assert white.split()[-1] == black.split()[-1] == "0"
    assert "Nepomniachtchi, Ian Alexandrovich" in white or width < 120


def test_fitting_takes_the_most_important_first():
    columns = [Column("a", ["12345"], 2), Column("b", ["1234567890"], 1), Column("c", ["1"], 3)]
    assert [column.name for column in fitting(columns, 12)[0]] == ["b"]
    assert [column.name for column in fitting(columns, 18)[0]] == ["a", "b"]
    assert ([column.name for column in fitting(columns, 25)[0]], fitting(columns, 25)[1]) == (["a", "b", "c"], 3)
    assert [column.name for column in fitting(columns, 3)[0]] == ["b"]


def test_whole_words():
    assert whole_words("Rxd7+ Kxd7 Ne5+", 99) == "Rxd7+ Kxd7 Ne5+"
    assert whole_words("Rxd7+ Kxd7 Ne5+", 14) == "Rxd7+ Kxd7"
    assert whole_words("Rxd7+ Kxd7", 3) == ""


# Words about the whole


def test_the_headline():
    (first, *_), text = (
        drawn(search_view(SUMMARY, NODE, 200), 200),
        "\n".join(drawn(search_view(SUMMARY, NODE, 200), 200)),
    )
    assert first.startswith("White to move, 9,123,456 visits, 61.2 s, 149,000 visits/s")
    assert first.endswith("memory 5%, stopped: visits reached")
    assert "... 1 more move, 0.2% of visits" in text


@pytest.mark.parametrize(
    ("visits", "nodes", "expected"),
    [
        (1, 1, "1 visit, 0.2 s"),
        (20_000, 20_000, "20,000 visits, 0.2 s"),
        (19_999, 20_000, "19,999 visits, 0.2 s"),
        (840_874, 20_000, "840,874 visits, 20,000 of them now in 0.2 s"),
        (840_874, 0, "840,874 visits of earlier searches"),
    ],
)
def test_visits_that_were_kept_do_not_count_as_made_in_the_time(visits, nodes, expected):
    assert effort_text({"visits": visits, "nodes": nodes, "seconds": 0.2}) == expected


@pytest.mark.parametrize("reason", list(StopReason))
def test_every_end_has_words(reason):
    text = ending_text({"state": str(reason)})
    assert text.startswith("searching" if reason is StopReason.SEARCHING else "stopped")


def test_the_rest():
    assert rest_text({"moves": 0, "n": 0, "share": 0.0}) == ""
    assert rest_text({"moves": 2, "n": 9, "share": 0.0155}) == "2 more moves, 1.6% of visits"


@pytest.mark.parametrize(
    ("proven", "flags", "expected"),
    [
        (None, [], ""),
        (None, ["best", "next"], "next"),
        ({"result": "win", "plies": 1}, ["next"], "mate in 1"),
        ({"result": "win", "plies": 5}, [], "mate in 3"),
        ({"result": "loss", "plies": 2}, [], "mated in 1"),
        ({"result": "loss", "plies": 6}, [], "mated in 3"),
        ({"result": "draw", "plies": 4}, [], "draw"),
    ],
)
def test_the_state_of_a_move(proven, flags, expected):
    assert state_text(row("a3", 9, proven=proven, flags=flags)) == expected


def test_colours_follow_the_distance_to_the_best_score():
    scores = (0.54, 0.52, 0.51, 0.50, 0.49, None)
    table = moves_table({"rows": [row("a3", 9, q=score) for score in scores]}, 80)
    assert [line.style for line in table.rows] == ["green", "green", "yellow", "yellow", "", "dim"]
