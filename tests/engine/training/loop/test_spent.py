"""Processor time of a step: that of all its units, also of those before an interruption."""

import pytest

from engine.training.loop.spent import CountedJournal, spent
from perft.runner.journal import Memory
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.runner import Runner
from perft.runner.units import UnitAnswer
from tests.perft.runner.work import unit


def answer(number, seconds):
    return UnitAnswer("host:1", 9.0, number, cpu_seconds=seconds)


def test_the_time_of_all_units_is_added_up(tmp_path):
    path, memory = tmp_path / "spent", Memory()
    assert spent(path) == 0.0
    journal = CountedJournal(memory, path)
    for number in (1, 2):
        assert journal.record(unit(number), answer(number, 1.25), ("host:1",)).value == number
    assert spent(path) == 2.5
    with path.open("ab") as file:
        file.write(b'{"cpu_seconds":77,')
    CountedJournal(Memory(), path).record(unit(3), answer(3, 0.5), ("host:1", "host:2"))  # two have done it
    assert spent(path) == 3.5
    assert journal.done is memory.done
    assert len(journal.done) == 2


@pytest.mark.parametrize(
    "pool", [lambda: InlinePool({}), pytest.param(lambda: ProcessPool(1, {}), marks=pytest.mark.slow)]
)
def test_units_that_are_done_already_cost_nothing_again(tmp_path, pool):
    path, memory, workers = tmp_path / "spent", Memory(), pool()
    try:
        list(Runner(workers, CountedJournal(memory, path)).run([unit(1), unit(2)]))
        before = spent(path)
        list(Runner(workers, CountedJournal(memory, path)).run([unit(1), unit(2)]))
        assert spent(path) == before
        list(Runner(workers, CountedJournal(memory, path)).run([unit(1), unit(3)]))
        assert len(path.read_bytes().splitlines()) == 3
    finally:
        workers.close()
