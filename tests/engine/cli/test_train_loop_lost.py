"""`teresa train loop`: a round under way whose teacher or book is gone ends with those of `--change`."""

import pytest

from engine.cli import loop_run
from engine.training.generate.teachers import UciTeacher
from engine.training.loop.loop_journal import JOURNAL
from tests.engine.cli.loops import SMALL, folder_of_fake_steps, loop, state_of
from tests.engine.training.loop.fake_work import Killed

BOOK = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"
OTHER = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n"
TAUGHT = ["--start", "random", "--value-hidden", "32", "--policy-hidden", "32", "--teacher", "fish"]


@pytest.fixture
def gone(monkeypatch):
    """The teachers that cannot be started."""
    names = set()

    def check(teacher):
        if teacher.command in names:
            raise ValueError(f"{teacher.command} cannot be started")

    monkeypatch.setattr(UciTeacher, "check", check)
    return names


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    found = folder_of_fake_steps(tmp_path, monkeypatch)
    request.getfixturevalue("gone")  # instead of a check that never fails
    return found


def stopped_at(step, monkeypatch, *words, after=0):
    """Run a loop, and end it in the first such step after some others."""
    calls, real = [], getattr(loop_run.LoopWork, step)

    def killed(*arguments):
        calls.append(arguments)
        if len(calls) > after:
            raise Killed
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(loop_run.LoopWork, step, killed)
        with pytest.raises(Killed):
            loop(*words)


@pytest.mark.parametrize(
    ("step", "after", "is_gone", "expected"),
    [
        ("label", 0, True, "cod"),
        ("label", 1, True, "cod"),  # there are games, but no positions of trees
        ("label", 0, False, "fish"),
        ("fit", 0, True, "fish"),
        ("gate", 0, True, "fish"),
    ],
)
def test_a_round_without_its_labels_takes_another_teacher_if_its_own_is_gone(
    folder, gone, capsys, monkeypatch, step, after, is_gone, expected
):
    """One that can make them, or has them, ends as it was begun."""
    stopped_at(step, monkeypatch, folder, *TAUGHT, after=after)
    if is_gone:
        gone.add("fish")
        assert loop(folder, "--rounds", 2) == 2
        assert "fish cannot be started" in capsys.readouterr().err
    assert loop(folder, "--rounds", 2, "--change", "--teacher", "cod") == 0
    first, second = state_of(folder).rounds
    assert (first.settings.teacher, second.settings.teacher) == (expected, "cod")


def test_a_teacher_that_is_gone_after_the_change(folder, gone, monkeypatch):
    """The change held from the next round on, and cannot be asked for again."""
    stopped_at("label", monkeypatch, folder, *TAUGHT)
    stopped_at("label", monkeypatch, folder, "--change", "--teacher", "cod")
    assert state_of(folder).under_way.settings.teacher == "fish"
    gone.add("fish")
    assert loop(folder, "--rounds", 1) == 0
    assert state_of(folder).rounds[0].settings.teacher == "cod"


def test_instead_of_a_teacher_that_is_gone_self_play(folder, gone, monkeypatch):
    stopped_at("label", monkeypatch, folder, *TAUGHT, after=1)
    gone.add("fish")
    assert loop(folder, "--rounds", 1, "--change", "--self-play") == 0
    (only,) = state_of(folder).rounds
    assert [str(step) for step in only.steps][:2] == ["labels games", "fit"]
    assert len(only.chunks) == 1


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.epd"
    path.write_text(BOOK)
    return path


def has_changed(book):
    book.write_text(OTHER)
    return "book.epd has changed: with --change --book FILE it is used from now on"


def is_lost(book):
    book.unlink()
    return "book.epd: No such file"


@pytest.mark.parametrize("what", [has_changed, is_lost])
@pytest.mark.parametrize("step", ["label", "fit", "gate"])
def test_open_gates_take_another_book_if_theirs_is_gone(folder, book, tmp_path, capsys, monkeypatch, what, step):
    """All else of the round stays as it was."""
    stopped_at(step, monkeypatch, folder, *SMALL, "--book", book, "--gate-games", 2, "--visits", 30)
    before, message = (folder / JOURNAL).read_bytes(), what(book)
    assert loop(folder, "--rounds", 2) == 2
    assert message in capsys.readouterr().err
    assert (folder / JOURNAL).read_bytes() == before
    new = tmp_path / "new.epd"
    new.write_text(OTHER)
    assert loop(folder, "--rounds", 2, "--change", "--book", new, "--visits", 40) == 0
    first, second = state_of(folder).rounds
    assert (first.settings.book, first.settings.visits) == (str(new), 30)
    assert (second.settings.book, second.settings.visits) == (str(new), 40)
    assert first.settings.book_sha256 == second.settings.book_sha256
    before = (folder / JOURNAL).read_bytes()
    assert loop(folder, "--rounds", 2) == 0
    assert (folder / JOURNAL).read_bytes() == before


def test_a_book_that_is_there_is_that_of_the_round_to_its_end(folder, book, tmp_path, monkeypatch):
    stopped_at("gate", monkeypatch, folder, *SMALL, "--book", book, "--gate-games", 2)
    new = tmp_path / "new.epd"
    new.write_text(OTHER)
    stopped_at("gate", monkeypatch, folder, "--change", "--book", new)
    assert state_of(folder).under_way.settings.book == str(book)
    book.unlink()
    assert loop(folder, "--rounds", 1) == 0
    assert state_of(folder).rounds[0].settings.book == str(new)


@pytest.mark.parametrize("option", ["--teacher", "--teacher-net"])
def test_an_empty_name_of_a_teacher_is_not_self_play(folder, capsys, option):
    assert loop(folder, option, "") == 2
    assert f"{option}: no name is given" in capsys.readouterr().err
    assert not folder.exists()
