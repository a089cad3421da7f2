"""What is wrong with a store is found, each kind of it, and what the report says to do helps."""

import random
from dataclasses import replace

import pytest

from engine.training.data import store as module
from engine.training.data.manifest import record
from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store, store_to_write
from engine.training.data.store_check import check_store
from engine.training.data.visits import sibling
from tests.engine.training.data.games import known_game
from tests.engine.training.data.stores import add, games_file


@pytest.fixture
def files(tmp_path):
    return [games_file(tmp_path / "a.vf", seed=1), games_file(tmp_path / "b.vf", 3, seed=2, with_visits=True)]


@pytest.fixture
def folder(files, tmp_path):
    """A store of these files."""
    add(tmp_path / "store", *files)
    return tmp_path / "store"


def chunk_file(folder, path, suffix=".vf"):
    """Where a file is kept."""
    return Store(folder).path(inspect(path).chunk.name, suffix)


def faults(folder):
    """-> the kind and the place of each."""
    return [(fault.kind, fault.place) for fault in check_store(Store(folder)).faults]


def flip(path, rng):
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


DAMAGES = {
    "missing": lambda path, _: path.unlink(),
    "torn": lambda path, rng: path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)]),
    "changed": flip,
    "changed, longer": lambda path, _: path.write_bytes(path.read_bytes() + known_game()),
}


@pytest.mark.parametrize("suffix", [".vf", ".visits"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_found_and_mended(files, folder, damage, suffix):
    rng = random.Random(4)
    for _ in range(5):
        name = chunk_file(folder, files[1])
        DAMAGES[damage](name.with_suffix(suffix), rng)
        (fault,) = check_store(Store(folder)).faults
        assert (fault.kind, fault.place) == (damage.partition(",")[0], str(name))
        assert fault.advice.startswith("--add b.vf again, or --merge a store that has it; or --remove ")
        with pytest.raises(ValueError, match=rf"is {fault.kind}: `teresa train data .* --check` says what to do"):
            Store(folder).files()
        assert [what for _, what in add(folder, *files)] == ["there already", "mended"]
        assert faults(folder) == []


def test_every_flipped_bit_of_a_game_is_found(files, folder):
    path = chunk_file(folder, files[0])
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 61):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        assert Store(folder).damage_of(inspect(files[0]).chunk) == "changed"


def test_a_damaged_chunk_can_be_taken_out(files, folder):
    chunk_file(folder, files[0]).unlink()
    with store_to_write(folder) as store:
        store.remove([inspect(files[0]).chunk])
    assert faults(folder) == []
    assert len(Store(folder).files()) == 1


def test_a_chunk_that_cannot_be_read_is_named(folder, monkeypatch):
    def refuse(_):
        raise PermissionError("not yours")

    monkeypatch.setattr(module, "sha_256", refuse)
    assert [kind for kind, _ in faults(folder)] == ["unreadable"] * 2


def test_files_of_others_are_named_and_left_alone(files, folder):
    others = [folder / "notes.txt", folder / "chunks" / "b.vf", folder / "chunks" / ("0" * 64 + ".txt")]
    for path in others:
        path.write_text("mine")
    (folder / "chunks" / ".DS_Store").write_text("")
    (folder / "old").mkdir()
    assert sorted(faults(folder)) == sorted(
        ("foreign", str(path)) for path in (*others, folder / "old", folder / "chunks" / ".DS_Store")
    )
    add(folder, *files)
    with store_to_write(folder) as store:
        store.remove(store.chunks)
    assert all(path.exists() for path in (*others, folder / "chunks" / ".DS_Store"))


def test_visits_beside_a_chunk_without_are_not_taken_for_its_own(files, folder):
    """`open_games` would read them."""
    strange = chunk_file(folder, files[0], ".visits")
    strange.write_bytes(sibling(files[1]).read_bytes())
    ((kind, place),) = faults(folder)
    assert (kind, place) == ("has a file of visits that does not belong to it", str(strange.with_suffix(".vf")))
    with pytest.raises(ValueError, match=r"\.vf has a file of visits that does not belong to it: `teresa train data"):
        Store(folder).files()
    with pytest.raises(ValueError, match="a file of visits that does not belong to it: move that elsewhere"):
        add(folder, files[0])
    assert strange.exists()


def test_what_interrupted_commands_leave_is_named(files, folder, tmp_path):
    chunk = inspect(files[0]).chunk
    with store_to_write(folder) as store:
        record(folder, {"removed": chunk.name})  # and then the process ended
    new = games_file(tmp_path / "new.vf", 2, seed=7, with_visits=True)
    whole = store.path(inspect(new).chunk.name)
    whole.write_bytes(new.read_bytes())
    sibling(whole).write_bytes(sibling(new).read_bytes())
    half = store.path("0" * 64, ".visits")
    half.write_bytes(sibling(new).read_bytes())
    aside = folder / "chunks" / f".{'1' * 64}.vf.x7_3ab"
    aside.write_bytes(b"half a file")
    (folder / ".manifest.jsonl.abcdefgh").write_bytes(b"{")
    kinds = {
        folder / ".manifest.jsonl.abcdefgh": "left over",
        aside: "left over",
        half: "left over",
        store.path(chunk.name): "left over",
        whole: "not recorded",
        sibling(whole): "not recorded",
    }
    assert {place: kind for kind, place in faults(folder)} == {str(path): kind for path, kind in kinds.items()}
    assert [what for _, what in add(folder, whole)] == ["added"]
    left = {str(half): "left over", str(store.path(chunk.name)): "left over"}
    assert {place: kind for kind, place in faults(folder)} == left
    assert Store(folder).manifest.chunks[inspect(new).chunk.name].source == {"name": whole.name}


def test_what_is_not_recorded_is_said_and_how_to_keep_its_plan(files, folder):
    """The advice is to repeat the command, which knows the plan; or it can be given later."""
    manifest, new = (
        folder / "manifest.jsonl",
        replace(inspect(files[0]), chunk=inspect(files[0], {"plan": {"seed": 3}}).chunk),
    )
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(line.replace(b'"games"', b'"gamex"') if b"a.vf" in line else line for line in lines))
    (fault,) = check_store(Store(folder)).faults
    path = Store(folder).path(new.chunk.name)
    assert (fault.kind, fault.place) == ("not recorded", str(path))
    assert f"repeat that; if it cannot be repeated, --add {path} takes it in, without its plan" in fault.advice
    assert Store(folder).unrecorded() == [path]
    damaged, unrecorded = Store(folder).warnings()
    assert "lines of manifest.jsonl that are damaged: 1;" in damaged
    assert f"not recorded, and not used: 1, e.g. {path.name}" in unrecorded
    add(folder, path)
    assert Store(folder).find_source({"plan": {"seed": 3}}) is None
    with store_to_write(folder) as store:
        assert store.add(new).what == "there already"
    assert Store(folder).find_source({"plan": {"seed": 3}}).name == new.chunk.name
    add(folder, files[0])
    assert Store(folder).find_source({"plan": {"seed": 3}}) is not None
    assert faults(folder) == []
    assert len(Store(folder).warnings()) == 1


