"""Processes for tests: drivers, schedulers and workers, as users start them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

PROJECT = Path(__file__).resolve().parents[3]
SECONDS = 120  # more than anything here takes, even on a machine that does other things
START_7 = 3_195_901_860
# Units of a twentieth of a second: there are some, even in a short run.
DRIVER = """
import sys, perft.count_units
perft.count_units.SHORTEST_UNIT = perft.count_units.GOOD_UNIT = 0.05
from perft.__main__ import main
from perft.exits import run_as_program
if __name__ == "__main__":
    sys.exit(run_as_program("perft", main))
"""


def driver_command(*arguments):
    return [sys.executable, "-c", DRIVER, *map(str, arguments)]


def drive(environment, *arguments, timeout=SECONDS, **options):
    """Run a driver to its end."""
    command = driver_command(*arguments)
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False, **options
    )


@contextmanager
def started(command, environment, **options):
    """A process in a new group; all its children end with it."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
    command, environment = [str(part) for part in command], {"PYTHONPATH": str(PROJECT), **environment}
    process = subprocess.Popen(command, env=environment, start_new_session=True, text=True, **options)
    try:
        yield process
    finally:
        for each in family_of(process.pid):
            with suppress(psutil.Error):
                each.kill()
        process.communicate(timeout=60)


def family_of(pid):
    """A process and all that it has started, as long as they live."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return [*process.children(recursive=True), process]
    return []


def until(condition, what, seconds=SECONDS):
    """Wait for a condition; -> what it returned."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


def all_gone(processes):
    """Have these processes ended?"""
    return not [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


@contextmanager
def scheduler(folder, environment, *arguments, host="tcp://127.0.0.1"):
    """-> the process, and its file. The port is free."""
    file = Path(folder) / "scheduler.json"
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        host,
        "--port",
        "0",
        "--dashboard-address",
        "127.0.0.1:0",
    ]
    with started([*command, "--no-show", "--scheduler-file", file, *arguments], environment, cwd=folder) as process:
        until(lambda: file.is_file() and file.stat().st_size, "the file of the scheduler")
        until(lambda: address_in(file), "the address in the file of the scheduler")
        yield process, file


def address_in(file):
    with suppress(ValueError):
        return json.loads(Path(file).read_text())["address"]
    return None


def workers(file, environment, *arguments, count=2):
    """Workers of the scheduler that has written a file."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--host", "127.0.0.1"]
    options = ["--nworkers", count, "--nthreads", 1, "--no-dashboard", *arguments]
    return started([*command, *options], environment, cwd=Path(file).parent)


def recorded(folder):
    """The lines of a journal, without its header."""
    with suppress(OSError):
        return (Path(folder) / "journal.jsonl").read_text().splitlines()[1:]
    return []


def press_ctrl_c(process):
    """As a terminal does: the whole group gets it."""
    os.killpg(process.pid, signal.SIGINT)


@contextmanager
def listening_port():
    """A port: engines that connect to it (`work.starts_an_engine`) live as long as their connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server


def has_ended(connection, seconds=30):
    connection.settimeout(seconds)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
