"""`generate` with a store as its output: the joined file becomes a chunk, whatever interrupts it."""

from pathlib import Path

import pytest

from engine.training.data.manifest import MANIFEST
from engine.training.data.store import Store, store_to_write
from engine.training.data.store_check import check_store
from engine.training.generate import generation
from engine.training.generate.chunks import Chunks, Plan
from engine.training.generate.generation import check_output, parts_folder
from engine.training.generate.teachers import UciTeacher
from perft.runner.processes import InlinePool
from tests.engine.training.data.games import known_game
from tests.engine.training.data.stores import add, games_file
from tests.engine.training.generate.runs import generate_by


class Killed(BaseException):
    """The process has ended here."""


@pytest.fixture
def store(tmp_path):
    """With one chunk."""
    add(tmp_path / "store", games_file(tmp_path / "a.vf"))
    return tmp_path / "store"


@pytest.fixture
def made(monkeypatch):
    """Chunks of games that are made at once, with no engine; -> their number."""
    count = []

    def make_chunks(plan, chunks, _new_runner, _advance):
        for chunk in range(plan.chunks):
            if not chunks.has(chunk):
                chunks.write(chunk, game_of(plan.seed), None)
                count.append(chunk)

    monkeypatch.setattr(UciTeacher, "check", lambda _: None)
    monkeypatch.setattr(generation, "make_chunks", make_chunks)
    return count


def kill(*_, **__):
    raise Killed


def game_of(seed):
    """Another game for each seed: another score."""
    return known_game()[:34] + (seed - 5 + 30).to_bytes(2, "little") + known_game()[36:]


def plan_of(seed=5):
    return Plan(UciTeacher("x", "nodes 1"), False, games=4, seed=seed, at_once=1, games_per_chunk=2)


def make(store, seed=5):
    generate_by(InlinePool({}), plan_of(seed), store)


def test_the_games_become_a_chunk_that_knows_its_plan(store, made):
    make(store)
    assert made == [0, 1]
    (chunk,) = [chunk for chunk in Store(store).chunks if "plan" in chunk.source]
    assert chunk.source["plan"]["command"] == "x"
    assert (chunk.source["plan"]["seed"], chunk.source["plan"]["games"]) == (5, 4)
    assert Store(store).path(chunk.name).read_bytes() == known_game() * 2
    assert check_store(Store(store)).faults == []
    assert not parts_folder(store).exists()


def test_the_same_games_are_not_made_again(store, made):
    make(store)
    with pytest.raises(ValueError, match=r"has these games already: chunk .* other games need another seed"):
        make(store)
    assert made == [0, 1]
    make(store, seed=6)
    assert made == [0, 1, 0, 1]


@pytest.mark.usefixtures("made")
def test_a_damaged_chunk_is_made_again(store):
    make(store)
    (chunk,) = [chunk for chunk in Store(store).chunks if "plan" in chunk.source]
    Store(store).path(chunk.name).write_bytes(known_game())
    (fault,) = check_store(Store(store)).faults
    assert fault.advice.startswith("repeat the `train generate` of its plan (at_once 1, command x, games 4,")
    assert "limit nodes 1, seed 5, value_only False)" in fault.advice
    make(store)
    assert check_store(Store(store)).faults == []


@pytest.mark.parametrize("step", ["write_joined", "inspect", "store.add", "delete"])
def test_whatever_ends_it_the_same_command_goes_on(store, made, monkeypatch, step):
    with monkeypatch.context() as patch:
        if step == "store.add":
            patch.setattr(Store, "add", kill)
        elif step == "delete":
            patch.setattr(Chunks, "delete", kill)
        else:
            patch.setattr(generation, step, kill)
        with pytest.raises(Killed):
            make(store)
    assert parts_folder(store).is_dir()
    if step == "delete":  # all is done
        with pytest.raises(ValueError, match="has these games already"):
            make(store)
    else:
        make(store)
    assert made == [0, 1]
    assert len(Store(store).chunks) == 2
    assert not parts_folder(store).exists()
    assert check_store(Store(store)).faults == []


