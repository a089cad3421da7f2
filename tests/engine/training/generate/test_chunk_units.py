"""Chunks as units of work: the same file as from processes of this machine, whatever happens in between."""

import re

import pytest

from engine.cli.train import main
from engine.network.weights_file import SHIPPED
from engine.training.data.visits import sibling
from engine.training.generate import chunk_units
from engine.training.generate.chunk_units import ChunkJournal, chunk_unit
from engine.training.generate.chunks import Plan
from engine.training.generate.generation import chunks_of, parts_folder
from engine.training.generate.teachers import self_play
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import RunError
from tests.engine.cli.inline import without_workers
from tests.engine.training.generate.runs import generate_by
from tests.perft.runner.test_runner import FakePool


def small_plan(seed=3):
    teacher = self_play(SHIPPED, 4)
    return Plan(teacher, value_only=False, games=4, seed=seed, at_once=1, games_per_chunk=1)


def make(output, pool=None, verify=0.0):
    """-> new positions in each chunk, as they were counted."""
    counted = []
    generate_by(pool or ProcessPool(1, {}), small_plan(), output, counted.append, verify)
    return counted


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file that processes of this machine make, and how much is in it."""
    output = tmp_path_factory.mktemp("whole") / "games.vf"
    return output, make(output)


def is_same(output, expected):
    return (
        output.read_bytes() == expected.read_bytes() and sibling(output).read_bytes() == sibling(expected).read_bytes()
    )


@pytest.mark.thorough
@pytest.mark.parametrize("verify", [0.0, 1.0])
def test_the_same_file_by_units(tmp_path, whole, verify):
    expected, counted = whole
    output = tmp_path / "games.vf"
    assert sorted(make(output, FakePool(order=3), verify)) == sorted(counted)
    assert is_same(output, expected)
    assert not parts_folder(output).exists()


@pytest.mark.jit
@pytest.mark.slow
def test_the_same_file_on_a_real_cluster(tmp_path, capsys):
    """Three chunks, each by two workers."""
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    command = ["generate", "--self-play", "--visits=4", "--games=40", "--seed=1", "--processes=2"]
    plain, by_cluster = tmp_path / "plain.vf", tmp_path / "cluster.vf"
    assert main([*command, str(plain)]) == 0
    assert main([*command, str(by_cluster), "--cluster=local", "--verify=1"]) == 0
    assert is_same(by_cluster, plain)
    assert "3 units, 3 verified\n" in capsys.readouterr().err


@pytest.mark.thorough
def test_what_a_cluster_has_begun_is_finished_without_one(tmp_path, whole):
    """The pool fails at the third chunk; processes of this machine make the rest, and the other way round."""
    expected, counted = whole
    output = tmp_path / "games.vf"
    with pytest.raises(RunError):
        make(output, _failing_after(2))
    assert len(list(parts_folder(output).glob("*.vf"))) == 2
    positions = make(output)
    assert positions[:2] == [0, 0], "chunks that were there"
    assert sorted(positions[2:]) == sorted(counted[2:])
    assert is_same(output, expected)


def _failing_after(units):
    pool = InlinePool({})
    receive, count = pool.receive, iter(range(units))

    def fail(seconds):
        if next(count, None) is None:
            raise RunError("no more")
        return receive(seconds)

    pool.receive = fail
    return pool


def test_identities():
    units = [chunk_unit(small_plan(), 0), chunk_unit(small_plan(), 1), chunk_unit(small_plan(seed=4), 0)]
    assert len({unit.identity for unit in units}) == 3
    assert chunk_unit(small_plan(), 0).identity == units[0].identity


COMMAND = ["generate", "--self-play", "--visits=4", "--games=2", "--seed=1"]


@pytest.mark.thorough
def test_the_command_verifies(tmp_path, capsys):
    plain, verified = tmp_path / "plain.vf", tmp_path / "verified.vf"
    assert main([*COMMAND, str(plain)]) == 0
    assert main([*COMMAND, str(verified), "--verify=1", "--processes=2"]) == 0
    assert is_same(verified, plain)
    captured = capsys.readouterr()
    first, second = captured.out.splitlines()
    assert first.split(": ")[1] == second.split(": ")[1]
    assert "1 unit, 1 verified\n" in captured.err


@pytest.mark.thorough
def test_a_chunk_with_two_different_answers_is_made_again(tmp_path):
    """Here the second answer is that of a worker that took long."""
    output, plan = tmp_path / "games.vf", small_plan()
    with pytest.raises(RunError):
        make(output, _failing_after(2))
    chunks = chunks_of(plan, output)
    journal = ChunkJournal(chunks, plan)
    made = [number for number in range(plan.chunks) if chunks.has(number)]
    assert [journal.units[number].identity for number in made] == list(journal.done)
    journal.withdraw(journal.units[made[0]])
    assert [number for number in range(plan.chunks) if chunks.has(number)] == made[1:]
    assert list(ChunkJournal(chunks, plan).done) == list(journal.done)


@pytest.mark.thorough
def test_the_command_refuses_damaged_chunks(tmp_path, capsys, monkeypatch):
    """Nothing of them is kept."""
    whole = chunk_units.chunk_games

    def damaged(plan, chunk):
        games, visits, positions = whole(plan, chunk)
        return games[:-2], visits, positions

    monkeypatch.setattr(chunk_units, "chunk_games", damaged)
    with without_workers():
        assert main([*COMMAND, str(tmp_path / "games.vf")]) == 2
    assert re.search(r"the answer of \S+:\d+ to a unit is wrong: the last game is cut off\n", capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--run", "folder"], "the same command continues a run"),
        (["--resume", "folder"], "the same command continues a run"),
        (["--verify", "1"], "--verify needs a second worker: --processes 2, or "),
        (["--insecure"], "go with --cluster"),
    ],
)
def test_bad_input(tmp_path, capsys, arguments, reason):
    assert main([*COMMAND, str(tmp_path / "games.vf"), *arguments]) == 2
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["generate", "loop"])
def test_help_has_no_option_that_is_always_refused(capsys, command):
    """What is done is kept beside the output, or in the folder of the loop."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out
    assert "--cluster" in text
    assert "--run FOLDER" not in text
    assert "--resume FOLDER" not in text
