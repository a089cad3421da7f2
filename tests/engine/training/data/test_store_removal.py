"""What is taken out of a store: which chunks are kept, which files are deleted, and which never are."""

import pytest

from engine.training.data.manifest import record
from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store, store_to_write, surplus
from tests.engine.training.data.stores import add, faults_in, games_file, names_in

# Thinning


def thinned(folder, most):
    """The names that are left."""
    store = Store(folder)
    gone = {chunk.name for chunk in surplus(store, most)}
    return {chunk.name for chunk in store.chunks} - gone


def nearest_start(folder, keep):
    """The first chunks by hash whose positions come closest to a number: all of their numbers are tried."""
    chunks = sorted(Store(folder).manifest.chunks.values(), key=lambda chunk: chunk.name)
    starts = [chunks[:number] for number in range(len(chunks) + 1)]
    best = min(starts, key=lambda start: (abs(sum(chunk.positions for chunk in start) - keep), len(start)))
    return {chunk.name for chunk in best}


def test_a_large_chunk_does_not_end_the_choice(tmp_path):
    """The share that is kept is as near to what was asked for as whole chunks allow; less is part of more."""
    folder = tmp_path / "store"
    add(folder, *(games_file(tmp_path / f"{n}.vf", count, n + 10) for n, count in enumerate((40, 4, 4, 4, 4, 4, 4))))
    chunks, total, before = Store(folder).chunks, Store(folder).positions, set()
    for share in range(1, 101):
        keep = total * share // 100
        if not nearest_start(folder, keep):
            with pytest.raises(ValueError, match="nothing would be left"):
                thinned(folder, keep)
            continue
        left = thinned(folder, keep)
        assert left == nearest_start(folder, keep)
        assert before <= left
        before = left
        kept = sum(chunk.positions for chunk in chunks if chunk.name in left)
        assert abs(kept - keep) <= max(chunk.positions for chunk in chunks) / 2
    assert len(before) == 7


def test_thinning_does_not_depend_on_the_order_of_addition(tmp_path):
    files = [games_file(tmp_path / f"{seed}.vf", 2, seed) for seed in range(8)]
    one, other = tmp_path / "one", tmp_path / "other"
    add(one, *files)
    add(other, *files[5:], *files[:5])
    total, kept = Store(one).positions, []
    for share in (0.9, 0.6, 0.3):
        left = thinned(one, int(share * total))
        assert left == thinned(other, int(share * total))
        assert left == nearest_start(one, int(share * total))
        kept.append(left)
    assert kept[2] <= kept[1] <= kept[0]
    assert 0 < len(kept[2]) < len(kept[0]) < 8
    assert thinned(one, total) == thinned(one, 10 * total) == {chunk.name for chunk in Store(one).chunks}
    with pytest.raises(ValueError, match="nothing would be left"):
        thinned(one, 1)


def test_what_was_taken_out_can_be_added_again(files, folder):
    add(folder, *files)
    chunk = inspect(files[1]).chunk
    with store_to_write(folder) as store:
        store.remove([chunk])
    assert not [name for name in names_in(folder) if chunk.name in name]
    assert (len(Store(folder).chunks), faults_in(folder)) == (2, [])
    assert [what for _, what in add(folder, *files)] == ["there already", "added", "there already"]
    assert faults_in(folder) == []
    with store_to_write(folder) as store:
        store.remove([inspect(files[0]).chunk])
    assert (len(Store(folder).chunks), faults_in(folder)) == (2, [])


def test_only_files_of_the_chunk_are_deleted(files, folder):
    """A file beside them that the manifest does not know stays, whatever its name."""
    add(folder, files[0])
    (chunk,) = Store(folder).chunks
    foreign = Store(folder).path(chunk.name, ".policy")
    foreign.write_bytes(b"mine")
    with store_to_write(folder) as store:
        store.remove([chunk])
    assert foreign.read_bytes() == b"mine"
    assert names_in(folder) == {"manifest.jsonl", "lock", f"chunks/{foreign.name}"}


@pytest.mark.parametrize("key", ["removed", "deleted"])
def test_names_that_could_lead_out_of_the_store_are_refused(files, folder, tmp_path, key):
    """Every line of a hostile manifest has a right checksum."""
    add(folder, files[0])
    whole, name = (folder / "manifest.jsonl").read_bytes(), Store(folder).chunks[0].name
    victim = tmp_path / "precious.vf"
    victim.write_bytes(b"x")
    place = str(victim.with_suffix(""))
    for names in (
        place,
        "../../precious",
        [place],
        [name, "../../precious"],
        [name.upper()],
        name + "\n",
        [7],
        7,
        None,
        {},
    ):
        record(folder, {key: names})
        with pytest.raises(ValueError, match=r"manifest\.jsonl: line 3: .* a newer one may"), store_to_write(folder):
            pass
        assert victim.exists()
        assert (folder / "chunks" / f"{name}.vf").exists()
        (folder / "manifest.jsonl").write_bytes(whole)


def test_what_was_never_recorded_is_not_deleted(files, folder):
    """A removal deletes by the lines of chunks: a name alone deletes nothing."""
    add(folder, files[0])
    stranger = folder / "chunks" / ("0" * 64 + ".vf")
    stranger.write_bytes(b"x")
    record(folder, {"removed": ["0" * 64], "request": "--thin 50%"})
    with store_to_write(folder) as store:
        assert store.unfinished("--thin 50%") == []
        store.remove(store.chunks)
    assert names_in(folder) == {"manifest.jsonl", "lock", f"chunks/{stranger.name}"}
