"""The command `teresa match`: results, bad input, a process that is killed."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn
import pytest

from engine.__main__ import main

QUICK = ["--visits", "4", "--games", "4", "--workers", "1"]
FAKE = Path(__file__).parent.parent / "match" / "fake_engine.py"


def run(capsys, *arguments):
    status = main(["match", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_small_match(capsys, tmp_path):
    status, output, _ = run(capsys, "default", "PUCT C=3000", *QUICK, "--pgn", tmp_path / "games.pgn")
    assert status == 0
    assert "A against B (PUCT C=3000): 4 games" in output
    file, games = io.StringIO((tmp_path / "games.pgn").read_text()), []
    while (game := chess.pgn.read_game(file)) is not None:
        games.append((game.headers["White"], game.headers["Round"]))
    assert games == [("A", "1.1"), ("B (PUCT C=3000)", "1.2"), ("A", "2.1"), ("B (PUCT C=3000)", "2.2")]


def test_json(capsys):
    status, output, _ = run(capsys, "default", "default", *QUICK, "--sprt", "0", "50", "--json")
    data = json.loads(output)
    assert (status, data["games"], data["players"]) == (0, 4, ["A", "B"])
    assert sum(data["pentanomial"]) == 2
    assert data["won"] + data["drawn"] + data["lost"] == 4
    assert data["sprt"]["elo1"] == 50.0


def test_equal_players_draw_each_pair(capsys):
    """With fixed visits both games of a pair are the same game."""
    _, output, _ = run(capsys, "default", "default", *QUICK, "--json")
    assert json.loads(output)["pentanomial"] == [0, 0, 2, 0, 0]


def test_an_odd_number_of_games_is_rounded_up(capsys):
    _, output, _ = run(capsys, "default", "default", "--visits", "1", "--games", "3", "--workers", "1", "--json")
    assert json.loads(output)["games"] == 4


def test_another_engine(capsys):
    arguments = ["default", "--engine", f"{sys.executable} {FAKE} nothing", "--set", "B:Hash=16", "--visits", "4"]
    status, output, _ = run(capsys, *arguments, "--games", "2", "--workers", "1", "--json")
    data = json.loads(output)
    assert (status, data["games"], data["forfeits"]) == (0, 2, [])
    assert data["players"][1].startswith("B (python")


def test_a_crashing_engine_is_counted_apart(capsys):
    arguments = ["default", "--engine", f"{sys.executable} {FAKE} crash 3", "--visits", "4"]
    status, output, _ = run(capsys, *arguments, "--games", "2", "--workers", "1")
    assert status == 0
    assert "won 2, drawn 0, lost 0" in output
    assert "lost otherwise than by play (second: crash)" in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["default"], "two players, not 1"),
        (["default", "default", "default"], "two players, not 3"),
        (["default", "nothing.net"], "B: 'nothing.net' is neither"),
        (["default", "PUCT C=-1"], "PUCT C"),
        (["default", "--engine", "/nowhere/engine"], "/nowhere/engine cannot be started as a UCI engine"),
        (["default", "default", "--visits", "5", "--clock", "1+1"], "one of them"),
        (["default", "default", "--sprt", "5", "0"], "the second Elo must be larger"),
        (["default", "default", "--set", "C:Hash=1"], "must be such as A:Hash=16"),
        (["default", "default", "--set", "A:UCI_Chess960=true"], "the openings decide it"),
        (["default", "default", "--book", "/nowhere/book.epd"], "No such file"),
        (["default", "default", "--chess960"], "needs a --book"),
        (["default", "default", "--resign", "-5", "3"], "below 0"),
        (["default", "default", "--resume", "/nowhere"], "not the folder of a run"),
        (["default", "default", "--run", "/x", "--resume", "/y"], "give one of them"),
        (["default", "default", "--clock", "1", "--verify", "1"], "differ each time"),
        (["default", "default", "--workers", "1", "--verify", "1"], "a second worker"),
    ],
)
def test_bad_input(capsys, arguments, reason):
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert reason in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--clock", "0"], ["--clock", "x"], ["--alpha", "0.6"], ["--games", "0"]])
def test_bad_numbers(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        run(capsys, "default", "default", *arguments)
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_damaged_weights_are_reported_before_the_first_game(capsys, tmp_path):
    (tmp_path / "new.net").write_bytes(b"TERESANN and nothing else")
    status, _, errors = run(capsys, "default", tmp_path / "new.net", "--run", tmp_path / "run")
    assert status == 2
    assert "EvalFile" in errors
    assert not (tmp_path / "run").exists()


def test_books(capsys, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    assert run(capsys, "default", "default", *QUICK, "--book", book)[0] == 2  # one opening for two pairs
    arguments = ["default", "default", "--visits", "4", "--games", "2", "--workers", "1", "--book", book]
    assert run(capsys, *arguments, "--json")[0] == 0


def test_foreign_folders_are_refused(capsys, tmp_path):
    from perft.runner.journal import Journal

    journal = Journal(tmp_path / "run")
    journal.start({"command": "perft"})
    journal.close()
    status, _, errors = run(capsys, "--resume", tmp_path / "run")
    assert status == 2
    assert "is not a run of teresa match" in errors


def test_a_run_is_continued_with_its_players(capsys, tmp_path):
    folder = tmp_path / "run"
    _, first, _ = run(capsys, "default", "PUCT C=3000", *QUICK, "--sprt", "0", "50", "--run", folder)
    status, second, errors = run(capsys, "--resume", folder)
    assert (status, second) == (0, first)
    assert "from the journal" in errors
    status, _, errors = run(capsys, "default", "default", "--resume", folder)
    assert status == 2
    assert "has its players already" in errors


@pytest.mark.jit
@pytest.mark.slow
def test_killed_and_continued(tmp_path, environment, warm):  # noqa: ARG001
    """kill -9 at three moments: the same games and the same LLR as without."""
    command = [sys.executable, "-m", "engine", "match"]
    options = ["default", "PUCT C=1500", "--visits", "150", "--games", "48", "--sprt", "0", "10", "--workers", "2"]
    whole = [*command, *options, "--json", "--pgn", str(tmp_path / "whole.pgn")]
    expected = subprocess.run(whole, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    folder = tmp_path / "run"
    _kill_after_units([*command, *options, "--run", str(folder)], folder, 1, environment)
    for units in (2, 3):
        _kill_after_units([*command, "--resume", str(folder)], folder, units, environment)
    rest = [*command, "--resume", str(folder), "--json", "--pgn", str(tmp_path / "killed.pgn")]
    found = subprocess.run(rest, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    assert json.loads(found) == json.loads(expected)
    assert (tmp_path / "killed.pgn").read_bytes() == (tmp_path / "whole.pgn").read_bytes()


def _kill_after_units(command, folder, units, environment):
    """Start a command, and kill it as soon as its journal has some units."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal, deadline = folder / "journal.jsonl", time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > units:
            break
        time.sleep(0.02)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    process.wait()
