"""`teresa train loop --teacher-net`: its settings, the net that is gone or another, other labels in a loop."""

from pathlib import Path

import pytest

from engine.cli import loop_run
from engine.cli.loop_arguments import DEFAULTS, RANDOM_DEFAULTS, TEACHER_NET_DEFAULTS
from engine.network.weights_file import SHIPPED
from engine.training.generate.teachers import checksum_of
from engine.training.loop.loop_journal import JOURNAL, LoopJournal
from engine.training.loop.settings import ADDED, RANDOM, SELF_PLAY, TEACHER, TEACHER_NET
from perft.runner.checked_lines import line_of
from tests.engine.cli.loops import folder_of_fake_steps, loop, settings_of, state_of
from tests.engine.training.loop.fake_work import Killed
from tests.engine.training.teacher.made_up_nets import made_up_net

NET, OTHER = (made_up_net(seed=seed).pack() for seed in (41, 42))
SMALL = ["--start", "random", "--value-hidden", "32", "--policy-hidden", "32"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return folder_of_fake_steps(tmp_path, monkeypatch)


@pytest.fixture
def net(tmp_path):
    path = tmp_path / "made-up.nnue"
    path.write_bytes(NET)
    return path


def test_defaults(folder, net):
    """The path is whole: the loop may go on in another folder."""
    assert loop(folder, "--rounds", 1, "--teacher-net", net.name) == 0
    settings = settings_of(folder)
    assert (settings.source, settings.teacher, settings.least_visits) == (TEACHER_NET, "", 16)
    assert (settings.teacher_net, settings.teacher_net_sha256) == (str(net), checksum_of(net))
    assert {name: getattr(settings, name) for name in TEACHER_NET_DEFAULTS} == TEACHER_NET_DEFAULTS
    assert settings.mean == DEFAULTS["mean"]
    assert [str(step) for step in state_of(folder).rounds[0].steps][:2] == ["labels games", "fit"]


def test_defaults_from_random_weights(folder, net):
    assert loop(folder, "--rounds", 1, "--start", "random", "--teacher-net", net) == 0
    settings = settings_of(folder)
    expected = RANDOM_DEFAULTS | TEACHER_NET_DEFAULTS
    assert {name: getattr(settings, name) for name in expected} == expected
    assert (settings.start, settings.source) == (RANDOM, TEACHER_NET)


def test_what_the_command_line_says_and_that_a_loop_goes_on_with_it(folder, net, capsys):
    words = [*SMALL, "--teacher-net", net, "--visits", 90, "--least-visits", 9, "--games", 3]
    assert loop(folder, "--rounds", 1, *words) == 0
    settings = settings_of(folder)
    assert (settings.visits, settings.least_visits, settings.games, settings.tree_games) == (90, 9, 3, 0)
    assert loop(folder, "--rounds", 2) == 0
    assert loop(folder, "--rounds", 3, *words) == 0
    assert settings_of(folder) == settings
    assert state_of(folder).ended == 3
    assert loop(folder, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert f"  --teacher-net {net}\n  content of --teacher-net {checksum_of(net)}\n" in shown
    assert str(net) in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.nnue"], "none.nnue: cannot be read: No such file or directory"),
        ([SHIPPED], "teresa.net: this is not a net of Stockfish"),
        (["NET", "--nodes", 5], "--nodes is not for --teacher-net, which takes --visits"),
        (["NET", "--of-trees", 5], "--of-trees is not for --teacher-net, which takes --visits"),
        (["NET", "--tree-games", 5], "--tree-games needs a --teacher"),
        (["NET", "--games", 0], "--games or --tree-games: a round needs some"),
        (["NET", "--visits", 15], "--least-visits must be from 2 to --visits"),
        (["NET", "--least-visits", 1], "--least-visits must be from 2 to --visits"),
        (["NET", "--least-visits", 2001], "--least-visits must be from 2 to --visits"),
        (["NET", "--change"], "--change: there is no loop in"),
    ],
)
def test_bad_input_is_refused_before_anything_begins(folder, net, capsys, words, message):
    assert loop(folder, "--teacher-net", *(net if word == "NET" else word for word in words)) == 2
    assert message in capsys.readouterr().err
    assert not folder.exists()


def test_least_visits_are_those_of_a_net(folder, capsys):
    assert loop(folder, *SMALL, "--self-play", "--least-visits", 5) == 2
    assert "--least-visits is only for --teacher-net" in capsys.readouterr().err


@pytest.mark.parametrize("other", [["--self-play"], ["--teacher", "fish"]])
def test_labels_have_one_source(folder, net, capsys, other):
    with pytest.raises(SystemExit):
        loop(folder, "--teacher-net", net, *other)
    assert "not allowed with argument" in capsys.readouterr().err


def lost(net):
    net.unlink()
    return "made-up.nnue: cannot be read: No such file or directory"


def changed(net):
    net.write_bytes(OTHER)
    return "made-up.nnue has changed"


