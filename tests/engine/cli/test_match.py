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
from engine.cli import match_run
from engine.cli.match import match_parser
from perft.runner import command_run
from tests.engine.cli.inline import without_workers

QUICK = ["--visits", "4", "--games", "4", "--workers", "1"]
FAKE = Path(__file__).parent.parent / "match" / "fake_engine.py"


def run_with_workers(capsys, *arguments):
    status = main(["match", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run(capsys, *arguments):
    with without_workers():
        return run_with_workers(capsys, *arguments)


@pytest.mark.thorough
def test_a_small_match(capsys, tmp_path):
    arguments = ["default", "PUCT C=3000", *QUICK, "--pgn", tmp_path / "games.pgn"]
    status, output, _ = run_with_workers(capsys, *arguments)
    assert status == 0
    assert "A against B (PUCT C=3000): 4 games" in output
    file, games = io.StringIO((tmp_path / "games.pgn").read_text()), []
    while (game := chess.pgn.read_game(file)) is not None:
        games.append((game.headers["White"], game.headers["Round"]))
    assert games == [("A", "1.1"), ("B (PUCT C=3000)", "1.2"), ("A", "2.1"), ("B (PUCT C=3000)", "2.2")]


@pytest.mark.thorough
def test_json(capsys):
    status, output, _ = run(capsys, "default", "default", *QUICK, "--sprt", "0", "50", "--json")
    data = json.loads(output)
    assert (status, data["games"], data["players"]) == (0, 4, ["A", "B"])
    assert sum(data["pentanomial"]) == 2
    assert data["won"] + data["drawn"] + data["lost"] == 4
    assert data["sprt"]["elo1"] == 50.0


@pytest.mark.thorough
def test_equal_players_draw_each_pair(capsys):
    """With fixed visits both games of a pair are the same game."""
    _, output, _ = run(capsys, "default", "default", *QUICK, "--json")
    assert json.loads(output)["pentanomial"] == [0, 0, 2, 0, 0]


@pytest.mark.thorough
def test_an_odd_number_of_games_is_rounded_up(capsys):
    _, output, _ = run(capsys, "default", "default", "--visits", "1", "--games", "3", "--workers", "1", "--json")
    assert json.loads(output)["games"] == 4


@pytest.mark.thorough
def test_another_engine(capsys):
    arguments = ["default", "--engine", f"{sys.executable} {FAKE} nothing", "--set", "B:Hash=16", "--visits", "4"]
    status, output, _ = run(capsys, *arguments, "--games", "2", "--workers", "1", "--json")
    data = json.loads(output)
    assert (status, data["games"], data["forfeits"]) == (0, 2, [])
    assert data["players"][1].startswith("B (python")


@pytest.mark.thorough
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
        (["default", "Hash=x"], "Hash: must be a whole number"),
        (["default", "default", "--visits", "5", "--clock", "1+1"], "one of them"),
        (["default", "default", "--pgn", __file__], "is not a file of a match"),
        (["default", "default", "--sprt", "5", "0"], "the second Elo must be larger"),
        (["default", "default", "--leave-out", "1", "20"], "--leave-out: a share of games must be at least 0"),
        (["default", "default", "--leave-out", "nan", "20"], "--leave-out: a share of games must be at least 0"),
        (["default", "default", "--leave-out", "0.1", "2.5"], "--leave-out: a number of games must be a whole number"),
        (["default", "default", "--leave-out", "0.1", "inf"], "--leave-out: a number of games must be a whole number"),
        (["default", "default", "--set", "C:Hash=1"], "must be such as A:Hash=16"),
        (["default", "default", "--odds", "C:0.1"], "must be such as B:0.1"),
        (["default", "default", "--odds", "B:0"], "from 0.001 to 1000"),
        (["default", "default", "--odds", "B:nan"], "from 0.001 to 1000"),
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
def test_bad_input(capsys, arguments, reason, monkeypatch):
    """It is reported before anything is compiled."""
    monkeypatch.setattr(match_run, "warm_up", lambda: pytest.fail("compiled"))
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


@pytest.mark.thorough
def test_books(capsys, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    assert run(capsys, "default", "default", *QUICK, "--book", book)[0] == 2  # one opening for two pairs
    arguments = ["default", "default", "--visits", "4", "--games", "2", "--workers", "1", "--book", book]
    assert run(capsys, *arguments, "--json")[0] == 0


@pytest.mark.thorough
def test_a_book_is_not_used_twice_with_fixed_visits(capsys, tmp_path):
    """Other engines play the same games again, too: they would count twice."""
    book = tmp_path / "book.epd"
    book.write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    engine = ["default", "--engine", f"{sys.executable} {FAKE} nothing", "--games", "4", "--workers", "1"]
    status, output, errors = run(capsys, *engine, "--visits", "4", "--book", book)
    assert (status, output) == (2, "")
    assert "the book has 1 different openings, enough for 2 games" in errors
    assert run(capsys, *engine, "--clock", "1", "--resign", "0", "1", "--book", book)[0] == 0


def units_of(*arguments):
    parsed = match_parser().parse_args(["default", "default", *arguments])
    return match_run.with_openings(match_run.draft_of(parsed), parsed).units()


@pytest.mark.parametrize(
    ("visits", "games", "units"), [(20, 12, 6), (20, 200, 50), (20, 4000, 40), (5000, 40, 20), (400, 400, 50)]
)
def test_units_are_enough_for_several_workers(visits, games, units):
    """Up to 40 pairs, each is a unit; of many pairs a unit has some seconds' worth."""
    assert len(units_of("--visits", str(visits), "--games", str(games))) == units


def test_seconds_for_each_move(capsys):
    assert units_of("--seconds", "0.5", "--games", "2")[0].input["control"]["move_time"] == 0.5
    assert units_of("--movetime", "500", "--games", "2")[0].input["control"]["move_time"] == 0.5
    assert (
        "--clock and --seconds: one of them" in run(capsys, "default", "default", "--clock", "1", "--seconds", "1")[2]
    )


# Files


@pytest.mark.thorough
def test_games_of_others_are_not_overwritten(capsys, tmp_path):
    mine, text = tmp_path / "mine.pgn", '[Event "My best game"]\n\n1. e4 e5 *\n'
    mine.write_text(text)
    arguments = ["default", "default", "--visits", "4", "--games", "2", "--workers", "1", "--pgn", mine]
    status, output, errors = run(capsys, *arguments)
    assert (status, output, mine.read_text()) == (2, "", text)
    assert "mine.pgn: exists and is not a file of a match" in errors
    status, _, errors = run(capsys, *arguments, "--book", mine, "--force")
    assert (status, mine.read_text()) == (2, text)
    assert "would overwrite the book" in errors
    for more in (["--force"], []):  # the second time it is a file of a match
        assert run(capsys, *arguments, *more)[0] == 0
        assert mine.read_text().startswith('[Event "Teresa match"]')


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_does_not_cost_the_result(capsys):
    status, output, errors = run(capsys, "default", "default", *QUICK, "--pgn", "/dev/full")
    assert status == 2
    assert "A against B: 4 games" in output
    assert "No space left" in errors


def test_without_dask(capsys, tmp_path, monkeypatch):
    """It is reported before anything is compiled, and leaves no folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(match_run, "warm_up", lambda: pytest.fail("compiled"))
    monkeypatch.setattr(command_run, "find_spec", lambda _: None)
    status, _, errors = run(capsys, "default", "default", "--cluster", "local")
    assert status == 2
    assert "--cluster needs Dask" in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_cluster_that_is_not_there_leaves_no_folder(capsys, tmp_path):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    status, _, _ = run(capsys, "default", "default", *QUICK, "--cluster", "foo", "--run", tmp_path / "run")
    assert status == 2
    assert not list(tmp_path.iterdir())
    assert run(capsys, "default", "default", *QUICK, "--run", tmp_path / "run")[0] == 0


# Runs that are continued


def test_foreign_folders_are_refused(capsys, tmp_path):
    from perft.runner.journal import Journal

    journal = Journal(tmp_path / "run")
    journal.start({"command": "perft"})
    journal.close()
    status, _, errors = run(capsys, "--resume", tmp_path / "run")
    assert status == 2
    assert "is not a run of teresa match" in errors


@pytest.mark.thorough
def test_a_run_is_continued_with_its_players(capsys, tmp_path):
    folder = tmp_path / "run"
    _, first, _ = run(capsys, "default", "PUCT C=3000", *QUICK, "--sprt", "0", "50", "--run", folder)
    status, second, errors = run(capsys, "--resume", folder)
    assert (status, second) == (0, first)
    assert "from the journal" in errors
    status, _, errors = run(capsys, "default", "default", "--resume", folder)
    assert status == 2
    assert "has its players already" in errors


def test_odds(capsys, tmp_path):
    """With a hundredth of the visits, one, a player makes none of the searches that the other one does."""
    games, folder = tmp_path / "games.pgn", tmp_path / "run"
    options = ["--visits", "100", "--games", "2", "--odds", "B:0.01", "--seed", "3", "--run", folder, "--pgn", games]
    status, output, _ = run(capsys, "default", "default", *options)
    assert status == 0
    assert "A against B, time × 0.01: 2 games\nwon 2," in output
    assert "time × 0.01" in games.read_text(encoding="utf-8")
    players = json.loads((folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()[0])["plan"]["players"]
    assert [player["time_factor"] for player in players] == [1.0, 0.01]


@pytest.mark.thorough
def test_a_run_that_is_continued_takes_no_other_options(capsys, tmp_path):
    folder = tmp_path / "run"
    run(capsys, "default", "default", *QUICK, "--run", folder)
    for option in (
        ["--games", "4"],
        ["--seed", "0"],
        ["--sprt", "0", "5"],
        ["--set", "A:Hash=16"],
        ["--odds", "A:2"],
        ["--logistic"],
        ["--leave-out", "0", "9"],
    ):
        status, output, errors = run(capsys, "--resume", folder, *option)
        assert (status, output) == (2, "")
        assert f"has its {option[0]} already" in errors
    _, _, errors = run(capsys, "--resume", folder, "--visits", "9", "--games", "500", "--movetime", "1")
    assert "has its --games, --visits, --seconds already" in errors
    assert run(capsys, "--resume", folder, "--workers", "1", "--json", "--pgn", tmp_path / "games.pgn")[0] == 0


@pytest.mark.thorough
def test_a_machine_on_which_engines_crash_is_left_out(capsys, tmp_path):
    """The rule is in the folder before the first game, and holds when the match is continued."""
    folder, games = tmp_path / "run", tmp_path / "games.pgn"
    arguments = ["default", "--engine", f"{sys.executable} {FAKE} crash 3", *QUICK, "--leave-out", "0.5", "4"]
    status, output, _ = run(capsys, *arguments, "--run", folder, "--pgn", games)
    assert status == 0
    assert "A against B" in output
    assert ": 0 games\n" in output
    assert "all 4 games on " in output
    assert "the rule of this match: more than 50 % of at least 4 games lost by time or crash" in output
    assert games.read_bytes() == b""
    header = json.loads((folder / "journal.jsonl").read_text().splitlines()[0])
    assert header["limit"] == {"share": 0.5, "least_games": 4}
    assert run(capsys, "--resume", folder)[1] == output


@pytest.mark.thorough
def test_a_run_is_not_continued_with_another_engine(capsys, tmp_path):
    program, folder = tmp_path / "own.py", tmp_path / "run"
    program.write_text(FAKE.read_text())
    arguments = ["default", "--engine", f"{sys.executable} {program} nothing", "--visits", "4", "--games", "2"]
    assert run(capsys, *arguments, "--workers", "1", "--run", folder)[0] == 0
    program.write_text(FAKE.read_text().replace("score cp 17", "score cp 18"))
    status, output, errors = run(capsys, "--resume", folder)
    assert (status, output) == (2, "")
    assert "own.py has changed" in errors


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize(("games", "units"), [(8, (1, 2)), pytest.param(40, (1, 15), marks=pytest.mark.soak)])
def test_killed_and_continued(tmp_path, environment, warm, games, units):  # noqa: ARG001
    """kill -9 at two moments: the same games and the same LLR as without."""
    command = [sys.executable, "-m", "engine", "match"]
    options = ["default", "PUCT C=1500", "--visits", "60", "--games", str(games), "--sprt", "0", "10", "--workers", "2"]
    whole = [*command, *options, "--json", "--pgn", str(tmp_path / "whole.pgn")]
    expected = subprocess.run(whole, env=environment, capture_output=True, text=True, check=True, timeout=300).stdout
    folder = tmp_path / "run"
    _kill_after_units([*command, *options, "--run", str(folder)], folder, units[0], environment)
    _kill_after_units([*command, "--resume", str(folder)], folder, units[1], environment)
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


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs groups of processes and their signals")
def test_ctrl_c_twice_ends_engines_that_hang(tmp_path, environment, warm):  # noqa: ARG001
    """They do not notice the end of their input either."""
    pytest.importorskip("psutil", reason="needs the extra `cluster`")
    from tests.perft.runner.programs import all_gone, family_of, press_ctrl_c, started, until

    hanging = f"{sys.executable} {FAKE} hang 1 {tmp_path}"
    command = [sys.executable, "-m", "engine", "match", "--engine", hanging, "--engine", hanging]
    options = ["--clock", "600", "--games", "2", "--workers", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started([*command, *options], environment, **pipes) as match:
        until((tmp_path / "happened").exists, "an engine that hangs")
        family = family_of(match.pid)
        assert any(str(FAKE) in each.cmdline() for each in family)
        press_ctrl_c(match)
        time.sleep(1)
        assert match.poll() is None
        press_ctrl_c(match)
        output, errors = match.communicate(timeout=60)
        until(lambda: all_gone(family), "the end of all processes", 30)
    assert (match.returncode, output) == (130, "")
    assert "stops when the units under way are done" in errors
    assert "Traceback" not in errors
