"""Real clusters of Dask on this machine: counts, lost workers, foreign versions."""

import json
import os
import re
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

pytest.importorskip("distributed", reason="needs the extra `cluster`")

from distributed import Client

from perft.__main__ import main
from perft.runner.cluster import SECONDS_BETWEEN_HEARTBEATS, ClusterOptions, check_scheduler, open_cluster
from perft.runner.journal import Memory
from perft.runner.pool import UnitJob
from perft.runner.processes import InlinePool
from perft.runner.runner import RunError, Runner, Stopped
from perft.suite import read_suite
from tests.perft.runner.programs import (
    PROJECT,
    SECONDS,
    address_in,
    drive,
    has_ended,
    listening_port,
    scheduler,
    started,
    until,
    workers,
)
from tests.perft.runner.work import cannot_compute, pretends_another_numba, unit

pytestmark = [pytest.mark.jit, pytest.mark.slow]


@contextmanager
def new_pool():
    pool = open_cluster(ClusterOptions("local", 2), lambda per_machine: {"per_machine": per_machine})
    try:
        yield pool
    finally:
        pool.close()


@pytest.fixture
def own_pool():
    """For a test that loses workers for good, or leaves them at work."""
    with new_pool() as pool:
        yield pool


@pytest.fixture(scope="module")
def shared_pool():
    with new_pool() as pool:
        yield pool


@pytest.fixture
def pool(shared_pool):
    """One for many tests: starting it takes longer than most of them."""
    until(lambda: shared_pool.workers == 2, "two workers")
    return shared_pool


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, environment):
    """-> the file of a scheduler with two workers."""
    with (
        scheduler(tmp_path_factory.mktemp("cluster"), environment) as (_, file),
        workers(file, environment),
    ):
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2, timeout=120)
        yield file


def entries(folder):
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()][1:]


def seconds_between_heartbeats(dask_worker):
    return dask_worker.periodic_callbacks["heartbeat"].callback_time / 1000


def test_workers_of_a_local_cluster_seldom_report(pool):
    """Twice a second had cost half of what an idle cluster costs; a death is seen by the end of a connection."""

    def intervals():
        return set(pool._client.run(seconds_between_heartbeats).values())

    until(lambda: intervals() == {SECONDS_BETWEEN_HEARTBEATS}, "an answer to the first one")


