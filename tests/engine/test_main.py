import subprocess
import sys

import pytest

from engine.__main__ import main


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    output = capsys.readouterr().out
    assert "Monte Carlo tree search" in output
    assert "perft" in output


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


def test_warmup_compiles_and_tells_the_time(capsys):
    assert main(["warmup", "--time"]) == 0
    output = capsys.readouterr().out
    assert "perft with memory" in output
    assert output.splitlines()[-1].startswith("all")


def test_the_conversation_starts_without_loading_numba():
    program = "import sys, engine.uci, engine.session; sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
