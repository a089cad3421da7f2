import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import chess.pgn
import pytest

from engine.__main__ import main
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import GameFile
from engine.review.output import ReviewFile, is_review
from tests.engine.cli.console import SECONDS, SOURCES, command, piped
from tests.engine.pgn.games import read_games

QUICK = ("--visits", "60", "--hash", "16", "--seed", "1", "--fresh")
GAMES = (
    '[White "Müller"]\n[Black "B"]\n\n1. e4 { très bien } e5 2. Nf3 Qh4 3. Nxh4 *\n',
    '[White "C"]\n[Variant "Atomic"]\n\n1. e4 e5 2. Qxe8# 1-0\n',
    '[White "D"]\n\n1. d4 d5 2. Bg9 { oh } e6 *\n',
    '[White "E"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n',
)
ALL = "\n".join(GAMES)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_text(ALL, encoding="utf-8")
    return tmp_path


def review(*arguments, status=0):
    assert main(["review", *QUICK, *arguments]) == status


def interrupt_at(monkeypatch, number):
    """Ctrl-C in the n-th search; -> a list with an entry for each search begun."""
    from engine.search import searcher as searcher_module

    searches, search = [], searcher_module.search_to_end

    def interrupted(searcher, limits):
        searches.append(1)
        if len(searches) == number:
            raise KeyboardInterrupt
        search(searcher, limits)

    monkeypatch.setattr("engine.cli.review_games.search_to_end", interrupted)
    return searches


# What is written


@pytest.mark.thorough
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_was_read_is_written(folder, codec, newline):
    (folder / "games.pgn").write_bytes(ALL.replace("\n", newline).encode(codec))
    review("games.pgn", "-o", "out.pgn")
    content = (folder / "out.pgn").read_bytes()
    text = content.decode(codec)
    assert "\n" not in text.replace(newline, "")
    assert content == text.encode(codec)
    first = chess.pgn.read_game(io.StringIO(text))
    assert first.headers["White"] == "Müller"
    assert first.next().comment.startswith("très bien")
    assert "�" not in text


def test_files_of_two_encodings_become_utf_8(folder):
    (folder / "a.pgn").write_bytes(GAMES[0].encode("latin-1"))
    (folder / "b.pgn").write_text('[White "Łukasz"]\n\n1. e4 *\n', encoding="utf-8")
    review("a.pgn", "b.pgn", "-o", "out.pgn")
    assert [game.headers["White"] for game in read_games(folder / "out.pgn")] == ["Müller", "Łukasz"]


def test_games_that_cannot_be_judged_are_not_lost(folder):
    review("games.pgn", "-o", "out.pgn")
    text = (folder / "out.pgn").read_text(encoding="utf-8")
    assert GAMES[1] in text
    assert "Not legal from here on: Bg9 oh e6 *" in text
    assert [game.headers["White"] for game in read_games(folder / "out.pgn")] == ["Müller", "C", "D", "E"]


def test_one_game_or_standard_input(environment, capsys, folder):
    review("games.pgn", "--game", "4", "--json", "-o", "out.pgn")
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["headers"]["White"] == "E"
    assert len(read_games(folder / "out.pgn")) == 1
    status, output, errors = piped(environment, folder, ["review", *QUICK, "-", "--json"], ALL.splitlines())
    assert (status, errors) == (0, "")
    assert [game["headers"]["White"] for game in json.loads(output)["games"]] == ["Müller", "C", "D", "E"]


def test_several_files(capsys, folder):
    (folder / "more.pgn").write_text("1. e4 e5 *")
    review("games.pgn", "more.pgn", "--picture", "p.svg")
    assert "more.pgn, game 1" in capsys.readouterr().out
    assert {path.name for path in folder.glob("*.svg")} == {f"p-{number}.svg" for number in range(1, 6)}


# Other files


@pytest.mark.parametrize(
    ("option", "name"), [("-o", "notes.txt"), ("--picture", "notes.txt"), ("-o", "collection.pgn")]
)
def test_files_of_others_are_not_overwritten(capsys, folder, option, name):
    before = "My notes" if name == "notes.txt" else '[White "Precious"]\n\n1. e4 *\n'
    (folder / name).write_text(before)
    review("games.pgn", "--game", "4", option, name, status=2)
    assert f"{name}: exists and is not a" in capsys.readouterr().err
    assert (folder / name).read_text() == before
    review("games.pgn", "--game", "4", option, name, "--force")
    assert (folder / name).read_text() != before
    review("games.pgn", "--game", "4", option, name)  # now it is ours


