"""`teresa train loop`: its settings, what is refused before anything long begins, how it ends."""

import signal
import sys
from pathlib import Path

import pytest

from engine.cli import loop_run
from engine.cli.loop_arguments import DEFAULTS, RANDOM_DEFAULTS
from engine.network.weights_file import SHIPPED
from engine.system.files import digest_of
from engine.training.loop.loop_journal import JOURNAL, LoopJournal
from engine.training.loop.rounds import read_state
from engine.training.loop.settings import RANDOM, SELF_PLAY, TEACHER, seed_of
from perft.runner.processes import InlinePool
from perft.runner.runner import Stopped
from tests.engine.cli.loops import SMALL, folder_of_fake_steps, loop, settings_of
from tests.engine.training.loop.fake_work import Killed
from tests.perft.runner.work import unit


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return folder_of_fake_steps(tmp_path, monkeypatch)


def test_defaults_from_the_shipped_net(folder):
    assert loop(folder, "--rounds", 1) == 0
    settings = settings_of(folder)
    assert settings.start == digest_of(SHIPPED)
    assert (settings.value_hidden, settings.policy_hidden) == (512, 256)
    others = {name: value for name, value in DEFAULTS.items() if not name.endswith("_hidden") and name != "book"}
    assert {name: getattr(settings, name) for name in others} == others
    assert (settings.book, settings.source) == ("", TEACHER)
    (first,) = [path.stem for path in (folder / "nets").glob("*.net")]
    assert digest_of(folder / "nets" / f"{first}.net") == digest_of(SHIPPED)
    assert read_state(LoopJournal(folder).entries).first == first


def test_defaults_from_random_weights(folder):
    assert loop(folder, "--rounds", 1, "--start", "random", "--self-play") == 0
    settings = settings_of(folder)
    assert {name: getattr(settings, name) for name in RANDOM_DEFAULTS} == RANDOM_DEFAULTS
    assert (settings.start, settings.source, settings.tree_games) == (RANDOM, SELF_PLAY, 0)


