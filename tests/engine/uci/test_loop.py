"""How the process ends."""

import subprocess
import sys

import pytest

WITHOUT_A_SEARCH = """
from engine import warmup
from engine.uci.loop import main

def fail():
    raise RuntimeError("planted")

warmup.is_warm, warmup.use_search_kernels = lambda: True, fail
main()
"""


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("isready\ngo nodes 10\n", 1),
        ("isready\nd\n", 1),
        ("isready\nquit\n", 0),  # nothing was left to do
    ],
)
def test_the_status_says_that_the_search_could_not_be_loaded(environment, text, status):
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_SEARCH],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.returncode, run.stderr) == (status, "")
    assert ("bestmove" in run.stdout) == ("go" in text)
    assert ("d: cannot be done" in run.stdout) == ("d\n" in text)