def test_numbered_pictures_of_others_are_not_overwritten(capsys, folder):
    (folder / "p-3.svg").write_text("<svg>mine</svg>")
    review("games.pgn", "--picture", "p.svg", status=2)
    assert "p-3.svg: exists and is not a picture by Teresa" in capsys.readouterr().err
    assert (folder / "p-3.svg").read_text() == "<svg>mine</svg>"
    assert len(list(folder.glob("p*.svg"))) == 1
    review("games.pgn", "--picture", "p.svg", "--force")
    review("games.pgn", "--picture", "p.svg")
    assert len(list(folder.glob("p*.svg"))) == 4


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be written")
def test_a_folder_without_permission_is_noticed_at_once(capsys, folder, monkeypatch):
    (folder / "closed").mkdir(mode=0o555)
    monkeypatch.setattr("engine.cli.review_games.new_judge", None)
    review("games.pgn", "-o", "closed/out.pgn", status=2)
    assert "closed/out.pgn: Permission denied" in capsys.readouterr().err


def test_what_cannot_be_written_is_noticed_before_the_work(capsys, monkeypatch):
    monkeypatch.setattr("engine.cli.review_games.new_judge", None)
    for option in ("-o", "--picture"):
        review("games.pgn", option, "nowhere/x", status=2)
        error = capsys.readouterr().err
        assert "teresa review: nowhere/x" in error
        assert "there is no folder" in error


def test_a_full_disk_keeps_whole_games(capsys, folder, monkeypatch):
    review("games.pgn", "-o", "whole.pgn")
    capsys.readouterr()
    synced, sync = [], os.fsync

    def fail(descriptor):
        synced.append(1)
        if len(synced) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fail)
    review("games.pgn", "-o", "out.pgn", status=2)
    assert "teresa review: out.pgn: No space left on device" in capsys.readouterr().err
    content = (folder / "out.pgn").read_bytes()
    assert len(read_games(folder / "out.pgn")) == 2
    assert (folder / "whole.pgn").read_bytes().startswith(content)
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    review("games.pgn", "-o", "out.pgn", "--resume")
    assert (folder / "out.pgn").read_bytes() == (folder / "whole.pgn").read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [["review", "games.pgn"], ["review", "games.pgn", "--json"], ["analyse", "--json"]])
@pytest.mark.usefixtures("warm")
def test_a_full_device_is_a_clean_error(environment, folder, words):
    limits = ["--visits", "30", "--hash", "16"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command(*words, *limits),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**environment, "PYTHONPATH": SOURCES},
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "teresa: standard output: No space left on device\n"


# Interruptions


def test_each_game_is_safe_before_the_next_one_is_read(folder, monkeypatch):
    from engine.pgn.game_file import FoundGame

    (folder / "many.pgn").write_text("".join(f'[Round "{n}"]\n\n1. e4 e5 *\n\n' for n in range(1000)))
    safe, read = [], FoundGame.read

    def noted(found):
        safe.append(len(read_games(folder / "out.pgn")) if (folder / "out.pgn").exists() else 0)
        if found.number == 4:
            raise KeyboardInterrupt
        return read(found)

    monkeypatch.setattr(FoundGame, "read", noted)
    review("many.pgn", "-o", "out.pgn", status=130)
    assert safe == [0, 1, 2, 3]


@pytest.mark.parametrize(("number", "games"), [(1, 0), (2, 0), (0, 0), (1, 1), (2, 1), (4, 1)])
def test_an_interrupted_review_goes_on(capsys, folder, monkeypatch, number, games):
    """In the n-th search of the first game (0: the last one), or of those after it."""
    with monkeypatch.context() as patch:
        searches = interrupt_at(patch, 0)
        review("games.pgn", "--game", "1", "-o", "first.pgn")
    number += len(searches) if games or number == 0 else 0
    review("games.pgn", "-o", "whole.pgn")
    capsys.readouterr()
    with monkeypatch.context() as patch:
        interrupt_at(patch, number)
        review("games.pgn", "-o", "out.pgn", "--json", status=130)
    shown = capsys.readouterr()
    assert "with --resume goes on" in shown.err
    judged = json.loads(shown.out)["games"]
    done = [bool(game["is_complete"] or game["note"]) for game in judged]
    assert all(done[:-1])
    review("games.pgn", "-o", "out.pgn", "--resume", "--json")
    rest = json.loads(capsys.readouterr().out)["games"]
    assert len(rest) == 4 - sum(done)
    assert (sum(done) > 0) == (games > 0)
    assert (folder / "out.pgn").read_bytes() == (folder / "whole.pgn").read_bytes()
    review("games.pgn", "-o", "out.pgn", "--resume", "--json")
    assert json.loads(capsys.readouterr().out)["games"] == []
    assert (folder / "out.pgn").read_bytes() == (folder / "whole.pgn").read_bytes()


