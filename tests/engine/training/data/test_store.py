"""The store of labelled games: what it keeps, whatever ends a process; what comes in and goes out."""

import hashlib
import json
import sys
from collections import Counter

import pytest

from engine.training.data.games import open_games
from engine.training.data.manifest import read_manifest, record
from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store, files_of, store_to_write
from engine.training.data.visits import sibling
from tests.engine.training.data.games import known_game, random_records
from tests.engine.training.data.stores import add, faults_in, names_in

# What is kept


def test_a_chunk_is_named_by_its_content_and_says_what_is_in_it(files, folder):
    outcomes = add(folder, *files)
    assert [what for _, what in outcomes] == ["added"] * 3
    for path, (chunk, _), count, seed in zip(files, outcomes, (4, 3, 5), (1, 2, 3), strict=True):
        contents = [one.read_bytes() for one in (path, sibling(path)) if one.exists()]
        name = hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()
        kept = [folder / "chunks" / (name + suffix) for suffix in (".vf", ".visits")[: len(contents)]]
        assert [one.read_bytes() for one in kept] == contents
        records = random_records(count, seed)
        positions = sum(len(record[1]) for record in records)
        labelled = sum(len(record[1]) for record in records if not record[3] & 8)
        entry = Store(folder).manifest.chunks[name].entry()
        assert entry == chunk.entry()
        assert (entry["games"], entry["positions"], entry["labelled"]) == (count, positions, labelled)
        assert entry["with_visits"] == (positions if path.name == "b.vf" else 0)
        assert entry["source"] == {"name": path.name}
        assert chunk.bytes == sum(map(len, contents))
    assert len(names_in(folder)) == 4 + 2  # manifest and lock
    assert faults_in(folder) == []


def test_what_is_there_is_not_added_again(files, folder, tmp_path):
    add(folder, *files)
    before = (folder / "manifest.jsonl").read_bytes()
    copy = tmp_path / "copy.vf"
    copy.write_bytes(files[0].read_bytes())
    assert [what for _, what in add(folder, copy, *files)] == ["there already"] * 4
    assert (folder / "manifest.jsonl").read_bytes() == before


def test_the_same_games_with_and_without_visits_are_two_chunks(files, folder):
    add(folder, files[1])
    sibling(files[1]).unlink()
    assert add(folder, files[1])[0].what == "added"
    assert faults_in(folder) == ["doubled", "doubled"]


def test_a_store_is_all_its_chunks_whatever_their_order(files, folder, tmp_path):
    add(folder, *files)
    add(tmp_path / "other", *reversed(files))
    one, other = files_of([folder]), files_of([tmp_path / "other"])
    assert [path.name for path in one] == [path.name for path in other]
    assert Counter(path.read_bytes() for path in one) == Counter(path.read_bytes() for path in files)
    assert files_of([files[0], folder, files[1]]) == [files[0], *one, files[1]]
    assert open_games(one).positions == open_games(files).positions == Store(folder).positions


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_more_chunks_than_a_process_may_open(folder, tmp_path):
    """Files that are mapped into memory count as open; the usual limits are 256 and 1024."""
    import resource

    for number in range(120):
        game = bytearray(known_game())
        game[34:36] = number.to_bytes(2, "little")
        (tmp_path / f"{number}.vf").write_bytes(game)
    add(folder, *(tmp_path / f"{number}.vf" for number in range(120)))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
    try:
        assert open_games(files_of([folder])).positions == 120 * 3
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# Damage to the manifest


def test_a_manifest_that_was_cut_off_anywhere_has_all_that_was_recorded_before(files, folder):
    add(folder, *files[:2])
    first = set(read_manifest(folder).chunks)
    length = (folder / "manifest.jsonl").stat().st_size
    add(folder, files[2])
    whole, everything = (folder / "manifest.jsonl").read_bytes(), set(read_manifest(folder).chunks)
    for size in range(length, len(whole)):
        (folder / "manifest.jsonl").write_bytes(whole[:size])
        chunks = set(read_manifest(folder).chunks)
        assert chunks == (everything if size == len(whole) - 1 else first)
    (folder / "manifest.jsonl").write_bytes(whole[: length + 40])
    assert faults_in(folder) == ["not recorded"]
    assert add(folder, files[2])[0].what == "added"
    manifest = read_manifest(folder)
    assert (set(manifest.chunks), manifest.damaged_lines) == (everything, 1)
    assert faults_in(folder) == []


def test_flipped_bits_of_the_manifest_invent_nothing(files, folder):
    add(folder, *files)
    whole, chunks = (folder / "manifest.jsonl").read_bytes(), read_manifest(folder).chunks
    header = whole.index(b"\n")
    for bit in range(0, 8 * len(whole), 29):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / "manifest.jsonl").write_bytes(damaged)
        if bit // 8 <= header:
            with pytest.raises(ValueError, match="the header is damaged"):
                read_manifest(folder)
        else:
            found = read_manifest(folder)
            assert found.chunks.items() <= chunks.items()
            assert len(found.chunks) >= 1
            assert found.damaged_lines


# Merging


