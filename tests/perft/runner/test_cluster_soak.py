"""Long runs on clusters: many kills, two hosts, the whole suite of Chess960."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the extra `cluster`")

import psutil
from distributed.diagnostics.plugin import WorkerPlugin

from movegen import Position
from perft.count_units import START_COUNTS, parts_of, positions_per_unit, slices_of
from perft.runner.cluster import ClusterOptions, open_cluster
from perft.runner.journal import Journal
from perft.runner.runner import Runner
from tests.perft.runner.certificates import new_certificates
from tests.perft.runner.programs import (
    PROJECT,
    drive,
    driver_command,
    recorded,
    scheduler,
    started,
    until,
    workers,
)

pytestmark = [pytest.mark.soak, pytest.mark.skipif(os.name == "nt", reason="kills processes")]


class NotesExecutions(WorkerPlugin):
    """Writes a line for each unit that a worker begins."""

    def __init__(self, folder):
        self.folder = folder

    def setup(self, worker):
        self.path = Path(self.folder) / f"{os.getpid()}-{worker.port}"

    def transition(self, key, _start, finish, **_):
        if finish == "executing" and str(key).startswith("count_slice"):
            with self.path.open("a") as file:
                file.write(f"{key}\n")


def worker_processes():
    """The workers of a local cluster of this process."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_a_worker_is_killed_every_ten_seconds(tmp_path):
    """perft(8): the right total, and no more units done again than workers were killed."""
    notes = tmp_path / "notes"
    notes.mkdir()
    pool = open_cluster(ClusterOptions("local", 2), lambda _: {"threads": 1, "megabytes": 8})
    pool._client.register_plugin(NotesExecutions(str(notes)))
    journal = Journal(tmp_path / "run")
    journal.start({})
    (part,) = parts_of(Position(), 8, 16, divide=False)
    units = list(
        slices_of(part, positions_per_unit([part], 10))
    )  # much shorter than ten seconds, also on a busy machine
    ended, kills = threading.Event(), []

    def kill():
        while not ended.wait(10):
            with suppress(psutil.Error, IndexError):
                random.choice(worker_processes()).kill()
                kills.append(time.monotonic())

    thread = threading.Thread(target=kill)
    thread.start()
    runner = Runner(pool, journal)
    try:
        total = sum(result.value for _, result in runner.run(units))
    finally:
        ended.set()
        thread.join()
        pool.close()
        journal.close()
    begun = sum(len(path.read_text().splitlines()) for path in notes.iterdir())
    again = begun - len(units) - runner.stats.resent  # those that took long have other reasons
    print(f"{len(units)} units, {len(kills)} kills, {again} done again, {runner.stats.resent} sent twice")
    assert total == START_COUNTS[8]
    assert kills
    assert again <= len(kills)


def kill_at_random(arguments, run, victim, on_cluster, folder, environment):
    """Let a driver run until it has recorded a unit, and a moment longer; -> the number of recorded units."""
    with ExitStack() as stack:
        where, process = [], None
        if on_cluster:
            folder.mkdir()
            process, file = stack.enter_context(scheduler(folder, environment))
            stack.enter_context(workers(file, environment))
            where = ["--cluster", file]
        before = len(recorded(run))
        driver = stack.enter_context(started(driver_command(*arguments, *where), environment))
        until(lambda: len(recorded(run)) > before or driver.poll() is not None, "a unit")
        time.sleep(random.uniform(0, 3))
        (driver if victim == "driver" else process).kill()
        driver.wait(60)
    return len(recorded(run))


@pytest.mark.parametrize("victim", ["driver", "scheduler"])
def test_kills_at_random_moments(tmp_path, environment, victim):
    """Five times; drivers are continued without and with a cluster in turn: the same total, no unit recorded twice."""
    run, arguments = tmp_path / "run", [8, "--hash", 4, "--run", tmp_path / "run"]
    for number in range(5):
        on_cluster = victim == "scheduler" or number % 2 == 1
        done = kill_at_random(arguments, run, victim, on_cluster, tmp_path / f"cluster-{number}", environment)
        print(f"kill {number}: {done} units are recorded")
        arguments = ["--resume", run]
    header = json.loads((run / "journal.jsonl").read_text().splitlines()[0])
    assert done < header["units"], "the run was too short for five kills"
    finished = drive(environment, "--resume", run, timeout=1800)
    assert finished.stdout == f"\nNodes searched: {START_COUNTS[8]}\n", finished.stderr
    entries = [json.loads(line) for line in recorded(run)]
    assert len({entry["unit"] for entry in entries}) == len(entries) == header["units"]
    assert sum(entry["value"] for entry in entries) == START_COUNTS[8]