def test_a_chunk_recorded_twice_is_found(files, folder):
    chunk = inspect(files[0]).chunk
    record(folder, chunk.entry())
    (fault,) = check_store(Store(folder)).faults
    assert "copy it to another folder" in fault.advice
    assert faults(folder) == [("recorded twice", str(chunk_file(folder, files[0])))]
    assert len(Store(folder).files()) == 2
    with store_to_write(folder) as store:
        store.remove([chunk])
    add(folder, files[0])
    assert faults(folder) == []


def test_wrong_numbers_in_the_manifest_are_found(files, folder):
    chunk = inspect(files[0]).chunk
    with store_to_write(folder) as store:
        store.remove([chunk])
    add(folder, files[0])
    record(folder, {"removed": chunk.name})
    record(folder, replace(chunk, positions=chunk.positions + 1).entry())
    assert faults(folder) == [("miscounted", str(chunk_file(folder, files[0])))]


# Games in several chunks


def numbered(*numbers):
    """Games that differ in a score."""
    games = []
    for number in numbers:
        game = bytearray(known_game())
        game[34:36] = number.to_bytes(2, "little")
        games.append(bytes(game))
    return b"".join(games)


def doubled(tmp_path, *chunks):
    """-> how many games are in several chunks, and the faults."""
    folder = tmp_path / "doubled"
    for index, content in enumerate(chunks):
        path = tmp_path / f"{index}.vf"
        path.write_bytes(content)
        add(folder, path)
    report = check_store(Store(folder))
    names = {Store(folder).path(inspect(tmp_path / f"{index}.vf").chunk.name): index for index in range(len(chunks))}
    places = {str(path): index for path, index in names.items()}
    assert {fault.kind for fault in report.faults} <= {"doubled"}
    return report.doubled, {places[fault.place]: fault.advice for fault in report.faults}


def test_games_of_several_chunks_are_counted(tmp_path):
    count, found = doubled(tmp_path, numbered(*range(10)), numbered(*range(7, 20)), numbered(*range(20, 30)))
    assert count == 6
    assert sorted(found) == [0, 1]
    assert found[0].startswith("3 of 10 games are in other chunks too, 3 of them in ")
    assert found[1].startswith("3 of 13 games")


def test_the_chunk_with_most_of_the_games_is_named(tmp_path):
    count, found = doubled(tmp_path, numbered(*range(10)), numbered(*range(8, 20)), numbered(*range(5)))
    assert count == 2 + 5 + 2 + 5
    most = inspect(tmp_path / "2.vf").chunk.name[:12]
    assert found[0].startswith(f"7 of 10 games are in other chunks too, 5 of them in {most}")


def test_few_equal_games_are_no_fault(tmp_path):
    assert doubled(tmp_path, numbered(*range(200)), numbered(199, *range(300, 500))) == (2, {})


def test_the_same_game_twice_in_a_chunk_is_not_doubled(tmp_path):
    assert doubled(tmp_path, numbered(1, 1, 2), numbered(3, 4)) == (0, {})


def test_other_labels_make_another_game(tmp_path):
    assert doubled(tmp_path, numbered(1, 2), numbered(3, 4)) == (0, {})
