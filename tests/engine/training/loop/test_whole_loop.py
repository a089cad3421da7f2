"""Small loops for good: killed at any time they give the same nets, and from random weights they learn."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli.train import main
from engine.network.weights_file import load_weights
from engine.training.data.store import Store
from engine.training.fit.checkpoint import load_checkpoint
from engine.training.loop.loop_journal import JOURNAL, LoopJournal
from engine.training.loop.rounds import read_state
from tests.engine.cli.inline import without_workers
from tests.engine.training.loop.fake_work import Killed
from tests.engine.training.loop.killed import assert_same_nets, kill_at, lines_of

FAKE = Path(__file__).parents[1] / "generate" / "fake_teacher.py"
pytestmark = pytest.mark.jit

TINY = ["--start", "random", "--self-play", "--visits", "16", "--games", "48", "--seed", "5", "--value-hidden", "32"]
TINY += ["--policy-hidden", "32", "--value-batch", "256", "--policy-batch", "256", "--gate-visits", "12"]
TINY += ["--gate-games", "20", "--sprt", "-200", "0", "--rounds", "2", "--processes", "1"]
# What is there while a step is under way, in the order of the steps, and how many of these files.
MOMENTS = [
    ("games.parts/*/000000.json", 1),
    ("games/chunks/*.vf", 1),
    ("rounds/0001/fit/value.npz", 1),
    ("rounds/0001/fit/policy.log", 1),
    ("nets/*.state/policy.npz", 2),
    ("rounds/0001/gate-*/journal.jsonl", 1),
    ("rounds/0001/gate-*/results/*.pgn", 2),
    ("games.parts/*/000001.vf", 1),
    ("rounds/0002/labels-games.spent", 1),
    ("games/chunks/*.vf", 2),
    ("rounds/0002/gate-*/results/*.pgn", 1),
]
FIRST_ROUND = 7  # that many of them: each kind of step once
MAY_PASS_UNSEEN = 2  # files in `games.parts`, on a busy machine


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a tiny loop of two rounds."""
    folder = tmp_path_factory.mktemp("whole") / "loop"
    with without_workers():
        assert main(["loop", str(folder), *TINY]) == 0
    return folder


@pytest.mark.thorough
def test_what_a_loop_leaves(whole):
    state = read_state(LoopJournal(whole).entries)
    first, second = state.rounds
    assert (first.kept, second.against) == (True, first.net)
    assert second.old == first.chunks
    names = {state.first, first.net, second.net}
    assert {path.stem for path in (whole / "nets").glob("*.net")} == names
    assert [path.name for path in (whole / "nets").glob("*.state")] == [f"{state.best}.state"]
    assert [chunk.name for chunk in Store(whole / "games").chunks] == sorted([*first.chunks, *second.chunks])
    assert not list(whole.glob("rounds/*/fit"))
    assert not list(whole.glob("games.parts/*"))
    notes = load_weights(whole / "nets" / f"{second.net}.net").notes
    assert (notes["round"], notes["base"]) == (2, first.net)
    assert notes["settings"]["net"]["games"] == 48
    for one in state.rounds:
        assert all(entry["cpu_seconds"] > 0 for step, entry in one.done.items() if step.kind != "end")


@pytest.mark.thorough
def test_seeds_of_rounds_differ(whole):
    plans = [chunk.source["plan"] for chunk in Store(whole / "games").chunks]
    assert len({plan["seed"] for plan in plans}) == 2
    openings = list(openings_of(whole))
    assert len(openings) == len(set(openings)) * 2  # each twice, colours reversed


def openings_of(folder):
    """The first four moves of all games of the gates."""
    for path in sorted(folder.glob("rounds/*/gate-*/results/*.pgn")):
        for game in path.read_text(encoding="utf-8").split("[Event ")[1:]:
            yield " ".join(game.split("\n\n", 1)[1].split()).partition(" 5. ")[0]


@pytest.mark.thorough
def test_the_state_of_the_optimiser_is_carried_over(whole):
    state = read_state(LoopJournal(whole).entries)
    progress = load_checkpoint(whole / "nets" / f"{state.best}.state" / "value.npz").progress
    assert (progress.steps_before > 0) == (state.rounds[1].kept is True)
    assert progress.steps > 0


@pytest.mark.thorough
def test_a_fit_that_is_killed_before_the_line_of_its_log_gives_the_same_net(whole, tmp_path, monkeypatch):
    folder = tmp_path / "loop"

    def killed(path, _entry):
        assert (path.parent / "value.npz").is_file()
        raise Killed

    with without_workers():
        with monkeypatch.context() as patch:
            patch.setattr("engine.training.fit.fit.append_entry", killed)
            with pytest.raises(Killed):
                main(["loop", str(folder), *TINY])
        assert main(["loop", str(folder), "--rounds", "1"]) == 0
    lines = lines_of(folder)
    assert lines == lines_of(whole)[: len(lines)]
    assert lines[-1]["kind"] == "end"


def without_old_games(folder):
    (old,) = read_state(LoopJournal(folder).entries).under_way.old
    assert main(["data", str(folder / "games"), "--remove", old[:12], "--force"]) == 0


def without_the_state(folder):
    for state in folder.glob("nets/*.state"):
        shutil.rmtree(state)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """The folder of a loop that was killed in the fit of its second round."""
    folder = tmp_path_factory.mktemp("interrupted") / "loop"

    def killed(path, _entry):
        assert path.parent.parent.name == "0002"
        raise Killed

    with without_workers():
        assert main(["loop", str(folder), *TINY, "--rounds", "1"]) == 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engine.training.fit.fit.append_entry", killed)
            with pytest.raises(Killed):
                main(["loop", str(folder), "--rounds", "2"])
    return folder


