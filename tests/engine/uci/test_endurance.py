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


def check_memory(environment, megabytes, seconds):
    """Once the tree is full, nothing grows."""
    engine = Process(environment)
    settings = [f"setoption name Hash value {megabytes}", "setoption name Threads value 2"]
    engine.ask(*settings, "isready", until="readyok")
    engine.send("go infinite")
    wait_until_full(engine)
    engine.ask("moves", until="info string")  # what it needs is loaded once
    before = memory_of(engine.process.pid)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(seconds / 5)
        engine.ask("isready", until="readyok")
    engine.ask("moves", until="info string")
    assert memory_of(engine.process.pid) < before + 4096
    lines = engine.ask("stop")
    assert " hashfull " in [line for line in lines if line.startswith("info depth")][-1]
    engine.quit_cleanly()


def wait_until_full(engine, patience=300):
    """Less than that is free only until nodes are recycled for the first time; later all pages of tables are used."""
    end = time.perf_counter() + patience
    while any(number_after(engine, word) < least for word, least in (("hashfull", 800), ("nodes", 30_000))):
        assert time.perf_counter() < end, "the tree does not fill"


def number_after(engine, word):
    """A number in the next line on the search."""
    words = engine.until("info depth", seconds=60)[-1].split()
    return int(words[words.index(word) + 1])


needs_proc = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="memory is read from /proc")


@needs_proc
def test_some_seconds_of_thinking_do_not_grow_the_process(environment):
    check_memory(environment, megabytes=1, seconds=4)


@needs_proc
@pytest.mark.soak
def test_ten_minutes_of_thinking_do_not_grow_the_process(environment):
    check_memory(environment, megabytes=16, seconds=590)
