"""Loops in processes that are killed while their steps are under way, and what they leave."""

import subprocess
import time
from contextlib import suppress

from engine.training.loop.loop_journal import LoopJournal


def lines_of(folder):
    """What the journal says, without what depends on the machine."""
    own = ("time", "cpu_seconds")
    return [{key: value for key, value in entry.items() if key not in own} for entry in LoopJournal(folder).entries]


def assert_same_nets(folder, whole):
    """A loop has the lines and the nets of another one."""
    assert lines_of(folder) == lines_of(whole)
    nets = sorted(path.name for path in (whole / "nets").glob("*.net"))
    assert sorted(path.name for path in (folder / "nets").glob("*.net")) == nets
    for name in nets:
        assert (folder / "nets" / name).read_bytes() == (whole / "nets" / name).read_bytes()


def kill_at(moments, command, environment, folder):
    """Start a command again and again, and kill it at a number of files of a pattern; -> how often it was."""
    killed = 0
    for pattern, count in moments:
        killed += kill_when(command, environment, lambda: len(list(folder.glob(pattern))) >= count)  # noqa: B023
    return killed


def kill_when(command, environment, has_come):
    """Start a command, and kill it when a moment has come; -> was it killed?"""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not has_come():
        time.sleep(0.005)
    was_killed = process.poll() is None
    with suppress(ProcessLookupError):
        process.kill()
    process.wait(60)
    return was_killed
