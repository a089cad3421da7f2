"""`teresa tune` with tiny games: what it prints and writes, broken off, continued, on a cluster, on a full disk."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from engine.__main__ import main
from engine.cli import tune_run
from engine.cli.tune_run import print_outcome
from engine.match.openings import Opening
from engine.network.weights_file import SHIPPED
from engine.tune.plan import TunePlan
from engine.tune.trials import Trial
from engine.tune.tuning import outcome_of
from perft.runner.runner import RunError, Stopped
from tests.conftest import JIT_DISABLED
from tests.engine.cli.console import command, piped
from tests.engine.cli.inline import without_workers
from tests.engine.tune.simulated import CONSTANTS

FILE = """
visits = 4
games = 24
[[constant]]
name = "PUCT C"
low = 200
high = 2000
[[constant]]
name = "First Play"
low = -200
high = 400
"""
BOOK = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n4k3/8/8/8/8/8/4P3/4K3 w - -\n"
on_posix = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")


def run_with_workers(capsys, *arguments):
    status = main(["tune", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run(capsys, *arguments):
    with without_workers():
        return run_with_workers(capsys, *arguments)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "constants.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def tiny(file):
    """Four games of a few moves."""
    file.write_text("games = 4\nresign = [1, 1]\n" + FILE.replace("visits = 4\ngames = 24", "visits = 2"))
    return file


@pytest.fixture
def is_better(monkeypatch):
    """Every best value counts as better, however few the games are."""
    monkeypatch.setattr("engine.tune.tuning.SIGNIFICANT", -1.0)


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["random", "spsa"])
@pytest.mark.usefixtures("is_better")
def test_a_tiny_tuning_is_continued(capsys, tmp_path, file, method):
    """The journal is cut to its first two units, in the middle of a line; the rest is played again."""
    folder = tmp_path / "run"
    file.write_text(f'method = "{method}"\nround = 4\n{FILE}')
    gate = ["--gate", "0", "200", "--gate-games", "4", "--json", "--workers", "2"]
    picture = ["--picture", tmp_path / "curves.svg"] if method == "random" else []
    begin = run_with_workers if method == "spsa" else run
    status, output, _ = begin(capsys, file, "--run", folder, *picture, *gate)
    assert status == 0
    data = json.loads(output)
    assert (data["games"], data["gate"]["games"]) == (24, 4)
    assert (tmp_path / "curves.svg").is_file() == ("gain" in data) == (method == "random")
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:2]) + b"\n" + lines[2][:40])
    file.unlink()
    status, again, _ = run(capsys, "--resume", folder, "--json", "--workers", "1")
    assert (status, json.loads(again)) == (0, data)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "name a file"),
        (["/nowhere/x.toml"], "No such file"),
        (["x.toml", "--gate", "5", "0"], "the second Elo must be larger"),
        (["--resume", "/nowhere"], "not the folder of a run"),
    ],
)
def test_bad_input(capsys, monkeypatch, arguments, reason):
    monkeypatch.setattr(tune_run, "warm_up", lambda: pytest.fail("compiles before the input is checked"))
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert reason in errors


@pytest.mark.jit
@pytest.mark.skipif(JIT_DISABLED, reason="a process")
def test_a_missing_file_is_reported_before_compiling(environment, tmp_path):
    """With an empty cache the first line would be that the search is being compiled."""
    cold = {**environment, "TERESA_CACHE_DIR": str(tmp_path / "cache")}
    status, _, errors = piped(cold, tmp_path, ["tune", "nothing.toml"])
    assert (status, errors) == (2, "teresa tune: nothing.toml: No such file or directory\n")


# What can go wrong before the first game


@pytest.fixture
def without_games(monkeypatch):
    monkeypatch.setattr(tune_run, "tune", lambda *_: pytest.fail("games are played"))


@pytest.mark.usefixtures("without_games")
def test_the_book_of_the_gate_is_checked_first(capsys, tmp_path, file):
    (tmp_path / "book.epd").write_text(BOOK)
    file.write_text('book = "book.epd"\n' + FILE)
    status, output, errors = run(capsys, file, "--gate", "0", "5", "--run", tmp_path / "run")
    assert (status, output) == (2, "")
    assert "--gate-games 10000: the book has 2 different openings, enough for 4 games" in errors
    assert not (tmp_path / "run").exists()


def test_the_book_of_another_gate_is_checked_when_a_run_is_continued(capsys, tmp_path, tiny, monkeypatch):
    (tmp_path / "book.epd").write_text(BOOK)
    tiny.write_text('book = "book.epd"\n' + tiny.read_text())
    assert run(capsys, tiny, "--run", tmp_path / "run", "--workers", "1")[0] == 0
    monkeypatch.setattr(tune_run, "tune", lambda *_: pytest.fail("games are played"))
    status, output, errors = run(capsys, "--resume", tmp_path / "run", "--gate", "0", "5", "--workers", "1")
    assert (status, output) == (2, "")
    assert "the book has 2 different openings" in errors


def test_a_weights_file_that_has_changed_is_refused_when_a_run_is_continued(capsys, tmp_path, tiny, monkeypatch):
    """The trials before would be of another net; of a run without checksums it is not known."""
    folder, net = tmp_path / "run", tmp_path / "own.net"
    shutil.copy(SHIPPED, net)
    tiny.write_text(tiny.read_text().replace("[[constant]]", f"[options]\nEvalFile = '{net}'\n[[constant]]", 1))
    assert run(capsys, tiny, "--run", folder, "--workers", "1")[0] == 0
    assert run(capsys, "--resume", folder, "--workers", "1")[0] == 0
    data = net.read_bytes()
    net.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    monkeypatch.setattr(tune_run, "tune", lambda *_: pytest.fail("games are played"))
    status, output, errors = run(capsys, "--resume", folder, "--workers", "1")
    assert (status, output) == (2, "")
    assert f"{net} has changed: it is not what the games began with" in errors


@pytest.mark.parametrize(
    ("begun_with", "given", "expected"),
    [
        (["--gate", "0", "5"], ["--gate-games", "40"], (5.0, 40)),
        (["--gate", "0", "5", "--gate-games", "6"], ["--gate", "0", "8"], (8.0, 6)),
        (["--gate", "0", "5", "--gate-games", "6"], ["--gate", "0", "8", "--gate-games", "40"], (8.0, 40)),
        (["--gate", "0", "5", "--gate-games", "6"], [], (5.0, 6)),
        (["--gate", "0", "5"], [], (5.0, 10_000)),
    ],
)
def test_what_is_not_given_of_a_gate_is_that_of_the_run(
    capsys, tmp_path, tiny, monkeypatch, begun_with, given, expected
):
    gates = []

    def stop(*_):
        raise Stopped("here")

    def noted(elos, games):
        gates.append((elos[1], games))

    monkeypatch.setattr(tune_run, "tune", stop)
    run(capsys, tiny, "--run", tmp_path / "run", "--workers", "1", *begun_with)
    monkeypatch.setattr(tune_run, "_gate_of", noted)
    assert run(capsys, "--resume", tmp_path / "run", "--workers", "1", *given)[0] == 130
    assert gates == [expected]


@pytest.mark.usefixtures("without_games")
def test_spsa_has_no_picture(capsys, tmp_path, file):
    file.write_text('method = "spsa"\n' + FILE)
    status, output, errors = run(capsys, file, "--picture", tmp_path / "curves.svg", "--run", tmp_path / "run")
    assert (status, output) == (2, "")
    assert "--picture: SPSA finds values, not curves" in errors
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("without_games")
def test_games_of_several_threads_cannot_be_verified(capsys, file):
    file.write_text(FILE.replace("[[constant]]", "[options]\nThreads = 2\n[[constant]]", 1))
    status, output, errors = run(capsys, file, "--verify", "1", "--workers", "2")
    assert (status, output) == (2, "")
    assert "--verify: games with several threads differ each time" in errors


@pytest.mark.usefixtures("without_games")
def test_files_of_others_are_not_overwritten(capsys, tmp_path, file):
    picture = tmp_path / "mine.svg"
    picture.write_text("<svg/>")
    status, output, errors = run(capsys, file, "--picture", picture)
    assert (status, output, picture.read_text()) == (2, "", "<svg/>")
    assert "exists and is not a picture of curves" in errors


# What is printed


@pytest.mark.parametrize(
    ("made_up", "reason"),
    [
        (lambda trials: [0.3] * len(trials), "0.3 is no result of two games"),
        (lambda trials: [0.5] * (len(trials) + 1), r"\d results of \d trials"),
        (lambda _: 0.5, "no list of results"),
    ],
)
def test_results_that_cannot_be_end_the_run_and_are_not_recorded(capsys, tmp_path, monkeypatch, tiny, made_up, reason):
    monkeypatch.setattr("engine.tune.trials.play_trials", lambda trials, **_: made_up(trials))
    status, output, errors = run(capsys, tiny, "--run", tmp_path / "run")
    assert (status, output) == (2, "")
    assert re.search(rf"the answer of \S+:\d+ to a unit is wrong: {reason}\n", errors)
    assert len((tmp_path / "run" / "journal.jsonl").read_text().splitlines()) == 1


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_does_not_cost_the_result(capsys, tiny):
    status, output, errors = run(capsys, tiny, "--picture", "/dev/full", "--json", "--workers", "1")
    assert (status, json.loads(output)["games"]) == (2, 4)
    assert "/dev/full: No space left on device" in errors


@pytest.mark.parametrize(("end", "status"), [(Stopped("1 of 2 units are done"), 130), (RunError("no worker"), 2)])
@pytest.mark.usefixtures("is_better")
def test_a_gate_that_ends_early_does_not_cost_the_result(capsys, monkeypatch, tiny, end, status):
    def play(*_):
        raise end

    monkeypatch.setattr("engine.match.play.Match.play", play)
    found, output, errors = run(capsys, tiny, "--gate", "0", "5", "--gate-games", "4", "--workers", "1")
    assert found == status
    assert "proposed: PUCT C=" in output
    assert output.endswith("not decided: stopped\n")
    assert str(end) in errors


def press_at_the_end_of_a_list(stats):
    """Ctrl-C, when the last unit that was under way has just been done."""
    if stats.done == stats.total and not stats.is_stopping:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("method", ["random", "spsa"])
@pytest.mark.usefixtures("is_better")
def test_ctrl_c_at_the_end_of_a_list_of_games_begins_no_other_one(capsys, tmp_path, monkeypatch, tiny, method):
    """The gate after the trials, the next round of SPSA."""
    monkeypatch.setattr("perft.runner.command_run.CommandRun._shown", lambda _: press_at_the_end_of_a_list)
    tiny.write_text(f'method = "{method}"\nround = 1\n{tiny.read_text()}')
    gate = ["--gate", "0", "5", "--gate-games", "4", "--workers", "1"]
    status, output, errors = run(capsys, tiny, "--run", tmp_path / "run", *gate)
    assert (status, "proposed: PUCT C=" in output) == (130, method == "random")
    assert "stopped: what was begun is done; continue by --resume" in errors
    units = (tmp_path / "run" / "journal.jsonl").read_text().splitlines()[1:]
    assert len(units) == (2 if method == "random" else 1)


@on_posix
@pytest.mark.jit
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_the_result_goes_to_a_file_while_progress_is_shown(environment, warm, tmp_path, tiny, options):  # noqa: ARG001
    import pty

    leader, follower = pty.openpty()
    words = command("tune", tiny, "--workers", "1", *options)
    with (tmp_path / "out").open("wb") as output:
        variables = {**environment, "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[3])}
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=follower, env=variables, cwd=tmp_path
        )
    os.close(follower)
    shown = all_of(leader)
    assert process.wait() == 0
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert json.loads(text)["games"] == 4 if options else text.startswith("4 games with 2 visits a move")
    assert b"units" in shown
    assert b"games" not in shown


def all_of(terminal):
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the terminal is closed
            return shown
        if not part:
            return shown
        shown += part


@pytest.mark.parametrize("width", range(40, 160, 8))
def test_columns_of_the_table_drop_by_importance(capsys, width):
    names = [constant.name for constant in CONSTANTS]
    trials = [Trial(0, Opening(""), *(dict.fromkeys(names, value) for value in (1000, 1200)))]
    outcome = outcome_of(TunePlan(CONSTANTS), trials, [0.5])
    print_outcome(Console(width=width, force_terminal=True, color_system=None, highlight=False), outcome)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    rule = next(number for number, line in enumerate(lines) if line.startswith("───"))  # notes may be broken
    titles = lines[rule - 1].split()
    order = ["constant", "proposed", "gain", "present", "best", "slope", "curvature"]
    assert set(titles) == set(order[: len(titles)])
    assert [line.split("  ")[0].strip() for line in lines[rule + 1 : rule + 4]] == names
    assert titles == list(outcome.columns) if width > 150 else "proposed" in titles


# Clusters


@pytest.mark.jit
@pytest.mark.skipif(JIT_DISABLED, reason="a process")
def test_a_tuning_imports_nothing_of_dask(environment, warm, tmp_path, tiny):  # noqa: ARG001
    program = [sys.executable, "-X", "importtime", *command("tune", tiny, "--workers", "1")[1:]]
    variables = {**environment, "PYTHONPATH": str(Path(__file__).parents[3])}
    finished = subprocess.run(
        program, env=variables, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=300, check=True
    )
    modules = {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines() if "import time:" in line}
    assert "engine.tune.tuning" in modules
    assert not {name for name in modules if name.split(".")[0] in ("dask", "distributed", "tornado")}


@pytest.mark.jit
@pytest.mark.slow
def test_a_cluster_gives_the_same_result(capsys, tmp_path, tiny):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    _, expected, _ = run(capsys, tiny, "--json", "--workers", "1")
    cluster = ["--cluster", "local", "--workers", "2", "--run", tmp_path / "run"]
    status, output, errors = run(capsys, tiny, "--json", *cluster)
    assert (status, json.loads(output)) == (0, json.loads(expected))
    assert re.search(r"^\d+ units$", errors, re.MULTILINE)
