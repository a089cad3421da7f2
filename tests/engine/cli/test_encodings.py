"""Consoles that lack letters, and files and folders whose names have blanks and letters of many languages."""

import os
import subprocess

import pytest

from tests.engine.cli.console import SECONDS, SOURCES, command

FOLDER = "Größe und Maß, 日本 ♞"
GAME = '[White "Łukasz ♞"]\n[Black "Müller"]\n\n1. f3 { schön ♟ } e5 2. g4 Qh4# 0-1\n'
PROBLEM = '6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - bm Rb7; id "Grundreihe ♜ ü";\n'
QUICK = ["--visits", "50", "--hash", "16"]
COMMANDS = {
    "analyse": ["analyse", "partie ü ♟.pgn", *QUICK, "--why", "--explain", "urgency"],
    "bench": ["bench", "--visits", "2"],
    "epd": ["epd", "suite ü ♟.epd", *QUICK, "--failed"],
    "explore": ["explore", "--save", "seite ü ♟.html", *QUICK],
    "gomoku": ["gomoku", "--simulations", "1"],
    "help": ["--help"],
    "perft": ["perft", "--suite", "suite ü ♟ perft.epd"],
    "play": ["play", "--name", "Łukasz ♞", "--pieces", "unicode", *QUICK],
    "resume": ["play", "--resume", "partie ü ♟.pgn", *QUICK],
    "review": ["review", "partie ü ♟.pgn", "-o", "urteil ü ♟.pgn", "--picture", "bild ü ♟.svg", *QUICK],
}
TYPED = "undo\ne4\nmoves\nwhy\nhint\né♞\nsave spiel ü ♟.pgn\nquit\n".encode()


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / FOLDER
    path.mkdir()
    (path / "partie ü ♟.pgn").write_text(GAME, encoding="utf-8")
    (path / "suite ü ♟.epd").write_text(PROBLEM, encoding="utf-8")
    (path / "suite ü ♟ perft.epd").write_text("8/8/8/8/8/8/8/K1k5 w - - 0 1 ;D1 1\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "encoding"),
    [(name, "ascii") for name in COMMANDS]
    + [("play", "cp1252")]
    + [pytest.param(name, "cp1252", marks=pytest.mark.soak) for name in ("analyse", "review")],
)
@pytest.mark.usefixtures("warm")
def test_commands_print_with_the_letters_that_the_console_has(name, encoding, folder, environment):
    path = os.pathsep.join([SOURCES, environment.get("PYTHONPATH", "")])
    variables = {**environment, "PYTHONPATH": path, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(
        command(*COMMANDS[name]),
        input=TYPED,
        capture_output=True,
        cwd=folder,
        env=variables,
        timeout=SECONDS,
        check=False,
    )
    errors = done.stderr.decode(encoding)
    assert (done.returncode, "Traceback" in errors) == (0, False), errors
    assert done.stdout.decode(encoding).strip()


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_files_with_blanks_and_foreign_letters_are_written(folder, environment):
    path = os.pathsep.join([SOURCES, environment.get("PYTHONPATH", "")])
    variables = {**environment, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    for name in ("explore", "play", "review"):
        subprocess.run(
            command(*COMMANDS[name]), input=TYPED, stdout=subprocess.PIPE, cwd=folder, env=variables, check=True
        )
    for name in ("seite ü ♟.html", "spiel ü ♟.pgn", "urteil ü ♟.pgn", "bild ü ♟.svg"):
        assert (folder / name).stat().st_size > 0
    assert "Łukasz ♞" in (folder / "spiel ü ♟.pgn").read_text(encoding="utf-8")
