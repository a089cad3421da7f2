"""Drivers, schedulers and workers are killed, stopped by Ctrl-C, or have no disk left: runs go on, and count right."""

import os
import re
import signal
import subprocess
import time

import pytest

pytest.importorskip("distributed", reason="needs the extra `cluster`")

from perft.runner.display import STOPPING
from tests.perft.runner.programs import (
    SECONDS,
    START_7,
    all_gone,
    drive,
    driver_command,
    family_of,
    press_ctrl_c,
    recorded,
    scheduler,
    started,
    until,
    workers,
)

pytestmark = [
    pytest.mark.jit,
    pytest.mark.soak,
    pytest.mark.skipif(os.name == "nt", reason="needs groups of processes and their signals"),
    pytest.mark.usefixtures("warm_perft"),
]
RESULT = f"\nNodes searched: {START_7}\n"
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@pytest.fixture(scope="module")
def warm_perft(environment):
    """No driver here spends its time compiling."""
    assert drive(environment, 3).returncode == 0
    assert drive(environment, 3, "--hash", 1).returncode == 0


def units_of(error_text):
    """-> units, and how many of them were in the journal already."""
    return tuple(map(int, re.search(r"^(\d+) units.*?, (\d+) from the journal", error_text, re.MULTILINE).groups()))


def resumed(environment, run, *arguments):
    """Finish a run; -> units, and how many were in its journal."""
    before = len(recorded(run))
    finished = drive(environment, "--resume", run, *arguments)
    assert (finished.returncode, finished.stdout) == (0, RESULT), finished.stderr
    units, from_journal = units_of(finished.stderr)
    assert from_journal == before
    assert len(recorded(run)) == units
    return units, from_journal


@pytest.mark.parametrize("where", [[], ["--cluster", "local"]], ids=["embedded", "cluster"])
@pytest.mark.parametrize("then", [[], ["--cluster", "local"]], ids=["embedded", "cluster"])
def test_a_killed_driver(tmp_path, environment, where, then):
    run = tmp_path / "run"
    with started(driver_command(7, "--run", run, *where), environment) as driver:
        until(lambda: len(recorded(run)) >= 3, "some units")
        family = family_of(driver.pid)
        driver.kill()
        driver.wait(SECONDS)
        until(lambda: all_gone(family), "the end of its workers", 30)
    units, from_journal = resumed(environment, run, *then)
    assert 3 <= from_journal < units


def test_a_killed_scheduler(tmp_path, environment):
    """The driver ends with a clear error; the run is finished without a cluster."""
    run = tmp_path / "run"
    with (
        scheduler(tmp_path, environment) as (process, file),
        workers(file, environment),
        started(driver_command(7, "--cluster", file, "--run", run), environment, **PIPES) as driver,
    ):
        until(lambda: len(recorded(run)) >= 3, "some units")
        process.kill()
        output, errors = driver.communicate(timeout=60)
    assert (driver.returncode, output) == (2, "")
    assert "the scheduler of the cluster has gone; start it again, and continue by --resume" in errors
    assert "Traceback" not in errors
    resumed(environment, run)


def test_a_killed_worker(tmp_path, environment):
    run = tmp_path / "run"
    with started(driver_command(7, "--cluster", "local", "--run", run), environment, **PIPES) as driver:
        until(lambda: len(recorded(run)) >= 3, "some units")
        worker = next(each for each in family_of(driver.pid) if "spawn_main" in " ".join(each.cmdline()))
        worker.kill()
        output, errors = driver.communicate(timeout=SECONDS)
    assert (driver.returncode, output) == (0, RESULT), errors
    assert "1 worker lost" in errors or "worker" not in errors  # it may have been replaced before it was missed
    assert "Traceback" not in errors


@pytest.mark.parametrize("where", [["--threads", "2"], ["--cluster", "local"]], ids=["embedded", "cluster"])
def test_ctrl_c_once(tmp_path, environment, where):
    """What is under way is finished and recorded; the workers do not die of a Ctrl-C that reaches the whole group."""
    run = tmp_path / "run"
    with started(driver_command(7, "--run", run, *where), environment, **PIPES) as driver:
        until(lambda: len(recorded(run)) >= 3, "some units")
        family = family_of(driver.pid)
        press_ctrl_c(driver)
        output, errors = driver.communicate(timeout=60)
        until(lambda: all_gone(family), "the end of its workers", 30)
    assert driver.returncode == 130, errors
    done, total = map(int, re.search(r"Stopped: (\d+) of (\d+) units are done", output).groups())
    assert 3 <= done == len(recorded(run)) < total
    assert output.endswith(f"Continue with: --resume {run}\n")
    announced, stopping = errors.splitlines()
    assert announced == f"run folder: {run} (continue by --resume)"
    assert STOPPING in stopping
    resumed(environment, run)


@pytest.mark.parametrize("where", [["--threads", "2"], ["--cluster", "local"]], ids=["embedded", "cluster"])
def test_ctrl_c_twice(tmp_path, environment, where):
    """The driver does not wait for units under way, here of a minute each."""
    run = tmp_path / "run"
    command = driver_command(10, "--run", run, *where)
    command[2] = command[2].replace("0.05", "60.0")
    with started(command, environment, **PIPES) as driver:
        until((run / "journal.jsonl").exists, "the start", 60)
        time.sleep(2)
        family = family_of(driver.pid)
        press_ctrl_c(driver)
        time.sleep(1)
        assert driver.poll() is None
        begin = time.monotonic()
        press_ctrl_c(driver)
        output, errors = driver.communicate(timeout=60)
        assert time.monotonic() - begin < 20
        until(lambda: all_gone(family), "the end of its workers", 30)
    assert driver.returncode == 130
    assert output == f"\nInterrupted. Continue with: --resume {run}\n"
    assert "Traceback" not in errors


def test_a_full_disk(tmp_path, environment):
    """Here a limit of the size of files; what was recorded before stays."""
    import resource

    run = tmp_path / "run"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    signal.getsignal(signal.SIGXFSZ)  # Python ignores it: writing fails instead
    finished = drive(environment, 7, "--run", run, preexec_fn=limit)
    assert finished.returncode == 2
    assert finished.stderr.endswith("File too large; what is recorded is safe, continue by --resume\n")
    finished = drive(environment, "--resume", run)
    assert (finished.returncode, finished.stdout) == (0, RESULT)
    assert units_of(finished.stderr)[1] >= 1
