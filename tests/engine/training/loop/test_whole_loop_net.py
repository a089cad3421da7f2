"""A small loop for good whose labels are made by searches with the net of a teacher, which is a tiny made-up one."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.train import main
from engine.training.data.games import decode, open_games
from engine.training.data.manifest import GAMES
from engine.training.data.store import Store
from engine.training.data.viriformat import NOISY
from engine.training.generate.teachers import checksum_of
from engine.training.loop.loop_journal import LoopJournal
from engine.training.loop.rounds import read_state
from tests.engine.cli.inline import without_workers
from tests.engine.training.data.stores import games_file
from tests.engine.training.loop.killed import assert_same_nets, kill_at
from tests.engine.training.teacher.made_up_nets import made_up_net

pytestmark = pytest.mark.jit

TINY = ["--start", "random", "--visits", "60", "--least-visits", "4", "--games", "16", "--seed", "6"]
TINY += ["--value-hidden", "32", "--policy-hidden", "32", "--value-batch", "256", "--policy-batch", "256"]
TINY += ["--gate-visits", "12", "--gate-games", "20", "--sprt", "-200", "-100", "--rounds", "2", "--processes", "1"]
MOMENTS = [
    ("games.parts/*/000000.json", 1),
    ("games/chunks/*.vf", 1),
    ("rounds/0001/fit/policy.log", 1),
    ("rounds/0001/gate-*/results/*.pgn", 1),
    ("games.parts/*/000000.json", 1),
    ("nets/*.net", 3),
]
LABELS = 2  # that many of them: the other steps are those of other loops, see test_whole_loop.py
MAY_PASS_UNSEEN = 2  # files in `games.parts`, on a busy machine


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """What the command line has beside the folder."""
    net = tmp_path_factory.mktemp("net") / "made-up.nnue"
    net.write_bytes(made_up_net(seed=43).pack())
    return ["--teacher-net", str(net), *TINY]


@pytest.fixture(scope="module")
def whole(words, tmp_path_factory):
    """The folder of a tiny loop of two rounds."""
    folder = tmp_path_factory.mktemp("whole") / "loop"
    with without_workers():
        assert main(["loop", str(folder), *words]) == 0
    return folder


@pytest.mark.thorough
def test_labels_of_each_round_are_nodes_of_trees_of_its_best_net(whole, words):
    """They have no sound results; their moves have shares."""
    state, store = read_state(LoopJournal(whole).entries), Store(whole / "games")
    assert state.ended == 2
    assert state.rounds[0].kept
    for one in state.rounds:
        (name,) = one.chunks
        plan = store.find(name).source["plan"]
        assert (plan["visits"], plan["least_visits"], plan["games"]) == (60, 4, 16)
        assert plan["net_checksum"] == one.settings.teacher_net_sha256 == checksum_of(Path(words[1]))
        assert plan["checksum"] == checksum_of(whole / "nets" / f"{one.against}.net")
        games = open_games([store.path(name, GAMES)])
        assert (games.extra & NOISY).all()
        assert (games.size == 1).all()
        assert len(decode(games).visit_bounds) > 50


@pytest.mark.slow
@pytest.mark.parametrize("moments", [MOMENTS[:LABELS], pytest.param(MOMENTS, marks=pytest.mark.soak)])
def test_a_loop_that_is_killed_again_and_again_gives_the_same_nets(whole, words, tmp_path, environment, moments):
    folder = tmp_path / "loop"
    command = [sys.executable, "-m", "engine", "train", "loop", str(folder), *words]
    assert kill_at(moments, command, environment, folder) >= len(moments) - MAY_PASS_UNSEEN
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert finished.returncode == 0, finished.stderr
    assert_same_nets(folder, whole)


@pytest.mark.thorough
def test_games_that_are_added_before_the_first_round_are_old_ones_in_its_fit(words, tmp_path):
    """The model of draws is fitted to their results; all positions that are set aside are labels of trees."""
    folder, games = tmp_path / "loop", games_file(tmp_path / "games.vf", 30, seed=3)
    with without_workers():
        assert main(["loop", str(folder), *words, "--rounds", "0"]) == 0
        assert main(["data", str(folder / "games"), "--add", str(games)]) == 0
        assert main(["loop", str(folder), "--rounds", "1"]) == 0
    (one,) = read_state(LoopJournal(folder).entries).rounds
    assert len(one.old) == len(one.chunks) == 1
    labelled = next(entry["positions"] for step, entry in one.done.items() if step.kind == "labels")
    added = open_games([games]).positions
    fitted = next(entry["positions"] for step, entry in one.done.items() if step.kind == "fit")
    assert labelled + added > fitted > 0.9 * labelled
