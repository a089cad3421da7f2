import json
import os
import subprocess
import sys

import pytest

from engine.__main__ import main
from tests.engine.cli.console import piped
from tests.engine.report.searches import MIDDLEGAME

GAME = """[Event "?"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *
"""


def output_of(capsys, *arguments):
    assert main(["analyse", "--hash", "16", *arguments]) == 0
    return capsys.readouterr().out


def test_a_plain_table_where_there_is_no_terminal(capsys):
    output = output_of(capsys, "--visits", "800", "--moves", "3", *MIDDLEGAME.split())
    assert "\x1b" not in output
    lines = output.splitlines()
    assert lines[0].startswith("White to move, 800 visits")
    header = next(line for line in lines if line.split()[:2] == ["move", "visits"])
    for name in ("share", "score", "win draw loss", "prior", "first look", "bonus", "urgency", "state", "line"):
        assert name in header
    assert "... 43 more moves" in output


def test_json_holds_the_same_numbers_as_the_table(capsys):
    arguments = ("--visits", "800", MIDDLEGAME)
    data = json.loads(output_of(capsys, "--json", "--why", "--why", "Nh4", *arguments))
    assert data["summary"]["schema"] == "teresa-search/1"
    assert data["summary"]["visits"] == 800
    assert data["history"]["visits"][-1] == 800
    assert data["why"][0]["verdict"] == "BEST"
    assert data["why"][1]["added"] == 2000
    rows = data["root"]["rows"]
    assert len(rows) == data["summary"]["moves"] == 46
    assert data["root"]["rest"] == {"moves": 0, "n": 0, "share": 0.0}
    assert sum(round(1000 * row["share"]) for row in rows) == 1000
    assert all(row["v"] is not None for row in rows)
    assert all(row["line"] for row in rows)
    few = json.loads(output_of(capsys, "--json", "--moves", "3", *arguments))
    assert len(few["root"]["rows"]) == 46


def test_why_and_the_formulas(capsys):
    output = output_of(
        capsys, "--visits", "500", "--why", "--extra", "100", "--why", "h4", "--explain", "bonus", MIDDLEGAME
    )
    assert "verdict: BEST" in output
    assert "100 added now" in output
    formula = output.splitlines()[-1].split("=")
    numbers, result = formula[0].split(maxsplit=1)[1], float(formula[1])
    from math import log, sqrt

    assert eval(numbers.replace("ln", "log"), {"log": log, "sqrt": sqrt}) == pytest.approx(result, abs=1e-4)  # noqa: S307


@pytest.mark.parametrize("column", ["n", "share", "q", "wdl", "p", "v", "u", "s", "Win draw loss", "first look"])
@pytest.mark.parametrize("formula", ["puct", "UCB1"])
def test_every_column_can_be_explained(capsys, column, formula):
    output = output_of(
        capsys, "--visits", "200", "--formula", formula, "--evaluator", "playout", "--explain", column, MIDDLEGAME
    )
    assert "for White, the side to move" in output
    assert "formula" in output


def test_a_game_is_read(capsys, tmp_path):
    path = tmp_path / "game.pgn"
    path.write_text(GAME)
    data = json.loads(output_of(capsys, "--json", "--visits", "50", str(path)))
    assert data["summary"]["fen"].startswith("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b")
    data = json.loads(output_of(capsys, "--json", "--visits", "50", "--ply", "1", str(path)))
    assert data["summary"]["fen"].startswith("rnbqkbnr/pppppppp/8/8/4P3")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["rubbish"], "rubbish: there is no such file, and as a FEN: side field is missing"),
        (["8/8/8/8/8/8/8/8 w - - 0 1"], "0 kings"),
        (["none.pgn"], "none.pgn: No such file"),
        (["--ply", "3"], "--ply is for PGN files"),
        (["--why", "Ke2"], "Ke2: White's own pawn is on e2"),
        (["--why", "dance"], "'dance' is not a move"),
        (["--explain", "colour"], "there is no column 'colour'"),
        (["--hash", "0"], "--hash: must be from 1"),
        (["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"], "the game is over: checkmate"),
        (["7k/8/6QK/8/8/8/8/8 b - - 0 1"], "the game is over: stalemate"),
    ],
)
def test_what_is_wrong_is_said(capsys, arguments, reason):
    assert main(["analyse", *arguments]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "bad.pgn: there is no game in it"),
        ("[Event", "bad.pgn: there is no game in it"),
        ("1. e4 e5 2. Ke3 *", "bad.pgn, game 1: 2. Ke3 is not a legal move"),
        ('[Variant "Atomic"]\n\n1. e4 e5 *', "bad.pgn, game 1: Atomic is not played here"),
    ],
)
def test_games_that_cannot_be_read(capsys, tmp_path, text, reason):
    path = tmp_path / "bad.pgn"
    path.write_text(text)
    assert main(["analyse", "--visits", "10", "--hash", "16", str(path)]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"My notes: e4 is best.\n", bytes(range(1, 256)) * 12, b"\x7fELF\0\0" * 99])
def test_other_files_are_no_games(capsys, tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert main(["analyse", str(path)]) == 2
    assert "notes.txt: there is no game in it" in capsys.readouterr().err


def test_a_finished_game_opens_before_its_end(capsys, tmp_path):
    path = tmp_path / "mate.pgn"
    path.write_text("1. f3 e5 2. g4 Qh4# 0-1")
    assert main(["analyze", "--visits", "50", "--hash", "16", "--json", str(path)]) == 0
    shown = capsys.readouterr()
    assert "game 1: the game is over: checkmate; this is the last position before it (--ply 3)" in shown.err
    assert json.loads(shown.out)["summary"]["best"] == "d8h4"
    assert main(["analyse", str(path), "--ply", "4"]) == 2
    assert "the game is over: checkmate" in capsys.readouterr().err


@pytest.mark.slow
def test_standard_input(environment, tmp_path):
    words = ["analyse", "-", "--game", "2", "--visits", "50", "--hash", "16", "--json"]
    status, output, errors = piped(environment, tmp_path, words, ["1. e4 *", "", "1. d4 *"])
    assert (status, errors) == (0, "")
    assert json.loads(output)["summary"]["fen"].startswith("rnbqkbnr/pppppppp/8/8/3P4")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seconds", "0"],
        ["--seconds", "inf"],
        ["--game", "0"],
        ["--visits", "-1"],
        ["--moves", "x"],
        ["--formula", "x"],
    ],
)
def test_bad_options(arguments):
    with pytest.raises(SystemExit) as stop:
        main(["analyse", *arguments])
    assert stop.value.code == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("no_color", [False, True])
def test_a_live_table_on_a_terminal(environment, no_color):
    import pty

    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "engine", "analyse", "--seconds", "1", "--moves", "4", "--hash", "16"]
    colour = {"NO_COLOR": "1"} if no_color else {}
    terminal = {**environment, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", **colour}
    terminal.pop("NO_COLOR" if not no_color else "", None)
    process = subprocess.Popen(command, stdout=follower, stderr=follower, env=terminal)
    os.close(follower)
    output = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        output += data
    os.close(leader)
    assert process.wait(timeout=30) == 0
    assert output.count(b"White to move") > 1
    assert (b"\x1b[32m" in output or b"\x1b[33m" in output) != no_color