def test_what_the_command_line_says(folder, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n" * 2)
    words = ["--nodes", 7, "--games", 0, "--tree-games", 9, "--sprt", -5, 5, "--clock", "2+0.1", "--book", book.name]
    words += ["--no-value-quiescence", "--value-passes", 4, "--mean", 0.25, "--gate-games", 2, "--teacher", "./fish"]
    assert loop(folder, "--rounds", 1, *words) == 0
    settings = settings_of(folder)
    assert (settings.nodes, settings.games, settings.tree_games) == (7, 0, 9)
    assert (settings.sprt, settings.clock, settings.clock_sprt) == ((-5, 5), (2, 0.1), (-20, 10))
    assert (settings.book, settings.book_sha256) == (str(book.resolve()), digest_of_text(book))
    assert (settings.value_quiescence, settings.mean) == (False, 0.25)
    assert settings.net("value").passes == 4
    assert settings.net("value").early_passes == settings.net("value").final_passes == 0
    assert Path(settings.teacher) == tmp_path / "fish"


def digest_of_text(path):
    from perft.runner.units import checksum

    return checksum(path.read_bytes())


def test_a_loop_goes_on_with_its_settings(folder, capsys):
    assert loop(folder, "--rounds", 1, *SMALL, "--games", 7) == 0
    before = settings_of(folder)
    assert loop(folder, "--rounds", 2) == 0
    assert loop(folder, "--rounds", 3, *SMALL, "--games", 7) == 0
    assert settings_of(folder) == before
    assert read_state(LoopJournal(folder).entries).ended == 3
    assert "nets kept: 3 of 3; core hours: 0.09; Elo: +" in capsys.readouterr().out
    assert "nets kept: 3 of 3" in (folder / "report.html").read_text(encoding="utf-8")


def test_other_settings_are_refused_or_asked_for(folder, capsys):
    loop(folder, "--rounds", 1, *SMALL)
    before = (folder / JOURNAL).read_bytes()
    assert loop(folder, "--rounds", 2, "--games", 7, "--visits", 9) == 2
    error = capsys.readouterr().err
    assert "loop has other settings (--visits: 60 there, 9 here; --games: 600 there, 7 here): leave" in error
    assert "add --change to use them from the next round on" in error
    assert (folder / JOURNAL).read_bytes() == before
    assert loop(folder, "--rounds", 2, "--games", 7, "--clock", "off", "--change") == 0
    state = read_state(LoopJournal(folder).entries)
    assert [one.settings.games for one in state.rounds] == [RANDOM_DEFAULTS["games"], 7]


@pytest.mark.parametrize(
    ("words", "option"),
    [(["--seed", 2], "--seed"), (["--value-hidden", 64], "--value-hidden"), (["--start", SHIPPED], "--start")],
)
def test_what_cannot_be_changed(folder, capsys, words, option):
    loop(folder, "--rounds", 1, *SMALL)
    assert loop(folder, "--rounds", 2, "--change", *words) == 2
    assert f"{option}: cannot be changed in {folder}; begin another loop" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--start", "no.net"], "no.net: cannot be read: No such file or directory"),
        (["--start", "text"], "text: this is not a weights file of Teresa"),
        (["--book", "no.epd"], "no.epd: No such file or directory"),
        (["--book", "text"], "--book: "),
        (["--book", "one.epd"], "--book: the book has 1 different openings, enough for 2 games"),
        (["--value-hidden", 33], "--value-hidden must be a multiple of 32"),
        (["--policy-batch", 0], "--policy-batch must be at least 1"),
        (["--value-passes", 0], "--value-passes must be at least 1"),
        (["--replay", 1], "--replay must be at least 0 and less than 1"),
        (["--mean", -0.1], "--mean must be at least 0 and less than 1"),
        (["--validation", 0], "--validation must be more than 0"),
        (["--result-share", 2], "--result-share must be from 0 to 1"),
        (["--sprt", 5, 5], "SPRT of Elo 5 against 5: the second Elo must be larger"),
        (["--seed", -1], "--seed must not be negative"),
        (["--games", 0, "--tree-games", 0], "--games or --tree-games: a round needs some"),
        (["--self-play", "--visits", 1], "--visits must be at least 2"),
        (["--self-play", "--tree-games", 1], "--tree-games needs a --teacher"),
        (["--run", "x"], "the same command goes on with a loop: all of it is kept in"),
        (["--resume", "x"], "the same command goes on with a loop: all of it is kept in"),
        (["--insecure"], "--insecure and --tls-… go with --cluster"),
        (["--verify", 1, "--processes", 1], "--verify needs a second worker: --processes 2, or a cluster"),
        (["--change"], "--change: there is no loop in"),
    ],
)
def test_bad_input_is_refused_before_anything_begins(folder, capsys, tmp_path, words, message):
    (tmp_path / "text").write_text("a text")
    (tmp_path / "one.epd").write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    assert loop(folder, *words) == 2
    assert message in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize("words", [["--rounds", -1], ["--hours", -1], ["--clock", "fast"], ["--games", -1]])
def test_arguments_that_are_no_numbers(folder, capsys, words):
    with pytest.raises(SystemExit):
        loop(folder, *words)
    assert words[0] in capsys.readouterr().err
    assert not folder.exists()


def test_a_teacher_that_cannot_be_started(tmp_path, capsys):
    assert loop(tmp_path / "loop", "--teacher", "no-such-engine") == 2
    assert "no-such-engine" in capsys.readouterr().err
    assert not (tmp_path / "loop").exists()


def test_folders_of_others_are_refused(folder, capsys):
    folder.mkdir()
    (folder / "thesis.tex").touch()
    assert loop(folder, *SMALL) == 2
    assert "has other files in it (thesis.tex): name a new folder" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]


