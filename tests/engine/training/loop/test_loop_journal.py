"""The journal of a loop: what is no loop, or damaged, or used by another process is refused, and nothing is lost."""

import pytest

from engine.training.loop.loop_journal import JOURNAL, LoopJournal, check_folder
from tests.engine.training.loop.fake_work import FIRST, SETTINGS, FakeWork, begun, run


@pytest.fixture
def folder(tmp_path):
    begun(tmp_path / "loop")
    run(tmp_path / "loop", FakeWork(tmp_path / "loop"), 1)
    return tmp_path / "loop"


def test_a_new_folder_an_empty_one_and_that_of_a_loop_are_taken(folder, tmp_path):
    check_folder(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    check_folder(tmp_path / "empty")
    (tmp_path / "empty" / "lock").touch()
    check_folder(tmp_path / "empty")
    check_folder(folder)
    (tmp_path / "killed" / "nets").mkdir(parents=True)  # before its first line
    check_folder(tmp_path / "killed")


def test_folders_of_others_are_refused(folder, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").touch()
    with pytest.raises(ValueError, match=r"thesis has other files in it \(chapter\.tex\): name a new folder$"):
        check_folder(tmp_path / "thesis")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file is a file, no folder"):
        check_folder(tmp_path / "file")
    (folder / JOURNAL).unlink()
    with pytest.raises(ValueError, match=r"loop has the games of a loop, but no journal\.jsonl: name a new folder$"):
        check_folder(folder)


def test_one_process_at_a_time(folder):
    journal = LoopJournal(folder)
    with (
        journal.held(),
        pytest.raises(ValueError, match="loop is in use: another process works on this loop"),
        LoopJournal(folder).held(),
    ):
        pass
    with LoopJournal(folder).held():
        pass


def test_lines_of_another_process_are_seen_once_the_journal_is_held(folder):
    early, other = LoopJournal(folder), LoopJournal(folder)
    with other.held():
        other.add("settings", settings=SETTINGS.data())
    with early.held():
        assert early.entries == other.entries
        early.add("settings", settings=SETTINGS.data())
    assert [entry["n"] for entry in LoopJournal(folder).entries] == list(range(len(early.entries)))


@pytest.mark.parametrize("line", range(6))
def test_a_line_that_is_damaged_or_missing_among_others_stops_the_loop(folder, line):
    """It may have said which net is the best. The file is not touched."""
    path = folder / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 7
    for other in (b"", lines[line].replace(b'"n":', b'"m":'), b"x\n"):
        damaged = b"".join([*lines[:line], other, *lines[line + 1 :]])
        path.write_bytes(damaged)
        what = "the first line is damaged" if line == 0 else f"line {line + 1} is damaged or missing"
        with pytest.raises(ValueError, match=rf"journal\.jsonl: {what}"):
            LoopJournal(folder)
        assert path.read_bytes() == damaged
    path.write_bytes(b"".join(lines))
    assert len(LoopJournal(folder).entries) == 7


def test_an_empty_journal_and_one_of_a_newer_version_are_refused(tmp_path):
    (tmp_path / JOURNAL).touch()
    with pytest.raises(ValueError, match="the first line is damaged"):
        LoopJournal(tmp_path)
    (tmp_path / JOURNAL).unlink()
    journal = LoopJournal(tmp_path)
    journal.add("loop", format=2, net=FIRST)
    with pytest.raises(ValueError, match="format 2: this version of Teresa cannot read it"):
        LoopJournal(tmp_path)


def test_a_disk_that_is_full_loses_nothing(folder, monkeypatch):
    before = (folder / JOURNAL).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.training.loop.loop_journal.append_line", full)
    with pytest.raises(OSError, match="No space left on device; what is recorded is safe"):
        run(folder, FakeWork(folder), 2)
    monkeypatch.undo()
    assert (folder / JOURNAL).read_bytes() == before
    assert run(folder, FakeWork(folder), 2).ended == 2
