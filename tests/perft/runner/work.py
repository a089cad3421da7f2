"""Units for tests: what workers compute. `perft.` in front of a function's name decides which sources count."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

from perft.engine_process import own_group
from perft.runner.units import Unit, WithFiles


def unit(number, function="square", **values):
    """A unit of this file's functions."""
    return Unit(f"tests.perft.runner.work:{function}", {"number": number, **values})


def square(number, **_hints):
    return number * number


def slow_square(number, seconds, **_hints):
    time.sleep(seconds)
    return number * number


def with_files(number, **_hints):
    return WithFiles(number, {".txt": b"x" * number, ".bin": bytes([number % 256])})


def fails(number, **_hints):
    raise ValueError(f"no {number} today")


def breaks(number, **_hints):
    return number // 0


def dies_once(number, folder, **_hints):
    """Die at the first attempt, like a process that is killed."""
    mark = os.path.join(folder, str(number))  # noqa: PTH118
    if not os.path.exists(mark):  # noqa: PTH110
        with open(mark, "w"):  # noqa: PTH123
            os._exit(9)
    return number * number


def hints_of(number, **hints):
    return [number, *sorted(hints.items())]


def writes_its_process(number, folder, **_hints):
    with open(os.path.join(folder, "process"), "w") as file:  # noqa: PTH118, PTH123
        file.write(str(os.getpid()))
    return number


HOLDER = """
import socket, sys, time
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
time.sleep(600)
"""


def starts_an_engine(number, port, folder=None, **_hints):
    """Start a process that ignores the end of its input and holds a connection; then die, or take long."""
    subprocess.Popen([sys.executable, "-c", HOLDER, str(port)], stdin=subprocess.PIPE, **own_group())
    if folder is not None:
        mark = os.path.join(folder, str(number))  # noqa: PTH118
        if os.path.exists(mark):  # noqa: PTH110
            return number
        with open(mark, "w"):  # noqa: PTH123
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)
    return number


def compiles(number, folder, **_hints):
    """Compile or load one kernel, at the same time as another worker; -> misses and hits of the cache."""
    from perft.frontier import sum_occurrences

    with open(os.path.join(folder, f"ready-{number}"), "w"):  # noqa: PTH118, PTH123
        pass
    while not os.path.exists(os.path.join(folder, f"ready-{1 - number}")):  # noqa: PTH110, PTH118
        time.sleep(0.01)
    sum_occurrences(np.zeros(8, dtype=np.uint64), np.uint64(1))
    stats = sum_occurrences.stats
    return [sum(stats.cache_misses.values()), sum(stats.cache_hits.values())]


def noted_nap(number, seconds, folder, **_hints):
    """Sleep; a letter in a file for each time that it is done."""
    with open(os.path.join(folder, str(number)), "a") as file:  # noqa: PTH118, PTH123
        file.write("x")
    time.sleep(seconds)
    return number


def pretends_another_numba():
    """For a worker of Dask: it is as if another version were installed there."""
    from perft.runner import dask_pool

    real = dask_pool.versions_behind
    dask_pool.versions_behind = lambda function: {**real(function), "numba": "0.1"}


def cannot_compute():
    """For a worker of Dask: it is as if it had another version of Teresa."""
    from perft.runner import dask_pool

    def compute_here(*_):
        raise TypeError("compute_here() takes other arguments")

    dask_pool.compute_here = compute_here
