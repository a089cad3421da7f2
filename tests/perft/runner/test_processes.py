import os
import subprocess
import sys
import time

import pytest

from perft.runner import processes
from perft.runner.journal import Memory
from perft.runner.pool import UnitJob
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import Runner
from perft.runner.units import this_worker
from tests.perft.runner.programs import PROJECT, has_ended, listening_port
from tests.perft.runner.work import unit

pytestmark = pytest.mark.jit  # processes


@pytest.fixture
def pool():
    pool = ProcessPool(2, {})
    yield pool
    pool.close()


@pytest.mark.thorough
def test_units_in_two_processes(pool):
    results = list(Runner(pool, Memory()).run([unit(number, "slow_square", seconds=0.05) for number in range(20)]))
    assert sorted(result.value for _, result in results) == [number * number for number in range(20)]
    workers = {worker for _, result in results for worker in result.workers}
    assert len(workers) == 2
    assert this_worker() not in workers


@pytest.mark.thorough
def test_a_killed_process_is_replaced_and_its_unit_done_again(pool, tmp_path):
    units = [unit(number, "dies_once", folder=str(tmp_path)) for number in range(4)]
    units += [unit(number) for number in range(4, 20)]
    runner = Runner(pool, Memory())
    values = {each.input["number"]: result.value for each, result in runner.run(units)}
    assert values == {number: number * number for number in range(20)}
    assert runner.stats.redone == 4


@pytest.mark.thorough
def test_verified_by_the_other_process(pool):
    journal = Memory()
    list(Runner(pool, journal, verify=1.0).run([unit(number) for number in range(10)]))
    assert all(len(set(result.workers)) == 2 for result in journal.done.values())


def test_one_process_cannot_verify_itself():
    pool = ProcessPool(1, {})
    try:
        runner = Runner(pool, Memory(), verify=1.0)
        assert len(list(runner.run([unit(number) for number in range(3)]))) == 3
    finally:
        pool.close()
    assert (runner.stats.verified, runner.stats.unverified) == (0, 3)


def test_a_pool_has_no_more_processes_than_it_can_wait_for(monkeypatch):
    monkeypatch.setattr(processes, "most_processes", lambda: 1)
    pool = ProcessPool(2, {})
    try:
        assert (pool.workers, len(pool._processes)) == (1, 1)
    finally:
        pool.close()


def test_only_windows_bounds_the_number_of_processes():
    assert processes.most_processes("win32") == 60
    assert processes.most_processes("linux") > 10**6


def test_hints_reach_the_function():
    inline = InlinePool({"threads": 2})
    inline.send(UnitJob(unit(1, "hints_of"), 1))
    assert inline.receive(0)[0].answer.value == [1, ("threads", 2)]
    assert inline.receive(0) == []


def test_processes_end_with_the_pool():
    pool = ProcessPool(2, {})
    pool.send(UnitJob(unit(1, "slow_square", seconds=600), 1))
    processes = [process.process for process in pool._processes]
    begin = time.monotonic()
    pool.close()
    assert not any(process.is_alive() for process in processes)
    assert time.monotonic() - begin < 60


def test_the_begin_of_a_job_is_when_a_process_gets_it(pool):
    jobs = [UnitJob(unit(number, "slow_square", seconds=1), 1) for number in range(4)]
    before = time.monotonic()
    for job in jobs:
        pool.send(job)
    assert all(before <= pool.begun_at(job) <= time.monotonic() for job in jobs[:2])
    assert [pool.begun_at(job) for job in jobs[2:]] == [None, None]


@pytest.mark.thorough
def test_jobs_that_no_process_has_are_cancelled(pool):
    jobs = [UnitJob(unit(number, "slow_square", seconds=0.2), 1) for number in range(4)]
    for job in jobs:
        pool.send(job)
    pool.cancel(jobs)
    reports = []
    while len(reports) < 2:
        reports += pool.receive(5)
    assert {report.job for report in reports} == set(jobs[:2])
    assert pool.receive(0.5) == []


def test_the_inline_pool_cancels_what_waits():
    inline, jobs = InlinePool({}), [UnitJob(unit(number), 1) for number in range(3)]
    for job in jobs:
        inline.send(job)
    inline.cancel(jobs[:2])
    assert [inline.begun_at(job) for job in jobs] == [None] * 3
    assert [report.job for report in inline.receive(0)] == [jobs[2]]


@pytest.mark.slow
def test_a_long_unit_is_done_twice_at_most(pool, tmp_path):
    """The run ends when all units are done: the copy, begun seconds later, is not awaited."""
    slow = unit(1000, "noted_nap", seconds=6, folder=str(tmp_path))
    units = [unit(number, "noted_nap", seconds=0.02, folder=str(tmp_path)) for number in range(100)]
    runner = Runner(pool, Memory())
    begin = time.monotonic()
    done = {each.input["number"]: time.monotonic() for each, _ in runner.run([*units[:98], slow, *units[98:]])}
    assert time.monotonic() - max(done.values()) < 2
    assert max(done.values()) - begin < 60
    assert (tmp_path / "1000").read_text() in ("x", "xx")
    assert runner.stats.resent <= 2


# Engines


@pytest.fixture
def listening():
    with listening_port() as server:
        yield server


on_posix = pytest.mark.skipif(os.name == "nt", reason="needs groups of processes")


@on_posix
@pytest.mark.thorough
def test_engines_end_with_the_worker_that_is_killed(listening, tmp_path):
    pool = ProcessPool(1, {})
    try:
        port = listening.getsockname()[1]
        list(Runner(pool, Memory()).run([unit(1, "starts_an_engine", port=port, folder=str(tmp_path))]))
        with listening.accept()[0] as engine:
            assert has_ended(engine)
    finally:
        pool.close()


@on_posix
def test_engines_end_with_the_pool(listening):
    pool = ProcessPool(1, {})
    try:
        pool.send(UnitJob(unit(1, "starts_an_engine", port=listening.getsockname()[1]), 1))
        engine = listening.accept()[0]
    finally:
        pool.close()
    with engine:
        assert has_ended(engine)


DRIVER = """
import sys, time
from perft.runner.processes import ProcessPool
from perft.runner.pool import UnitJob
from tests.perft.runner.work import unit
if __name__ == "__main__":
    pool = ProcessPool(1, {})
    pool.send(UnitJob(unit(1, "starts_an_engine", port=int(sys.argv[1])), 1))
    time.sleep(600)
"""


@on_posix
def test_engines_end_with_a_driver_that_is_killed(listening, environment, tmp_path):
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, str(tmp_path / "driver.py"), str(listening.getsockname()[1])]
    with subprocess.Popen(command, env={**environment, "PYTHONPATH": str(PROJECT)}) as driver:
        try:
            engine = listening.accept()[0]
        finally:
            driver.kill()
    with engine:
        assert has_ended(engine)
