import argparse
import subprocess
import sys

import pytest

from engine.__main__ import ALIASES, COMMANDS, INTERRUPTED, main
from perft import exits


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    output = capsys.readouterr().out
    assert "Monte Carlo tree search" in output
    assert "perft" in output
    for name, (_, text) in COMMANDS.items():
        assert f"\n  {name:10} {text}\n" in output


def test_the_status_of_an_interrupted_command_is_the_same_before_anything_is_loaded():
    assert exits.INTERRUPTED == INTERRUPTED


def test_perft_is_offered(capsys):
    assert main(["perft", "2"]) == 0
    assert capsys.readouterr().out == "\nNodes searched: 400\n"
    with pytest.raises(SystemExit) as stop:
        main(["perft", "x"])
    assert stop.value.code == 2
    assert "teresa perft: error" in capsys.readouterr().err


def test_an_unknown_command_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["dance"])
    assert stop.value.code == 2
    assert "invalid choice: 'dance'" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("Teresa ")


def test_analyze_is_analyse(capsys):
    assert ALIASES == {"analyze": "analyse"}
    with pytest.raises(SystemExit) as stop:
        main(["analyze", "--help"])
    assert stop.value.code == 0
    assert "teresa analyse" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("analyse", "--seconds --visits --game --ply --encoding position"),
        ("explore", "--seconds --visits --game --ply --encoding position"),
        ("play", "--seconds --visits --game --ply --encoding position"),
        ("review", "--seconds --visits --game --encoding files"),
        ("epd", "--seconds --movetime --visits --nodes files"),
        ("bench", "--visits --nodes"),
    ],
)
def test_one_name_for_one_thing_in_every_command(monkeypatch, command, names):
    """The names that each command's parser knows."""
    known = set()

    def parse(parser, _words):
        known.update(name for action in parser._actions for name in action.option_strings or [action.dest])
        raise SystemExit

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    with pytest.raises(SystemExit):
        main([command])
    assert set(names.split()) <= known


@pytest.mark.parametrize(("command", "package"), [("explore", "uvicorn"), ("train", "matplotlib")])
def test_a_missing_package_is_named_with_what_to_type(monkeypatch, capsys, command, package):
    def needs_more(_words):
        raise ModuleNotFoundError(name=f"{package}.part")

    monkeypatch.setattr(f"{COMMANDS[command][0]}.main", needs_more)
    assert main([command]) == 2
    assert f"teresa {command}: {package} is missing: pip install '.[{command}]'" in capsys.readouterr().err


@pytest.mark.thorough
def test_warmup_compiles_and_reports_the_time(capsys):
    assert main(["warmup", "--time"]) == 0
    output = capsys.readouterr().out
    assert "perft with memory" in output
    assert output.splitlines()[-1].startswith("all")


def test_the_fallback_player_does_without_numba():
    """Only the loader may import it: two threads at once fail."""
    program = (
        "import sys; from engine.uci.fallback import parse_board\n"
        "board = parse_board(['startpos', 'moves', 'e4'], False)\n"
        "sys.exit(board is None or 'numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


def test_a_session_starts_without_loading_numba():
    program = (
        "import sys, engine.uci.pipes, engine.uci.session; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
