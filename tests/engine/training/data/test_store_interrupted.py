"""A store whose process ends, finds the disk full, or has a second one beside it: nothing that was recorded is lost."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest
from filelock import FileLock

from engine.training.data import store as module
from engine.training.data.manifest import read_manifest
from engine.training.data.new_chunk import inspect
from engine.training.data.store import Store, files_of, store_to_write
from tests.engine.training.data.stores import add, faults_in, names_in


class Killed(BaseException):
    """The process has ended here."""


def was_whole(folder, files):
    """Add files; -> did nothing prevent it?"""
    try:
        add(folder, *files)
    except (Killed, OSError, ValueError):
        return False
    return True


def interrupt(monkeypatch, number, error, *, can_clean_up):
    """Raise an error at one of the steps that reach the disk."""
    steps = iter(range(1000))

    def stepping(function):
        def call(*arguments, **keywords):
            if next(steps) == number:
                raise error
            return function(*arguments, **keywords)

        return call

    monkeypatch.setattr(os, "fsync", stepping(os.fsync))
    monkeypatch.setattr(Path, "replace", stepping(Path.replace))
    monkeypatch.setattr(Path, "mkdir", stepping(Path.mkdir))
    if not can_clean_up:
        unlink = Path.unlink

        def unlink_if_alive(path, missing_ok=False):
            if next(steps) >= number:
                raise error
            unlink(path, missing_ok=missing_ok)

        monkeypatch.setattr(Path, "unlink", unlink_if_alive)


@pytest.mark.parametrize("can_clean_up", [False, True], ids=["killed", "full"])
def test_whatever_ends_an_addition_nothing_recorded_is_lost(files, folder, monkeypatch, can_clean_up):
    """The same command makes it whole, at whichever step it was ended."""
    error = OSError(errno.ENOSPC, "No space left on device") if can_clean_up else Killed()
    went_on = []
    for number in range(17):
        target = folder.with_name(f"store{number}")
        add(target, files[0])
        (before,) = read_manifest(target).chunks
        with monkeypatch.context() as patch:
            interrupt(patch, number, error, can_clean_up=can_clean_up)
            went_on.append(was_whole(target, files[1:]))
        chunks = Store(target).chunks
        assert before in {chunk.name for chunk in chunks}
        assert all(Store(target).damage_of(chunk) is None for chunk in chunks)
        if can_clean_up:
            assert not [name for name in names_in(target) if Path(name).name.startswith(".")]
        outcomes = {what for _, what in add(target, *files)}
        assert outcomes <= {"added", "there already"}
        assert len(Store(target).chunks) == 3
        assert faults_in(target) == []
    assert went_on.count(False) >= 10
    assert went_on[-1]


def test_whatever_ends_the_creation_of_a_store_it_can_be_created(files, folder, monkeypatch):
    for number in range(6):
        target = folder.with_name(f"new{number}")
        with monkeypatch.context() as patch:
            interrupt(patch, number, Killed(), can_clean_up=False)
            with pytest.raises(Killed):
                add(target, files[0])
        assert add(target, files[0])[0].what in ("added", "there already")
        assert faults_in(target) == []


def test_whatever_ends_a_removal_what_is_left_is_known(files, folder, monkeypatch):
    for number in range(5):
        target = folder.with_name(f"store{number}")
        add(target, *files)
        chosen = [Store(target).find(inspect(path).chunk.name) for path in files[:2]]
        with monkeypatch.context() as patch, store_to_write(target) as store:
            interrupt(patch, number, Killed(), can_clean_up=False)
            with pytest.raises(Killed):
                store.remove(chosen)
        left = Store(target).chunks
        assert 1 <= len(left) <= 3
        assert all(Store(target).damage_of(chunk) is None for chunk in left)
        assert set(faults_in(target)) <= {"left over"}
        with store_to_write(target) as store:
            store.remove([chunk for chunk in store.chunks if chunk in chosen])
        assert len(Store(target).chunks) == 1
        assert faults_in(target) == []


def test_a_removal_is_all_or_nothing(files, folder, monkeypatch):
    """Whatever ends it, none of the chunks is in the store any more, or all are."""
    for number in range(6):
        target = folder.with_name(f"store{number}")
        add(target, *files)
        with monkeypatch.context() as patch, store_to_write(target) as store:
            interrupt(patch, number, Killed(), can_clean_up=False)
            with suppress(Killed):
                store.remove(store.chunks[1:], "--thin 50%")
        left = Store(target)
        assert len(left.chunks) in (1, 3)
        if len(list((target / "chunks").glob("*.vf"))) > len(left.chunks):
            assert len(left.unfinished("--thin 50%")) == 2
        with store_to_write(target) as store:
            store.finish_removal()
        assert Store(target).unfinished("--thin 50%") == []
        assert faults_in(target) == []


def test_a_second_process_waits_and_is_refused(files, folder, monkeypatch):
    monkeypatch.setattr(module, "LOCK_PATIENCE", 0.05)
    add(folder, files[0])
    with FileLock(folder / "lock"), pytest.raises(ValueError, match="is in use by another process"):
        add(folder, files[1])
    assert add(folder, files[1])[0].what == "added"


def test_a_store_that_cannot_be_written_can_be_read(files, folder, monkeypatch):
    add(folder, files[0])

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "lock")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(ValueError, match="store cannot be written: Permission denied"):
        add(folder, files[1])
    assert len(files_of([folder])) == 1
    assert faults_in(folder) == []