def run_ip(*arguments):
    subprocess.run([shutil.which("ip") or "ip", *arguments], check=True, capture_output=True, timeout=30)


@pytest.fixture
def hosts():
    """Two network namespaces with a wire between them; -> their names and addresses."""
    names, number = [f"teresa-{os.getpid()}-{letter}" for letter in "ab"], os.getpid() % 250
    try:
        for name in names:
            run_ip("netns", "add", name)
    except (OSError, subprocess.CalledProcessError):
        for name in names:
            with suppress(OSError, subprocess.CalledProcessError):
                run_ip("netns", "delete", name)
        pytest.skip("needs the right to make network namespaces")
    wires = [f"ta{number}", f"tb{number}"]
    addresses = [f"10.77.{number}.{last}" for last in (1, 2)]
    try:
        run_ip("link", "add", wires[0], "type", "veth", "peer", "name", wires[1])
        for name, wire, address in zip(names, wires, addresses, strict=True):
            run_ip("link", "set", wire, "netns", name)
            for command in (
                ["address", "add", f"{address}/24", "dev", wire],
                ["link", "set", wire, "up"],
                ["link", "set", "lo", "up"],
            ):
                run_ip("-n", name, *command)
        yield dict(zip(names, addresses, strict=True))
    finally:
        for name in names:
            run_ip("netns", "delete", name)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make certificates")
def test_two_hosts_with_tls(hosts, tmp_path, environment):
    """The scheduler and the driver on one, a worker on each. Without TLS the other host is refused."""
    ours = new_certificates(tmp_path, "ours")
    (first, address), (second, other) = hosts.items()
    environment = {"PYTHONPATH": str(PROJECT), **environment}

    def on(host, module, *arguments):
        return [shutil.which("ip"), "netns", "exec", host, sys.executable, "-m", module, *arguments]

    place = f"tls://{address}:8786"
    options = ["--nthreads", "1", "--no-dashboard", *ours.for_dask]
    certificates = ["--tls-ca-file", ours.authority, "--tls-cert", ours.certificate, "--tls-key", ours.key]
    with (
        started(on(first, "distributed.cli.dask_scheduler", "--host", place, *ours.for_dask), environment),
        started(on(first, "distributed.cli.dask_worker", place, "--host", address, *options), environment),
        started(on(second, "distributed.cli.dask_worker", place, "--host", other, *options), environment),
    ):
        time.sleep(10)
        run = tmp_path / "run"
        count = on(
            first, "perft", "7", "--hash", "16", "--verify", "1", "--run", run, "--cluster", place, *certificates
        )
        finished = subprocess.run(
            [str(part) for part in count], env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        plain = subprocess.run(
            on(second, "perft", "5", "--cluster", f"tcp://{address}:8786"),
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert finished.stdout == f"\nNodes searched: {START_COUNTS[7]}\n", finished.stderr
    places = {worker.rpartition(":")[0] for line in recorded(run) for worker in json.loads(line)["workers"]}
    assert places == {f"tls://{address}", f"tls://{other}"}
    assert plain.returncode == 2
    assert "everybody who reaches this port can run programs" in plain.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs the right to mount a small disk")
def test_a_disk_that_is_full(tmp_path, environment):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        finished = drive(environment, 7, "--run", disk / "run")
        assert finished.returncode == 2
        assert finished.stderr.endswith("No space left on device; what is recorded is safe, continue by --resume\n")
        shutil.copytree(disk / "run", tmp_path / "larger")
    finally:
        subprocess.run([shutil.which("umount") or "umount", str(disk)], check=True)
    finished = drive(environment, "--resume", tmp_path / "larger")
    assert finished.stdout == f"\nNodes searched: {START_COUNTS[7]}\n"


def test_the_suite_of_chess960(tmp_path, environment):
    """All start positions to depth 6: about 20 minutes of CPU time."""
    finished = drive(
        environment, "--suite", "chess960", "--cluster", "local", "--run", tmp_path / "run", timeout=4 * 3600
    )
    assert finished.returncode == 0, finished.stderr
    assert "960 of 960 positions checked, 0 wrong, " in finished.stdout
    assert sum(line.startswith("ok     D6 ") for line in finished.stdout.splitlines()) == 960