def test_a_line_of_nothing_but_brackets_is_damaged(files, folder):
    add(folder, files[0])
    with (folder / "manifest.jsonl").open("ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    assert (len(Store(folder).chunks), Store(folder).manifest.damaged_lines) == (1, 1)


def test_stores_merged_in_either_order_are_the_same(files, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    add(one, *files[:2])
    add(other, *files[1:])
    merged = []
    for number, order in enumerate(((one, other), (other, one))):
        target = tmp_path / f"merged{number}"
        with store_to_write(target, create=True) as store:
            outcomes = [outcome for part in order for outcome in store.merge(Store(part))]
        assert Counter(what for _, what in outcomes) == {"added": 3, "there already": 1}
        assert faults_in(target) == []
        merged.append(target)
    chunks = [Store(target).chunks for target in merged]
    assert chunks[0] == chunks[1]
    assert [chunk.source["name"] for chunk in chunks[0]] == [chunk.source["name"] for chunk in chunks[1]]
    contents = [[path.read_bytes() for path in files_of([target])] for target in merged]
    assert contents[0] == contents[1]


def test_damaged_chunks_are_not_merged_but_mended_by_whole_ones(files, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    add(one, *files)
    add(other, *files)
    name = inspect(files[0]).chunk.name
    path = other / "chunks" / f"{name}.vf"
    path.write_bytes(path.read_bytes()[:-1])
    with store_to_write(tmp_path / "third", create=True) as store:
        outcomes = {chunk.name: what for chunk, what in store.merge(Store(other))}
    assert outcomes.pop(name) == "torn"
    assert set(outcomes.values()) == {"added"}
    assert faults_in(tmp_path / "third") == []
    with store_to_write(other) as store:
        assert Counter(what for _, what in store.merge(Store(one))) == {"mended": 1, "there already": 2}
    assert faults_in(other) == []


def test_what_changes_while_it_is_copied_is_not_taken_in(files, folder):
    new = inspect(files[0])
    data = bytearray(files[0].read_bytes())
    data[34] ^= 1  # another score
    files[0].write_bytes(data)
    with (
        store_to_write(folder, create=True) as store,
        pytest.raises(ValueError, match="has changed while it was copied"),
    ):
        store.add(new)
    assert names_in(folder) == {"manifest.jsonl", "lock"}


def test_chunks_are_found_by_the_start_of_their_names(files, folder):
    add(folder, *files)
    store = Store(folder)
    for chunk in store.chunks:
        assert store.find(chunk.name) == store.find(chunk.name[:12]) == chunk
    with pytest.raises(ValueError, match="has no chunk xyz"):
        store.find("xyz")
    store.manifest.chunks = dict.fromkeys(("x", "y"), store.chunks[0])
    with pytest.raises(ValueError, match="has more than one chunk"):
        store.find(store.chunks[0].name[:5])


# What is no store, or of another version


def test_what_is_no_store_is_said(files, folder, tmp_path):
    with pytest.raises(ValueError, match="there is no store"):
        Store(folder)
    folder.mkdir()
    with pytest.raises(ValueError, match=r"is no store of labelled games: there is no manifest\.jsonl in it"):
        Store(folder)
    with pytest.raises(ValueError, match="is no store of labelled games"):
        files_of([folder])
    (folder / "thesis.doc").write_text("years of work")
    with pytest.raises(ValueError, match="and not empty"):
        add(folder, files[0])
    assert names_in(folder) == {"thesis.doc"}
    with pytest.raises(ValueError, match="is a file, no store"):
        add(files[0], files[1])
    add(tmp_path / "empty", *())
    with pytest.raises(ValueError, match="has no games yet"):
        files_of([tmp_path / "empty"])


def test_newer_versions_are_refused(files, folder):
    add(folder, files[0])
    whole = (folder / "manifest.jsonl").read_bytes()
    (entry,) = [chunk.entry() for chunk in Store(folder).chunks]
    suffix = {".vf": entry["files"][".vf"], ".later": [1, "0" * 64]}
    escaping = {"../../x": entry["files"][".vf"], **entry["files"]}
    changes = ({"kind": "soft"}, {"files": suffix}, {"files": escaping}, {"chunk": "../../x"}, {"games": "many"})
    endless = {"games": float("inf")}, {"files": {".vf": [float("inf"), "0" * 64]}}  # JSON of Python knows infinity
    for change in (*changes, *endless, {"files": {".vf": [1, "../../x"]}}, {"source": None}):
        record(folder, {**entry, **change})
        with pytest.raises(ValueError, match=r"manifest\.jsonl: line 3: .* a newer one may"):
            Store(folder)
        (folder / "manifest.jsonl").write_bytes(whole)
    (folder / "manifest.jsonl").write_bytes(b"")
    record(folder, {"store": 2})
    with pytest.raises(ValueError, match="format 2, and not 1: this version of Teresa cannot read it, a newer one may"):
        Store(folder)
    for content in (b"", b"\n", b"x" * 100, json.dumps({"store": 1}).encode() + b"\n"):
        (folder / "manifest.jsonl").write_bytes(content)
        with pytest.raises(ValueError, match="the header is damaged"):
            Store(folder)