@pytest.mark.thorough
@pytest.mark.parametrize("change", [without_old_games, without_the_state])
def test_a_fit_begins_again_if_what_it_is_made_of_is_another(interrupted, tmp_path, change):
    """Users may take out old games, and delete a state; an interrupted fit had forbidden it for ever."""
    folder = tmp_path / "loop"
    shutil.copytree(interrupted, folder)
    change(folder)
    with without_workers():
        assert main(["loop", str(folder), "--rounds", "2"]) == 0
    assert [one.kept is None for one in read_state(LoopJournal(folder).entries).rounds] == [False, False]


@pytest.mark.slow
@pytest.mark.parametrize("moments", [MOMENTS[:FIRST_ROUND], pytest.param(MOMENTS, marks=pytest.mark.soak)])
def test_a_loop_that_is_killed_again_and_again_gives_the_same_nets(whole, tmp_path, environment, moments):
    """kill -9 while each of its steps is under way; workers end with it."""
    folder = tmp_path / "loop"
    command = [sys.executable, "-m", "engine", "train", "loop", str(folder), *TINY]
    assert kill_at(moments, command, environment, folder) >= len(moments) - MAY_PASS_UNSEEN
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert finished.returncode == 0, finished.stderr
    assert_same_nets(folder, whole)


@pytest.mark.slow
def test_ctrl_c_ends_a_loop_and_the_same_command_goes_on(whole, tmp_path, environment):
    if sys.platform == "win32":
        pytest.skip("a console signal reaches the test itself")
    folder = tmp_path / "loop"
    command = [sys.executable, "-m", "engine", "train", "loop", str(folder), *TINY, "--rounds", "1"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (folder / "rounds" / "0001" / "labels-games.spent").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "the same command goes on" in errors
    assert "not under way" in (folder / "report.html").read_text(encoding="utf-8")
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert finished.returncode == 0, finished.stderr
    lines = lines_of(folder)
    assert lines == lines_of(whole)[: len(lines)]
    assert lines[-1]["kind"] == "end"
    assert (folder / JOURNAL).read_bytes().count(b"\n") == len(lines)


@pytest.mark.soak
def test_a_tiny_net_from_random_weights_learns(tmp_path, environment, capsys):
    """A loop of minutes; then a match of its best net with the random one, whose interval does not reach zero."""
    folder = tmp_path / "loop"
    command = [sys.executable, "-m", "engine", "train", "loop", str(folder), "--start", "random", "--self-play"]
    options = ["--visits", "40", "--games", "300", "--value-hidden", "32", "--policy-hidden", "32", "--rounds", "4"]
    gates = ["--gate-visits", "40", "--gate-games", "200", "--sprt", "0", "50", "--processes", "1"]
    finished = subprocess.run(
        [*command, *options, *gates], env=environment, capture_output=True, text=True, check=False, timeout=3600
    )
    assert finished.returncode == 0, finished.stderr
    state = read_state(LoopJournal(folder).entries)
    best, first = (folder / "nets" / f"{name}.net" for name in (state.best, state.first))
    match = [sys.executable, "-m", "engine", "match", str(best), str(first), "--visits", "40", "--games", "100"]
    played = subprocess.run(
        [*match, "--seed", "77", "--workers", "1", "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=3600,
    )
    result = json.loads(played.stdout)
    with capsys.disabled():
        shown = {key: result[key] for key in ("won", "drawn", "lost", "elo")}
        print(f"\n{finished.stdout}against the random net: {shown}, {state.cpu_seconds:.0f} CPU seconds")
    assert state.best != state.first
    assert result["elo"]["low"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="the fake teacher is started by a shell script")
@pytest.mark.slow
def test_a_loop_with_a_teacher_trees_and_a_clock(tmp_path, environment):
    """Two kinds of labels, both gates; a second round, in which the games of the first one are old."""
    teacher = tmp_path / "teacher"
    teacher.write_text(f"#!/bin/sh\nPYTHONPATH={FAKE.parents[4]} exec {sys.executable} {FAKE}\n")
    teacher.chmod(0o755)
    folder = tmp_path / "loop"
    command = [sys.executable, "-m", "engine", "train", "loop", str(folder), "--start", "random", "--nodes", "1"]
    options = ["--teacher", str(teacher), "--games", "20", "--tree-games", "2", "--of-trees", "50", "--rounds", "2"]
    nets = ["--value-hidden", "32", "--policy-hidden", "32", "--processes", "1", "--gate-visits", "8"]
    gates = ["--gate-games", "4", "--sprt", "-200", "-190", "--clock", "0.3+0.01", "--clock-games", "2"]
    finished = subprocess.run(
        [*command, *options, *nets, *gates, "--clock-sprt", "-200", "-190"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert finished.returncode == 0, finished.stderr
    state = read_state(LoopJournal(folder).entries)
    first, second = state.rounds
    assert len(first.chunks) == 2
    assert set(second.old) == set(first.chunks)
    sources = {chunk.name: chunk.source["plan"] for chunk in Store(folder / "games").chunks}
    assert [sources[name].get("trees_visits") for name in first.chunks] == [None, 50]
    for one in state.rounds:
        played = [gate["won"] + gate["drawn"] + gate["lost"] for gate in one.gates]
        assert played[0] in (2, 4)
        assert played[1:] in ([], [2])
        assert len(played) == 2 or not one.gates[0]["passed"]
    assert len(Store(folder / "games").chunks) == 4
