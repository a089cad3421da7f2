import errno
import json
import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from perft.runner.journal import Journal, JournalError, Memory, hash_of_units
from perft.runner.units import UnitAnswer
from tests.perft.runner.work import unit


def answer(value, files=None):
    return UnitAnswer("host:1", 0.5, value, files or {})


@pytest.fixture
def journal(tmp_path):
    journal = Journal(tmp_path / "run")
    journal.start({"command": "test", "arguments": {"depth": 3}})
    yield journal
    journal.close()


def reopened(journal):
    journal.close()
    other = Journal(journal.folder)
    header = other.resume()
    return other, header


def lines_of(journal):
    return (journal.folder / "journal.jsonl").read_text().splitlines()


def test_what_is_recorded_is_there_again(journal):
    big = 10**30
    recorded = [
        journal.record(unit(1), answer(big), ("a",)),
        journal.record(unit(2), answer(None, {".txt": b"abc", ".bin": b""}), ("a", "b")),
    ]
    other, header = reopened(journal)
    assert header == {"journal": 1, "command": "test", "arguments": {"depth": 3}}
    assert other.done == {unit(1).identity: recorded[0], unit(2).identity: recorded[1]}
    assert other.done[unit(1).identity].value == big
    assert other.done[unit(2).identity].workers == ("a", "b")
    assert other.done[unit(2).identity].read(".txt") == b"abc"
    other.close()


def test_each_line_is_json(journal):
    journal.record(unit(1), answer([1, "x"]), ("a",))
    header, entry = map(json.loads, lines_of(journal))
    assert header["command"] == "test"
    assert (entry["unit"], entry["value"], entry["workers"], entry["seconds"]) == (
        unit(1).identity,
        [1, "x"],
        ["a"],
        0.5,
    )


@pytest.mark.parametrize("left", [1, 10, 100])
def test_a_torn_line_is_skipped_and_the_next_one_is_whole(journal, left):
    journal.record(unit(1), answer(1), ("a",))
    journal.record(unit(2), answer(4), ("a",))
    path = journal.folder / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:left])
    other, _ = reopened(journal)
    assert list(other.done) == [unit(1).identity]
    other.record(unit(3), answer(9), ("a",))
    last, _ = reopened(other)
    assert list(last.done) == [unit(1).identity, unit(3).identity]
    last.close()


def test_the_last_line_of_a_unit_counts(journal):
    journal.record(unit(1), answer(1), ("a",))
    journal.record(unit(2), answer(4), ("a",))
    journal.record(unit(1), answer(1), ("a", "b"))
    journal.withdraw(unit(2))
    other, _ = reopened(journal)
    assert {name: result.workers for name, result in other.done.items()} == {unit(1).identity: ("a", "b")}
    other.record(unit(2), answer(5), ("c",))
    last, _ = reopened(other)
    assert last.done[unit(2).identity].value == 5
    last.close()


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be opened")
def test_names_and_contents_are_on_the_disk_before_a_unit_is_recorded(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def noted(number):
        synced.append(os.fstat(number).st_ino)
        fsync(number)

    monkeypatch.setattr(os, "fsync", noted)
    journal = Journal(tmp_path / "run")
    journal.start({})
    file, results = journal.folder / "journal.jsonl", journal.folder / "results"
    assert synced == [file.stat().st_ino, journal.folder.stat().st_ino]
    synced.clear()
    journal.record(unit(1), answer(1, {".txt": b"abc"}), ("a",))
    (result,) = results.iterdir()
    assert synced == [path.stat().st_ino for path in (result, results, file)]
    journal.close()


def test_a_flipped_bit_is_noticed(journal):
    journal.record(unit(1), answer(123_456), ("a",))
    journal.record(unit(2), answer(4), ("a",))
    path = journal.folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"123456", b"123457"))
    other, _ = reopened(journal)
    assert list(other.done) == [unit(2).identity]
    other.close()