class TestCounts:
    def test_all_units_by_two_workers(self, cluster, tmp_path, capsys):
        run = tmp_path / "run"
        assert main(["5", "--hash", "16", "--cluster", str(cluster), "--run", str(run), "--verify", "1"]) == 0
        captured = capsys.readouterr()
        assert captured.out == "\nNodes searched: 4865609\n"
        assert f"run folder: {run} (continue by --resume)\n" in captured.err
        assert "dashboard" not in captured.err  # bokeh is not there
        assert entries(run)
        for entry in entries(run):
            assert len(set(entry["workers"])) == 2
            assert all(worker.startswith("tcp://127.0.0.1:") for worker in entry["workers"])

    def test_suite(self, cluster, tmp_path, capsys):
        arguments = ["--suite", "standard", "--max-nodes", "1000", "--cluster", address_in(cluster)]
        assert main([*arguments, "--run", str(tmp_path / "run")]) == 0
        lines = capsys.readouterr().out.splitlines()
        checked = sum(min(entry.counts.values()) <= 1000 for entry in read_suite("standard"))
        assert sum(line.startswith("ok ") for line in lines) == checked > 100
        assert lines[-1].startswith(f"{checked} of 128 positions checked, 0 wrong, ")

    def test_divide(self, cluster, tmp_path, capsys):
        assert main(["4", "--divide", "--cluster", str(cluster), "--run", str(tmp_path / "run")]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert {"a2a3: 8457", "b1a3: 8885", "e2e4: 13160"} <= set(lines)  # as Stockfish has it
        assert lines[-1] == "Nodes searched: 197281"

    @pytest.mark.parametrize("begins_on_a_cluster", [False, True])
    def test_a_run_that_was_cut_off_goes_on_elsewhere(
        self, cluster, tmp_path, capsys, monkeypatch, begins_on_a_cluster
    ):
        monkeypatch.setattr("perft.unit_commands.positions_per_unit", lambda *_: 1000)
        run, (first, second) = tmp_path / "run", [[], ["--cluster", str(cluster)]][:: -1 if begins_on_a_cluster else 1]
        assert main(["5", "--hash", "16", "--run", str(run), *first]) == 0
        lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
        assert len(lines) == 7  # 5,362 positions of ply 3
        (run / "journal.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:50])
        capsys.readouterr()
        assert main(["--resume", str(run), *second]) == 0
        assert capsys.readouterr().out == "\nNodes searched: 4865609\n"
        lines = (run / "journal.jsonl").read_text().splitlines()[1:]
        ours, theirs = ([json.loads(line) for line in part] for part in (lines[:3], lines[4:]))
        assert len({entry["unit"] for entry in ours + theirs}) == 6
        assert sum(entry["value"] for entry in ours + theirs) == 4_865_609
        for part, on_a_cluster in ((ours, begins_on_a_cluster), (theirs, not begins_on_a_cluster)):
            assert {entry["workers"][0].startswith("tcp://") for entry in part} == {on_a_cluster}

    def test_on_this_machine_only(self, tmp_path, capsys):
        assert main(["5", "--cluster", "local", "--run", str(tmp_path / "run"), "--threads", "2"]) == 0
        assert capsys.readouterr().out == "\nNodes searched: 4865609\n"


on_posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX processes")


class TestLocalCluster:
    @on_posix
    def test_only_this_machine_can_reach_it(self, pool):
        import psutil

        assert pool.workers == 2
        process = psutil.Process()
        children = process.children(recursive=True)
        family = [process, *(child for child in children if os.getsid(child.pid) == os.getsid(0))]  # not other clusters
        assert len(family) > 2
        listening = [
            connection.laddr.ip
            for each in family
            for connection in each.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert len(listening) >= 4
        assert set(listening) == {"127.0.0.1"}

    def test_units_hints_and_failures(self, pool):
        values = {each.input["number"]: result.value for each, result in run(pool, [unit(n) for n in range(30)])}
        assert values == {n: n * n for n in range(30)}
        ((_, result),) = run(pool, [unit(1, "hints_of")])
        assert result.value == [1, ("per_machine", 2)]
        assert result.workers[0] in pool._threads
        with pytest.raises(RunError, match=r"a unit failed on tcp://127.0.0.1:\d+: no 5 today"):
            run(pool, [unit(5, "fails")])
        with pytest.raises(RunError, match="ZeroDivisionError"):
            run(pool, [unit(5, "breaks")])

    def test_files_come_with_the_answer(self, pool):
        ((_, result),) = run(pool, [unit(3, "with_files")])
        assert (result.read(".txt"), result.read(".bin")) == (b"xxx", b"\3")

    def test_workers_that_die_are_replaced(self, pool, tmp_path):
        units = [unit(number, "dies_once", folder=str(tmp_path)) for number in range(3)]
        units += [unit(number) for number in range(3, 30)]
        runner = Runner(pool, Memory())
        values = {each.input["number"]: result.value for each, result in runner.run(units)}
        assert values == {number: number * number for number in range(30)}
        until(lambda: pool.workers == 2, "two workers again")

    @on_posix
    def test_a_stuck_worker_does_not_hold_up_the_run(self, own_pool, tmp_path):
        """It is stopped, as a machine that hangs: its units go to the other one, and the run ends without it."""
        units = [unit(0, "writes_its_process", folder=str(tmp_path))]
        units += [unit(number, "slow_square", seconds=0.02) for number in range(1, 60)]
        runner = Runner(own_pool, Memory())
        results = runner.run(units)
        stopped = None
        try:
            for each, _ in results:
                if stopped is None and each.input["number"] > 10:
                    stopped = int((tmp_path / "process").read_text())
                    os.kill(stopped, signal.SIGSTOP)
            assert runner.stats.done == 60
        finally:
            os.kill(stopped, signal.SIGCONT)

    def test_jobs_that_no_worker_has_begun_are_taken_back(self, pool):
        assert pool.workers == 2
        jobs = [UnitJob(unit(number, "slow_square", seconds=3), 1) for number in range(6)]
        for job in jobs:
            pool.send(job)
        time.sleep(1.5)
        taken_back = pool.recall()
        assert 3 <= len(taken_back) <= 4
        reports = []
        until(lambda: reports.extend(pool.receive(0.2)) or len(reports) == 6 - len(taken_back), "the other jobs")
        assert all(report.answer.error is None for report in reports)
        assert {report.job for report in reports}.isdisjoint(taken_back)

    def test_jobs_that_no_worker_has_begun_are_cancelled(self, pool):
        assert pool.workers == 2
        jobs = [UnitJob(unit(number, "slow_square", seconds=3), 1) for number in range(6)]
        before = time.monotonic()
        for job in jobs:
            pool.send(job)
        time.sleep(1.5)
        begun = [job for job in jobs if pool.begun_at(job) is not None]
        assert len(begun) >= 2
        assert all(before <= pool.begun_at(job) <= time.monotonic() for job in begun)
        pool.cancel(jobs)
        left = list(pool._jobs)
        assert 2 <= len(left) <= 3
        reports = []
        until(lambda: reports.extend(pool.receive(0.2)) or len(reports) == len(left), "the other jobs")
        assert pool.begun_at(jobs[0]) is None

    def test_a_long_unit_is_done_twice_at_most(self, own_pool, tmp_path):
        """Nor do the units behind it wait for it."""
        slow = unit(1000, "noted_nap", seconds=6, folder=str(tmp_path))
        units = [unit(number, "noted_nap", seconds=0.02, folder=str(tmp_path)) for number in range(60)]
        runner = Runner(own_pool, Memory())
        list(runner.run([*units[:10], slow, *units[10:]]))
        assert (tmp_path / "1000").read_text() in ("x", "xx")

    def test_ctrl_c_ends_after_what_is_begun(self, pool):
        runner, found = Runner(pool, Memory()), []

        def press_after_two():
            for result in runner.run([unit(number, "slow_square", seconds=0.5) for number in range(40)]):
                found.append(result)
                if len(found) == 2:
                    signal.raise_signal(signal.SIGINT)

        with pytest.raises(Stopped, match="of 40 units are done"):
            press_after_two()
        assert 2 <= len(found) <= 8


@pytest.mark.skipif(os.name == "nt", reason="needs groups of processes")
@pytest.mark.parametrize("is_killed", [False, True], ids=["close", "killed"])
def test_engines_of_a_local_cluster_end_with_their_worker(is_killed, tmp_path):
    """Those that do not notice the end of their input, too."""
    values = {"folder": str(tmp_path)} if is_killed else {}
    with listening_port() as server:
        with new_pool() as pool:
            until(lambda: pool.workers == 2, "two workers")
            job = unit(1, "starts_an_engine", port=server.getsockname()[1], **values)
            if is_killed:
                run(pool, [job])
            else:
                pool.send(UnitJob(job, 1))
            engine = server.accept()[0]
            if is_killed:
                until(lambda: pool.workers and has_ended(engine, 0.2), "the end of the engine")
        with engine:
            assert has_ended(engine)


def run(pool, units):
    return list(Runner(pool, Memory()).run(units))


class TestOtherVersions:
    def versions(self, **changed):
        packages = {"python": "3.12.1.final.0", "dask": "2026.8.0", "distributed": "2026.8.0"}
        return {"client": {"packages": packages}, "scheduler": {"packages": packages | changed}, "workers": {}}

    def test_the_scheduler_must_have_the_same_python_and_dask(self):
        check_scheduler(self.versions(python="3.12.9.final.0", numpy="1"))
        for name, version in (("python", "3.13.0.final.0"), ("dask", "2026.7.0"), ("distributed", "2026.7.0")):
            with pytest.raises(RunError, match=rf"the scheduler has {name} .*: install the same on all machines"):
                check_scheduler(self.versions(**{name: version}))
        with pytest.raises(RunError, match="the scheduler has python of unknown version"):
            check_scheduler(self.versions() | {"scheduler": None})

    def test_a_worker_with_another_numba_gets_no_units(self, own_pool):
        until(lambda: own_pool.workers == 2, "two workers")
        foreign, other = own_pool._threads
        own_pool._client.run(pretends_another_numba, workers=[foreign])
        runner = Runner(own_pool, Memory())
        results = list(runner.run([unit(number, "slow_square", seconds=0.05) for number in range(20)]))
        assert {each.input["number"]: result.value for each, result in results} == {n: n * n for n in range(20)}
        assert {worker for _, result in results for worker in result.workers} == {other}
        (note,) = runner.stats.notes
        assert note.startswith(f"{foreign} has numba 0.1 instead of ")
        assert note.endswith(": it gets no units; install the same version on all machines")
        assert (own_pool.workers, runner.stats.workers) == (1, 1)
        run(own_pool, [unit(1)])  # another run knows it too
        own_pool._client.run(pretends_another_numba, workers=[other])
        with pytest.raises(RunError, match=r"no worker of the cluster can do a unit: .* has numba 0\.1 instead of"):
            run(own_pool, [unit(30)])

    def test_a_worker_with_other_sources_does_nothing(self, tmp_path, environment):
        for package in ("movegen", "perft"):
            shutil.copytree(PROJECT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
        with (tmp_path / "perft" / "count.py").open("a") as file:
            file.write("# changed\n")
        with (
            scheduler(tmp_path, environment) as (_, file),
            workers(file, {**environment, "PYTHONPATH": str(tmp_path)}, count=1),
        ):
            finished = drive(environment, 4, "--cluster", file, "--run", tmp_path / "run")
        assert finished.returncode == 2
        assert "no worker of the cluster can do a unit: tcp://127.0.0.1:" in finished.stderr
        assert " has other sources of Teresa: install the same version on all machines" in finished.stderr
        assert "Traceback" not in finished.stderr

    @pytest.fixture
    def without(self, tmp_path, environment):
        """-> the environment of a machine without Teresa."""
        (tmp_path / "without").mkdir()
        (tmp_path / "without" / "perft.py").write_text("raise ModuleNotFoundError(\"No module named 'perft'\")\n")
        return {**environment, "PYTHONPATH": str(tmp_path / "without")}

    def pool_of(self, file):
        return open_cluster(ClusterOptions(str(file), 0), lambda _: {})

    def test_a_scheduler_without_teresa(self, tmp_path, environment, without):
        with scheduler(tmp_path, without) as (_, file), workers(file, environment, count=1):
            finished = drive(environment, 4, "--cluster", file, "--run", tmp_path / "run")
        assert finished.returncode == 2
        assert "cannot load Teresa: install the same version on all machines" in finished.stderr
        assert "Traceback" not in finished.stderr

    def test_a_worker_without_teresa_gets_no_units_and_the_others_do_them(self, tmp_path, environment, without):
        with (
            scheduler(tmp_path, environment) as (_, file),
            workers(file, without, count=1),
            workers(file, environment, count=1),
        ):
            pool = open_cluster(ClusterOptions(str(file), 0), lambda _: {})
            try:
                until(lambda: len(pool._client.nthreads()) == 2, "two workers")
                runner = Runner(pool, Memory())
                assert len(list(runner.run([unit(number, "slow_square", seconds=0.2) for number in range(20)]))) == 20
                assert pool.workers == 1
                notes = runner.stats.notes
            finally:
                pool.close()
        assert re.fullmatch(r"tcp://127.0.0.1:\d+ cannot load Teresa \(.*\): it gets no units; install .*", *notes)
        assert pool.lost == 0

    def test_without_teresa_on_the_only_worker_the_run_ends(self, tmp_path, environment, without):
        with scheduler(tmp_path, environment) as (_, file), workers(file, without, count=1):
            finished = drive(environment, 4, "--cluster", file, "--run", tmp_path / "run")
        assert finished.returncode == 2
        assert "no worker of the cluster can do a unit: tcp://127.0.0.1:" in finished.stderr
        reason = r" cannot load Teresa \(.*No module named 'perft'.*\): install the same version on all machines"
        assert re.search(reason, finished.stderr)
        assert "Traceback" not in finished.stderr

    def test_a_worker_that_comes_later_without_teresa_ends_the_run_too(self, tmp_path, environment, without):
        """What is recorded stays, and the run goes on as soon as there is a worker that has it."""
        units = [unit(number) for number in range(20)]
        with scheduler(tmp_path, environment) as (_, file):
            pool, journal, begun = self.pool_of(file), Memory(), []
            list(Runner(InlinePool({}), journal).run(units[:5]))
            try:
                runner = Runner(pool, journal, watcher=lambda stats: begun.append(stats.workers))
                with ThreadPoolExecutor(1) as thread:
                    run = thread.submit(lambda: list(runner.run(units)))
                    until(lambda: begun, "a run that waits")
                    with workers(file, without, count=1), pytest.raises(RunError, match="cannot load Teresa"):
                        run.result(SECONDS)
            finally:
                pool.close()
            assert len(journal.done) == 5
            pool = self.pool_of(file)
            try:
                until(lambda: not pool._client.nthreads(), "the end of the worker")
                with workers(file, environment, count=1):
                    assert len(list(Runner(pool, journal).run(units))) == 20
            finally:
                pool.close()

    def test_a_worker_that_cannot_call_teresa_gets_no_units(self, own_pool):
        """As with another version of Teresa, whose function takes other arguments."""
        until(lambda: own_pool.workers == 2, "two workers")
        foreign, other = own_pool._threads
        own_pool._client.run(cannot_compute, workers=[foreign])
        runner = Runner(own_pool, Memory())
        results = list(runner.run([unit(number, "slow_square", seconds=0.05) for number in range(20)]))
        assert {worker for _, result in results for worker in result.workers} == {other}
        assert [note.partition(": ")[0] for note in runner.stats.notes] == [
            f"{foreign} cannot load Teresa (compute_here() takes other arguments)"
        ]


def test_it_waits_for_workers(tmp_path, environment):
    from tests.perft.runner.programs import driver_command

    with scheduler(tmp_path, environment) as (_, file):
        log = (tmp_path / "log").open("w+")
        command = driver_command(4, "--cluster", file, "--run", tmp_path / "run")
        with started(command, environment, stdout=log, stderr=log) as driver:
            until(lambda: "waiting for workers" in (tmp_path / "log").read_text(), "the note")
            with workers(file, environment, count=1):
                assert driver.wait(120) == 0
        log.close()
    assert "Nodes searched: 197281" in (tmp_path / "log").read_text()


def test_kernels_are_compiled_once_on_a_machine(tmp_path, environment):
    """Two workers that begin at the same time with an empty cache: one compiles, the other one loads."""
    with (
        scheduler(tmp_path, environment) as (_, file),
        workers(file, {**environment, "TERESA_CACHE_DIR": str(tmp_path / "cache")}),
    ):
        pool = open_cluster(ClusterOptions(str(file), 0), lambda _: {})
        until(lambda: pool.workers == 2, "two workers")
        try:
            results = run(pool, [unit(number, "compiles", folder=str(tmp_path)) for number in range(2)])
        finally:
            pool.close()
    assert len({worker for _, result in results for worker in result.workers}) == 2
    assert sorted(result.value for _, result in results) == [[0, 1], [1, 0]]  # misses, hits