def test_a_dry_run_does_nothing(folder, capsys):
    assert loop(folder, *SMALL, "--games", 7, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert "loop: a new loop" in shown
    assert "  --games 7\n" in shown
    assert "  --sprt 0 40\n  --clock off\n" in shown
    assert shown.endswith("next: a new round\n")
    assert not folder.exists()
    loop(folder, "--rounds", 1, *SMALL)
    before = (folder / JOURNAL).read_bytes()
    assert loop(folder, "--dry-run") == 0
    assert "nets kept: 1 of 1; core hours: 0.03" in capsys.readouterr().out
    assert (folder / JOURNAL).read_bytes() == before


def test_a_loop_that_was_killed_before_its_first_line_begins_again(folder, monkeypatch):
    def killed(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(LoopJournal, "start", killed)
        with pytest.raises(Killed):
            loop(folder, *SMALL)
    assert loop(folder, "--rounds", 1, *SMALL) == 0


def test_ctrl_c_ends_a_loop_between_units(folder, capsys, monkeypatch):
    def stopped(*_):
        raise Stopped("3 of 5 units are done")

    with monkeypatch.context() as patch:
        patch.setattr(loop_run.LoopWork, "fit", stopped)
        assert loop(folder, "--rounds", 1, *SMALL) == 130
    shown = capsys.readouterr()
    assert shown.err.endswith("stopped: 3 of 5 units are done; the same command goes on\n")
    assert shown.out.startswith("round 1: 10 positions (games)\n")
    assert "not under way" in (folder / "report.html").read_text(encoding="utf-8")
    assert loop(folder, "--rounds", 1) == 0


def test_ctrl_c_while_the_last_units_of_a_step_are_done_ends_the_loop_after_it(folder, capsys, monkeypatch):
    def press_at_the_end(stats):
        if stats.done == stats.total and not stats.is_stopping:
            signal.raise_signal(signal.SIGINT)

    label = loop_run.LoopWork.label

    def label_by_units(work, one, part):
        open_run, _ = work.runs[-1]
        with open_run() as run:
            monkeypatch.setattr(run, "local_pool", lambda: InlinePool({}))
            monkeypatch.setattr(run, "_shown", lambda: press_at_the_end)
            assert len(list(run.runner().run([unit(1)]))) == 1
        return label(work, one, part)

    with monkeypatch.context() as patch:
        patch.setattr(loop_run.LoopWork, "label", label_by_units)
        assert loop(folder, "--rounds", 1, *SMALL) == 130
    shown = capsys.readouterr()
    assert shown.err.endswith("stopped: what was begun is done; the same command goes on\n")
    assert shown.out.startswith("round 1: 10 positions (games)\n")  # and no fit
    assert "value" not in shown.out.splitlines()[1]
    assert loop(folder, "--rounds", 1) == 0


def test_the_hours_end_a_loop_between_steps_and_within_them(folder, monkeypatch):
    """A runner of units looks at the clock now and then, and gives up those under way."""
    assert loop(folder, "--hours", 1e-9, *SMALL) == 0
    assert read_state(LoopJournal(folder).entries).rounds == []
    assert loop_run.Deadline(-1.0).is_over
    assert not loop_run.Deadline(None).is_over
    assert not loop_run.Deadline(1.0).is_over

    def until_stopped(work, _one):
        open_run, _ = work.runs[-1]
        with open_run() as run:
            monkeypatch.setattr(loop_run.Deadline, "is_over", True)
            list(run.runner().run([unit(1)]))

    from tests.perft.runner.work import unit

    monkeypatch.setattr(loop_run.LoopWork, "fit", until_stopped)
    assert loop(folder, "--hours", 1) == 0
    assert str(read_state(LoopJournal(folder).entries).under_way.next_step) == "fit"


def test_workers_of_steps(folder):
    """Those of a fit are processes of this machine, two at most: one for each net."""
    loop(folder, "--rounds", 1, *SMALL, "--processes", 5)
    open_run, open_fit_run = loop_run.LoopWork.runs[-1]
    assert (open_run().workers, open_fit_run().workers) == (5, 2)
    loop(folder, "--rounds", 2, "--processes", 1)
    open_run, open_fit_run = loop_run.LoopWork.runs[-1]
    assert (open_run().workers, open_fit_run().workers) == (1, 1)


def test_seeds_of_steps_are_all_different(folder):
    loop(folder, "--rounds", 1, *SMALL)
    settings = settings_of(folder)
    parts = ("games", "trees", "fit", "replay", "gate visits", "gate clock")
    seeds = {seed_of(settings, number, part) for number in range(1, 200) for part in parts}
    assert len(seeds) == 199 * len(parts)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be made read-only")
def test_a_folder_that_cannot_be_written(folder, capsys, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert loop(folder, *SMALL) == 2
    assert "loop cannot be written: Permission denied" in capsys.readouterr().err


def test_what_a_loop_needs_is_looked_for_before_it_goes_on(folder, capsys, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    assert loop(folder, "--rounds", 1, *SMALL, "--book", book, "--gate-games", 2) == 0
    before = (folder / JOURNAL).read_bytes()
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n")
    assert loop(folder, "--rounds", 2) == 2
    assert "book.epd has changed: with --change --book FILE" in capsys.readouterr().err
    assert (folder / JOURNAL).read_bytes() == before
    assert loop(folder, "--rounds", 2, "--change", "--book", "off") == 0
