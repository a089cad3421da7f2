import time

import pytest

from perft.runner.journal import Memory
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import Runner, UnitJob
from perft.runner.units import this_worker
from tests.perft.runner.work import unit

pytestmark = pytest.mark.jit  # processes


@pytest.fixture
def pool():
    pool = ProcessPool(2, {})
    yield pool
    pool.close()


def test_units_in_two_processes(pool):
    results = list(Runner(pool, Memory()).run([unit(number, "slow_square", seconds=0.05) for number in range(20)]))
    assert sorted(result.value for _, result in results) == [number * number for number in range(20)]
    workers = {worker for _, result in results for worker in result.workers}
    assert len(workers) == 2
    assert this_worker() not in workers


def test_a_killed_process_is_replaced_and_its_unit_done_again(pool, tmp_path):
    units = [unit(number, "dies_once", folder=str(tmp_path)) for number in range(4)]
    units += [unit(number) for number in range(4, 20)]
    runner = Runner(pool, Memory())
    values = {each.input["number"]: result.value for each, result in runner.run(units)}
    assert values == {number: number * number for number in range(20)}
    assert runner.stats.redone == 4


def test_verified_by_the_other_process(pool):
    book = Memory()
    list(Runner(pool, book, verify=1.0).run([unit(number) for number in range(10)]))
    assert all(len(set(result.workers)) == 2 for result in book.done.values())


def test_one_process_cannot_verify_itself():
    pool = ProcessPool(1, {})
    try:
        runner = Runner(pool, Memory(), verify=1.0)
        assert len(list(runner.run([unit(number) for number in range(3)]))) == 3
    finally:
        pool.close()
    assert (runner.stats.verified, runner.stats.unverified) == (0, 3)


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
