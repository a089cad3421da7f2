"""The very first start, with an empty cache: what is wrong with the arguments is said before anything is compiled."""

import subprocess

import pytest

from engine import warmup
from engine.__main__ import main
from engine.system.environment import command_line

MATE = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
SELF_PLAY = ["train", "generate", "--self-play", "--visits", "100", "--games", "1", "--seed", "1"]
FILES = {
    "notes.txt": "My notes: e4 is best.\n",
    "atomic.pgn": '[Variant "Atomic"]\n\n1. e4 e5 *\n',
    "illegal.pgn": "1. e4 e5 2. Ke3 *\n",
    "kings.pgn": '[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n*\n',
    "game.pgn": "1. e4 e5 *\n",
    "mate.pgn": "1. f3 e5 2. g4 Qh4# 0-1\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with files."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def cold(folder, monkeypatch):
    """Nothing is compiled, nor may it be."""

    def compile_nothing():
        raise AssertionError("the compiler was called")

    monkeypatch.setattr(warmup, "parts_of_games", compile_nothing)
    monkeypatch.setattr(warmup, "ready_file", lambda: folder / "ready")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["analyse", "notes.txt"], "notes.txt: there is no game in it"),
        (["analyse", "atomic.pgn"], "atomic.pgn, game 1: Atomic is not played here"),
        (["analyse", "illegal.pgn"], "illegal.pgn, game 1: 2. Ke3 is not a legal move"),
        (["analyse", "kings.pgn"], "kings.pgn, game 1: board field"),
        (["analyse", "game.pgn", "--ply", "3"], "game.pgn, game 1: it has 2 half-moves, not 3"),
        (["analyse", "game.pgn", "--game", "2"], "game.pgn: it has one game, there is no game 2"),
        (["analyse", "mate.pgn", "--ply", "4"], "the game is over: checkmate"),
        (["analyse", MATE], "the game is over: checkmate"),
        (["analyse", "rubbish"], "rubbish: there is no such file, and as a FEN: side field is missing"),
        (["analyse", "--explain", "colour"], "there is no column 'colour'"),
        (["analyse", "--hash", "0"], "--hash: must be from 1"),
        (["analyse", "--why", "Ke2"], "Ke2: White's own pawn is on e2"),
        (["play", "--resume", "notes.txt"], "notes.txt: there is no game in it"),
        (["play", "--resume", "illegal.pgn"], "illegal.pgn, game 1: 2. Ke3 is not a legal move"),
        (["play", "--resume", "kings.pgn"], "kings.pgn, game 1: board field"),
        (["play", "notes.txt"], "notes.txt: there is no game in it"),
        (["play", "rubbish"], "rubbish: there is no such file"),
        (["play", "--elo", "1"], "--elo: must be from"),
        (["play", "-"], "name a file"),
        (["explore", "notes.txt", "--no-browser"], "notes.txt: there is no game in it"),
        (["explore", MATE, "--no-browser"], "the game is over in this position"),
        (["explore", "--diff", "notes.txt", "notes.txt"], "notes.txt: not a saved tree"),
        (["explore", "--diff", "none.npz", "none.npz"], "none.npz: No such file"),
        (["review", "notes.txt"], "notes.txt: there is no game in it"),
        (["epd", "notes.txt"], "notes.txt:1: "),
        (["train", "evaluate", "none.bin"], "there is no file none.bin"),
        (["train", "evaluate", "game.pgn", "--weights", "notes.txt"], "notes.txt"),
        ([*SELF_PLAY, "a.bin", "--weights", "notes.txt"], "notes.txt"),
        ([*SELF_PLAY, "game.pgn"], "game.pgn already exists"),
    ],
)
@pytest.mark.usefixtures("cold")
def test_bad_input_is_reported_before_the_search_is_compiled(words, reason, capsys):
    assert main(words) == 2
    errors = capsys.readouterr().err
    assert reason in errors
    assert errors.startswith(f"teresa {words[0]}")
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("cold")
@pytest.mark.parametrize(
    "words", [["analyse", "game.pgn"], ["play", "--resume", "game.pgn"], ["explore", "--save", "x"]]
)
def test_good_input_is_compiled_for(words):
    with pytest.raises(AssertionError, match="the compiler was called"):
        main(words)


@pytest.mark.parametrize(
    "words", [["analyse", "notes.txt"], ["play", "--resume", "notes.txt"], ["explore", "--save", "x", MATE]]
)
def test_bad_input_leaves_an_empty_cache_empty(words, environment, folder):
    done, cache = run(words, environment, folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not [path for path in cache.rglob("*") if path.suffix in (".nbi", ".nbc")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["analyse", "--why", "Ke2"], "Ke2: White's own pawn is on e2"),
        (["analyse", "7k/8/8/8/8/8/7R/K7 w - - 0 1"], "Black is in check, but it is the opponent's move"),
    ],
)
def test_only_the_rules_are_compiled_to_say_what_is_not_legal(words, reason, environment, folder):
    done, _ = run(words, environment, folder)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "first start" not in done.stderr


def run(words, environment, folder):
    """Run a command in its own process with an empty cache; -> the run, the cache."""
    variables = {**environment, "TERESA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        command_line(*words), cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    return done, folder / "cache"