@pytest.mark.parametrize("what", [lost, changed])
def test_a_net_that_is_lost_or_another_is_refused_until_a_change_is_asked_for(folder, net, capsys, tmp_path, what):
    assert loop(folder, "--rounds", 1, *SMALL, "--teacher-net", net) == 0
    before, message = (folder / JOURNAL).read_bytes(), what(net)
    for words in (["--rounds", 2], ["--dry-run"], ["--change", "--games", 5]):
        assert loop(folder, *words) == 2
        error = capsys.readouterr().err
        assert message in error
        assert "put it back, or use another one from now on with --change --teacher-net FILE" in error
    assert (folder / JOURNAL).read_bytes() == before
    new = tmp_path / "new.nnue"
    new.write_bytes(OTHER)
    assert loop(folder, "--rounds", 2, "--change", "--teacher-net", new) == 0
    assert [one.settings.teacher_net_sha256 for one in state_of(folder).rounds] == [digest(NET), digest(OTHER)]


def digest(content):
    from perft.runner.units import checksum

    return checksum(content)


def test_the_same_command_with_another_content_is_refused(folder, net, capsys):
    words = [*SMALL, "--teacher-net", net]
    assert loop(folder, "--rounds", 1, *words) == 0
    net.write_bytes(OTHER)
    assert loop(folder, "--rounds", 2, *words) == 2
    error = capsys.readouterr().err
    assert f"other settings (content of --teacher-net: {digest(NET)} there, {digest(OTHER)} here)" in error
    assert loop(folder, "--rounds", 2, *words, "--change") == 0


def killed(*_):
    raise Killed


def stopped_at(step, folder, monkeypatch, *words):
    with monkeypatch.context() as patch:
        patch.setattr(loop_run.LoopWork, step, killed)
        with pytest.raises(Killed):
            loop(folder, *words)


@pytest.mark.parametrize(
    ("step", "is_lost", "expected"), [("label", True, OTHER), ("label", False, NET), ("fit", True, NET)]
)
def test_a_round_that_cannot_make_its_labels_any_more_takes_the_other_net(
    folder, net, tmp_path, monkeypatch, step, is_lost, expected
):
    """One that can make them, or has them, ends as it was begun."""
    stopped_at(step, folder, monkeypatch, *SMALL, "--teacher-net", net)
    new = tmp_path / "new.nnue"
    new.write_bytes(OTHER)
    if is_lost:
        net.unlink()
    assert loop(folder, "--rounds", 2, "--change", "--teacher-net", new) == 0
    first, second = state_of(folder).rounds
    assert first.settings.teacher_net_sha256 == digest(expected)
    assert second.settings.teacher_net_sha256 == digest(OTHER)


def test_other_labels_in_a_loop_have_their_own_defaults(folder, net):
    """Numbers that were chosen for other labels mean nothing; what the command line says holds."""
    assert loop(folder, "--rounds", 1, "--teacher", "fish", "--games", 7, "--nodes", 9, "--mean", 0.1) == 0
    assert loop(folder, "--rounds", 2, "--change", "--teacher-net", net, "--visits", 99) == 0
    settings = settings_of(folder)
    assert (settings.source, settings.teacher, settings.mean) == (TEACHER_NET, "", 0.1)
    assert (settings.visits, settings.games, settings.tree_games) == (99, TEACHER_NET_DEFAULTS["games"], 0)
    assert loop(folder, "--rounds", 3, "--change", "--self-play") == 0
    settings = settings_of(folder)
    assert (settings.source, settings.teacher_net, settings.teacher_net_sha256) == (SELF_PLAY, "", "")
    assert (settings.visits, settings.games, settings.tree_games) == (DEFAULTS["visits"], DEFAULTS["games"], 0)
    assert loop(folder, "--rounds", 4, "--change", "--teacher", "fish") == 0
    settings = settings_of(folder)
    assert (settings.source, settings.teacher, settings.teacher_net) == (TEACHER, "fish", "")
    assert (settings.nodes, settings.tree_games) == (DEFAULTS["nodes"], DEFAULTS["tree_games"])


def test_a_loop_that_was_begun_before_there_were_such_labels_goes_on(folder, net):
    assert loop(folder, "--rounds", 1, *SMALL, "--self-play") == 0
    first, *others = LoopJournal(folder).entries
    old = {key: value for key, value in first["settings"].items() if key not in ADDED}
    lines = [line_of({**first, "settings": old}), *map(line_of, others)]
    (folder / JOURNAL).write_bytes(b"".join(lines))
    assert b"least_visits" not in (folder / JOURNAL).read_bytes()
    assert loop(folder, "--rounds", 2) == 0
    assert loop(folder, "--rounds", 3, "--change", "--teacher-net", net) == 0
    assert settings_of(folder).least_visits == 16


def test_a_loop_can_be_begun_alone_so_that_games_can_be_added_before_its_first_round(folder, net):
    assert loop(folder, "--rounds", 0, *SMALL, "--teacher-net", net) == 0
    assert state_of(folder).rounds == []
    assert Path(folder / "report.html").is_file()
    assert loop(folder, "--rounds", 1) == 0
