"""Real clients other than python-chess, where they are installed."""

import shutil
import subprocess

import chess
import pytest

from tests.engine.uci.process import TERESA

pytestmark = pytest.mark.slow
POLYGLOT = shutil.which("polyglot")


@pytest.mark.skipif(POLYGLOT is None, reason="polyglot is not installed")
def test_polyglot_makes_an_xboard_engine_of_it(environment, tmp_path):
    """Some moves of a game in xboard's words; python-chess says whether they are legal."""
    adapter = subprocess.Popen(
        [POLYGLOT, "-noini", "-ec", " ".join(TERESA)],
        env={**environment, "HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    board = chess.Board()

    def say(*lines):
        adapter.stdin.write("".join(line + "\n" for line in lines))
        adapter.stdin.flush()

    def take_move():
        for line in adapter.stdout:
            if line.startswith("move "):
                board.push_uci(line.split()[1])
                return
        raise AssertionError("polyglot ended")

    say("xboard", "protover 2", "new", "st 1", "go")
    for _ in range(5):
        take_move()
        reply = next(iter(board.legal_moves))
        board.push(reply)
        say(f"usermove {reply.uci()}")
    take_move()
    say("quit")
    assert adapter.wait(timeout=20) == 0
    adapter.stdin.close()
    adapter.stdout.close()