@pytest.mark.parametrize("damage", ["missing", "short", "flipped"])
def test_a_damaged_file_of_a_result_makes_its_unit_undone(journal, damage):
    journal.record(unit(1), answer(1, {".txt": b"abc"}), ("a",))
    (path,) = (journal.folder / "results").iterdir()
    {
        "missing": path.unlink,
        "short": lambda: path.write_bytes(b"ab"),
        "flipped": lambda: path.write_bytes(b"abd"),
    }[damage]()
    other, _ = reopened(journal)
    assert other.done == {}
    other.record(unit(1), answer(1, {".txt": b"abc"}), ("a",))
    assert other.done[unit(1).identity].read(".txt") == b"abc"
    other.close()


def test_a_file_that_was_not_recorded_is_no_result(journal):
    (journal.folder / "results" / (unit(1).identity[:32] + ".txt.new")).write_bytes(b"half")
    other, _ = reopened(journal)
    assert other.done == {}
    other.close()


def test_only_one_process_writes(journal):
    with pytest.raises(JournalError, match="in use by another process"):
        Journal(journal.folder).resume()


def test_a_folder_with_anything_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(JournalError, match="is not empty"):
        Journal(tmp_path).start({})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_foreign_folders_and_journals_are_refused(tmp_path):
    with pytest.raises(JournalError, match=r"it has no journal\.jsonl"):
        Journal(tmp_path).resume()
    for text in ("", "nonsense\n", '{"journal":1}\n', "[]\n"):
        (tmp_path / "journal.jsonl").write_text(text)
        journal = Journal(tmp_path)
        with pytest.raises(JournalError, match="no header of this version"):
            journal.resume()
        journal.close()


class HalfWritten:
    """A file on a full disk."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def full_disk(monkeypatch):
    """-> a context in which every file is cut off in the middle."""
    real = Path.open

    @contextmanager
    def full():
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", lambda path, mode="r", *rest: HalfWritten(real(path, mode, *rest)))
            yield

    return full


def test_a_full_disk_is_a_clear_error_and_loses_nothing(journal, full_disk):
    journal.record(unit(1), answer(1), ("a",))
    with full_disk():
        for files in ({}, {".txt": b"abcdef"}):
            with pytest.raises(
                JournalError, match=r"No space left on device; what is recorded is safe, continue by --resume"
            ):
                journal.record(unit(2), answer(4, files), ("a",))
    assert list(journal.done) == [unit(1).identity]
    journal.record(unit(3), answer(9), ("a",))
    other, _ = reopened(journal)
    assert list(other.done) == [unit(1).identity, unit(3).identity]
    other.close()


def test_a_run_whose_header_was_cut_off_can_be_started_again(tmp_path, full_disk):
    journal = Journal(tmp_path / "run")
    with full_disk(), pytest.raises(JournalError, match="No space left on device"):
        journal.start({"command": "test"})
    journal.close()
    with pytest.raises(JournalError, match=r"it has no journal\.jsonl"):
        Journal(tmp_path / "run").resume()
    again = Journal(tmp_path / "run")
    again.start({"command": "test"})
    other, header = reopened(again)
    assert header["command"] == "test"
    other.close()


def test_a_folder_with_results_is_left_alone(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mine.txt").write_text("x")
    with pytest.raises(JournalError, match="is not empty"):
        Journal(tmp_path).start({})


def test_two_processes_cannot_start_in_one_folder(tmp_path, monkeypatch):
    first, second = Journal(tmp_path), Journal(tmp_path)
    take_lock = second._take_lock

    def too_late():
        first.start({})
        first.close()
        take_lock()

    monkeypatch.setattr(second, "_take_lock", too_late)
    with pytest.raises(JournalError, match="is not empty"):
        second.start({})
    second.close()


def test_the_hash_of_a_list_depends_on_its_units_and_their_order():
    a, b = unit(1), unit(2)
    assert hash_of_units([a, b]) == hash_of_units([unit(1), unit(2)])
    assert len({hash_of_units(units) for units in ([a, b], [b, a], [a], [], [a, b, b])}) == 5


def test_memory_keeps_results_with_their_files():
    memory = Memory()
    result = memory.record(unit(1), answer(1, {".txt": b"abc"}), ("a",))
    assert memory.done == {unit(1).identity: result}
    assert result.read(".txt") == b"abc"