def test_an_interrupted_run_does_not_forbid_another(store, made, monkeypatch):
    """Each plan has a folder; the first one goes on afterwards with what it had."""
    with monkeypatch.context() as patch:
        patch.setattr(generation, "join_in_store", kill)
        with pytest.raises(Killed):
            make(store, seed=3)
    (interrupted,) = parts_folder(store).iterdir()
    make(store, seed=4)
    assert list(parts_folder(store).iterdir()) == [interrupted]
    assert made == [0, 1, 0, 1]
    make(store, seed=3)
    assert made == [0, 1, 0, 1]
    assert sorted(chunk.source["plan"]["seed"] for chunk in Store(store).chunks if "plan" in chunk.source) == [3, 4]
    assert not parts_folder(store).exists()


@pytest.mark.parametrize("into_store", [True, False])
def test_two_runs_at_once_do_not_disturb_each_other(store, tmp_path, made, monkeypatch, into_store):
    """The games of a plan, and a file, are made by one process; other plans of a store at the same time."""
    make_chunks, started = generation.make_chunks, []
    output = store if into_store else tmp_path / "out.vf"

    def meanwhile(plan, chunks, new_runner, advance):
        if not started:
            started.append(chunks.folder)
            for seed in (5,) if into_store else (5, 6):
                with pytest.raises(ValueError, match="is in use: another process makes these games, wait for its end"):
                    make(output, seed)
            assert made == []
            if into_store:
                make(output, seed=6)
            assert chunks.are_there()
        make_chunks(plan, chunks, new_runner, advance)

    monkeypatch.setattr(generation, "make_chunks", meanwhile)
    make(output, seed=5)
    if into_store:
        assert sorted(chunk.source["plan"]["seed"] for chunk in Store(store).chunks if "plan" in chunk.source) == [5, 6]
        assert check_store(Store(store)).faults == []
    else:
        assert output.read_bytes() == known_game() * 2
        with pytest.raises(ValueError, match="already exists"):
            make(output, seed=5)
    assert not parts_folder(output).exists()


@pytest.mark.usefixtures("made")
def test_a_run_that_was_killed_leaves_no_lock(store):
    """Its file stays, but nobody holds it; also a folder of the older layout is in nobody's way."""
    chunks = generation.chunks_of(plan_of(), store)
    chunks.open()
    (chunks.folder / "lock").touch()
    (parts_folder(store) / "order.json").write_text("{}")
    make(store)
    assert [path.name for path in parts_folder(store).iterdir()] == ["order.json"]
    assert len(Store(store).chunks) == 2


def test_a_folder_that_is_no_store_is_refused(tmp_path, made):
    with pytest.raises(ValueError, match="already exists"):
        make(tmp_path)
    assert made == []


@pytest.mark.parametrize("place", ["b.vf", "chunks/b.vf"])
def test_a_file_in_a_store_is_refused(store, made, place):
    with pytest.raises(ValueError, match=r"b\.vf is in the store .*: name the store itself"):
        make(store / place)
    assert made == []


def test_a_store_that_cannot_be_written_is_refused_before_the_work(store, made, monkeypatch):
    def refuse(*_, **__):
        raise ValueError("in use by another process")

    monkeypatch.setattr(generation, "store_to_write", refuse)
    with pytest.raises(ValueError, match="in use by another process"):
        make(store)
    assert made == []
    assert not parts_folder(store).exists()


@pytest.mark.usefixtures("made")
def test_a_store_can_be_the_working_folder(store, monkeypatch):
    monkeypatch.chdir(store)
    assert parts_folder(Path()) == store.with_name("store.parts").resolve()
    make(Path())
    assert len(Store(store).chunks) == 2
    assert {path.name for path in store.iterdir()} == {MANIFEST, "chunks", "lock"}


def test_weights_are_known_by_their_content_not_their_place(tmp_path):
    from engine.network.weights_file import SHIPPED
    from engine.training.generate.teachers import self_play

    copy = tmp_path / SHIPPED.name
    copy.write_bytes(SHIPPED.read_bytes())
    plans = [Plan(self_play(path, 2), False, 4, 5, 1) for path in (SHIPPED, copy)]
    sources = [generation.source_of(Chunks(tmp_path / "x", plan)) for plan in plans]
    assert sources[0] == sources[1]
    assert sources[0]["plan"]["weights"] == SHIPPED.name


def test_checks_do_not_change_a_store(store):
    before = (store / MANIFEST).read_bytes()
    check_output(store)
    with store_to_write(store):
        pass
    assert (store / MANIFEST).read_bytes() == before
