"""How many processors this process may use."""

import os
from functools import cache
from pathlib import Path

QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds of processor time, and the period in microseconds


@cache
def processors() -> int:
    """The processors that the system, or the quota of a container, allows this process; at least 1."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(count, quota_in(QUOTA, count)))


def quota_in(file: Path, default: int) -> int:
    """Processors by the quota in a file, rounded up; `default` if it has none."""
    try:
        share, period = file.read_text(encoding="ascii").split()
        return -(-int(share) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return default