def test_a_review_by_sources_that_are_not_installed_goes_on(capsys, folder, monkeypatch):
    from engine.system.environment import version

    monkeypatch.setattr(
        "importlib.metadata.distribution", lambda name: (_ for _ in ()).throw(PackageNotFoundError(name))
    )
    assert version() == "(not installed)"
    review("games.pgn", "-o", "out.pgn")
    content = (folder / "out.pgn").read_bytes()
    capsys.readouterr()
    review("games.pgn", "-o", "out.pgn", "--resume", "--json")
    assert json.loads(capsys.readouterr().out)["games"] == []
    assert (folder / "out.pgn").read_bytes() == content


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "latin-1"])
def test_a_file_cut_anywhere_goes_on_after_its_last_whole_game(folder, codec):
    (folder / "games.pgn").write_bytes(ALL.encode(codec))
    review("games.pgn", "-o", "whole.pgn")
    whole = (folder / "whole.pgn").read_bytes()
    with GameFile("games.pgn") as originals:
        encoding = originals.encoding
        ends = [0]  # of the games, in bytes
        with GameFile("whole.pgn") as file:
            ends += [file.offset for _ in file.games()]
        assert ends[-1] == len(whole)
        assert len(ends) == 5
        for cut in range(0, len(whole), 3 if codec == "utf-8" else 31):
            (folder / "cut.pgn").write_bytes(whole[:cut])
            kept = ReviewFile(Path("cut.pgn"), encoding).resume(originals.games(), "60 visits")
            assert kept == sum(end <= cut for end in ends[1:])
            assert (folder / "cut.pgn").read_bytes() == whole[: ends[kept]]


@pytest.mark.parametrize(
    ("change", "arguments", "reason"),
    [
        (lambda text: text, ("--visits", "70"), "it was judged with 60 visits, not with 70 visits"),
        (lambda text: text.replace("original ", "original f", 1), (), "game 1 was not made from game 1 of games.pgn"),
        (lambda text: text + '[White "X"]\n\n1. e4 *\n\n', (), "what follows game 4 is not of this review"),
        (lambda text: text + "My notes\n", (), "what follows game 4 is not of this review"),
        (
            lambda text: text[: text.index('[White "C"]')] + "My notes\n",
            (),
            "what follows game 1 is not of this review",
        ),
        (lambda text: text[: text.index('[White "C"]')] + '[White "X"]\n\n1. e4 *\n\n', (), "what follows game 1"),
        (lambda _text: '[White "Precious"]\n\n1. e4 *\n\n' * 3, (), "what follows game 0 is not of this review"),
        (lambda _text: '[White "Precious"]\n\n1. e4 *\n\n', (), "what follows game 0 is not of this review"),
        (lambda _text: '[White "Precious"]\n', (), "what follows game 0 is not of this review"),
        (lambda _text: "My notes", (), "what follows game 0 is not of this review"),
    ],
)
def test_other_files_are_no_review_to_go_on_with(capsys, folder, change, arguments, reason):
    review("games.pgn", "-o", "out.pgn")
    changed = change((folder / "out.pgn").read_text(encoding="utf-8"))
    (folder / "out.pgn").write_text(changed, encoding="utf-8")
    review("games.pgn", "-o", "out.pgn", "--resume", *arguments, status=2)
    assert reason in capsys.readouterr().err
    assert (folder / "out.pgn").read_text(encoding="utf-8") == changed


def test_a_new_game_in_the_file_is_judged_alone(capsys, folder):
    review("games.pgn", "-o", "out.pgn")
    with (folder / "games.pgn").open("a") as file:
        file.write('\n[White "F"]\n\n1. e4 *\n')
    capsys.readouterr()
    review("games.pgn", "-o", "out.pgn", "--resume", "--json")
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["headers"]["White"] == "F"
    assert len(read_games(folder / "out.pgn")) == 5


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_whatever_ends_it_finished_games_are_there(environment, folder, name):
    (folder / "many.pgn").write_text("".join(f'[Round "{n}"]\n\n1. e4 e5 *\n\n' for n in range(10_000)))
    words = command("review", *QUICK, "many.pgn", "-o", "out.pgn")
    process = subprocess.Popen(
        words, cwd=folder, env={**environment, "PYTHONPATH": SOURCES}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    end = time.monotonic() + SECONDS
    while not (folder / "out.pgn").exists() or (folder / "out.pgn").stat().st_size < 2000:
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=SECONDS)
    number = getattr(signal, name)
    assert process.returncode == (-number if name == "SIGKILL" else 128 + number)
    assert b"Traceback" not in errors
    with GameFile("many.pgn") as originals:
        kept = ReviewFile(Path("out.pgn"), Encoding()).resume(originals.games(), "60 visits")
    assert kept >= 2
    for game in read_games(folder / "out.pgn"):
        assert [node.eval() is not None for node in game.mainline()] == [True, True]


def test_progress_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("engine.cli.progress.SECONDS_BETWEEN_LINES", 0)
    review("games.pgn")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("game 1 (")
    assert lines[0].endswith("of the file): 1 of 5")
    assert re.fullmatch(r"game 4 \(100% of the file\): (\d) of \1", lines[-1])


def test_what_a_review_looks_like():
    head = '[White "a"]\n[Review "Teresa 1, 60 visits, 1 of 1 half-moves, original 0"]\n'
    assert is_review(head.encode())
    assert is_review(head.encode("utf-16"))
    assert not is_review(b'[White "Teresa 1"]')
