"""Ends at any moment, and searches that go on for long."""

import random
import time
from pathlib import Path

import pytest

from tests.engine.uci.process import Process

pytestmark = pytest.mark.slow

COMMANDS = (
    "uci",
    "isready",
    "ucinewgame",
    "position startpos moves e2e4",
    "go infinite",
    "go nodes 500",
    "stop",
    "moves",
    "d",
)


@pytest.mark.parametrize("seed", range(8))
def test_the_end_of_input_and_a_kill_at_any_moment(environment, seed):
    rng = random.Random(seed)
    engine = Process(environment)
    engine.send(*rng.choices(COMMANDS, k=rng.randrange(12)))
    time.sleep(rng.random() * 1.5)
    if seed % 4 == 3:
        engine.process.kill()
        engine.end()
        return
    engine.process.stdin.close()
    begin = time.perf_counter()
    status, errors = engine.end(seconds=10)
    assert time.perf_counter() - begin < 1 * 5
    assert (status, errors) == (0, "")


def memory_of(pid):
    """Kilobytes of a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def check_memory(environment, minutes):
    """A tree of 16 MB is full within seconds; from then on nothing grows."""
    engine = Process(environment)
    engine.ask("setoption name Hash value 16", "setoption name Threads value 2", "isready", until="readyok")
    engine.send("go infinite")
    time.sleep(15)
    engine.ask("moves", until="info string")  # what it needs is loaded once
    before = memory_of(engine.process.pid)
    end = time.perf_counter() + 60 * minutes
    while time.perf_counter() < end:
        time.sleep(5)
        engine.ask("isready", until="readyok")
    engine.ask("moves", until="info string")
    assert memory_of(engine.process.pid) < before + 4096
    lines = engine.ask("stop")
    assert " hashfull " in [line for line in lines if line.startswith("info depth")][-1]
    engine.quit_cleanly()


needs_proc = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="memory is read from /proc")


@needs_proc
def test_half_a_minute_of_thinking_does_not_grow_the_process(environment):
    check_memory(environment, minutes=0.3)


@needs_proc
@pytest.mark.soak
def test_ten_minutes_of_thinking_do_not_grow_the_process(environment):
    check_memory(environment, minutes=9.75)
