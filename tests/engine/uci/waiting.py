"""How long a process waited for a processor: it wanted to run, and others did. Seen from outside, on Linux only."""

import bisect
import contextlib
import itertools
import os
import threading
import time
from pathlib import Path
from typing import NamedTuple

SECONDS_BETWEEN_SAMPLES = 0.004
IS_MEASURED = Path(f"/proc/{os.getpid()}/schedstat").exists()


class Sample(NamedTuple):
    moment: float
    runnable: int  # threads that run or want to
    cpu: float  # seconds that the process has had so far, on all processors


def of_threads(pid, file):
    """What a file of /proc says of each thread of a process."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            found[thread.name] = (thread / file).read_bytes()
    return found


def runnable_threads(pid):
    return sum(stat.rpartition(b")")[2].split()[0] == b"R" for stat in of_threads(pid, "stat").values())


def cpu_seconds(pid):
    return time.clock_gettime((~pid << 3) | 2)  # the CPU clock of another process, see clock_getcpuclockid(3)


def own_waits():
    """Seconds that each thread of this process has waited for a processor, ever."""
    return {name: int(stat.split()[1]) / 1e9 for name, stat in of_threads("self", "schedstat").items()}


class Watched:
    """A process whose threads are observed from `begin` until it is asked how long they waited."""

    def __init__(self, pid):
        self.pid, self.samples, self._is_over = pid, [], not IS_MEASURED
        self._own_waits, self._has_begun = {}, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if IS_MEASURED:
            self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._has_begun.set()
        if IS_MEASURED:
            self._thread.join()

    def _look(self):
        self.samples.append(Sample(time.perf_counter(), runnable_threads(self.pid), cpu_seconds(self.pid)))

    def _watch(self):
        try:
            while not self._is_over:
                self._has_begun.wait()
                self._look()
                time.sleep(SECONDS_BETWEEN_SAMPLES)
        except OSError:  # the process has ended
            return

    def begin(self):
        """A move begins: what is waited for from here on counts."""
        if IS_MEASURED:
            self.samples.clear()
            self._look()
            self._own_waits = own_waits()
            self._has_begun.set()

    def waited(self, begin, end):
        """Seconds between two moments that the process, or this one which reads its answer, was kept waiting."""
        if not IS_MEASURED:
            return 0.0
        self._has_begun.clear()
        self._look()
        own = max((wait - self._own_waits.get(name, wait) for name, wait in own_waits().items()), default=0.0)
        return own + waited(self.samples.copy(), begin, end)


def waited(samples, begin, end):
    """The share of the processors that was wanted and not had, of the time in which at least one thread wanted one."""
    moments = [sample.moment for sample in samples]
    inside = samples[max(0, bisect.bisect_left(moments, begin) - 1) : bisect.bisect_right(moments, end) + 1]
    wanting = wanted = 0.0
    for first, second in itertools.pairwise(inside):
        seconds = min(second.moment, end) - max(first.moment, begin)
        wanting += seconds * ((first.runnable > 0) + (second.runnable > 0)) / 2
        wanted += seconds * (first.runnable + second.runnable) / 2
    if not wanted:
        return 0.0
    return wanting * max(0.0, 1.0 - (inside[-1].cpu - inside[0].cpu) / wanted)
