"""The threads of a search, with simulations and a clock that are made up."""

import random
import threading
from types import SimpleNamespace

import pytest

from engine.mcts.tree import ROOT, new_tree
from engine.search import workers as workers_module
from engine.search.clock import SearchControl
from engine.search.workers import FIRST_CHUNK, LARGEST_CHUNK, VISITS_BETWEEN_MARKS, Lookout, WorkerPool

CHUNK_SECONDS = 0.002


class Made:
    """A pool whose simulations take `seconds_each` on a clock that only they move."""

    def __init__(self, monkeypatch, *, nodes=None, threads=1, batch=1, seconds_each=1e-5):
        self.now, self.sizes, self.calls, self.seconds_each = 0.0, [], [], seconds_each
        self.tree, self.lock = new_tree(1), threading.Lock()
        task = SimpleNamespace(tree=self.tree, params=SimpleNamespace(batch=batch), queue=None)
        workers = [SimpleNamespace(totals=[0, 0, 0]) for _ in range(threads)]
        self.pool = WorkerPool(task, workers, SearchControl(), nodes, CHUNK_SECONDS)
        monkeypatch.setattr(workers_module, "simulate", self.simulate)
        monkeypatch.setattr(workers_module.time, "perf_counter", lambda: self.now)

    @property
    def lookout(self):
        return Lookout(self.look, lambda: self.calls.append("mark"))

    def simulate(self, task, worker, count):
        assert task is self.pool.task
        with self.lock:
            self.sizes.append(count)
            self.now += count * self.seconds_each
            self.tree.visits[int(ROOT)] += count
        worker.totals[0] += count
        return count

    def look(self):
        self.calls.append("look")

    def watch(self):
        while self.pool.is_working:
            self.pool.control.wait(1.0)


def test_no_more_is_taken_than_is_left(monkeypatch):
    pool = Made(monkeypatch, nodes=10).pool
    assert [pool.take(wanted) for wanted in (4, 4, 4, 4)] == [4, 4, 2, 0]
    assert pool.nodes_left == 0
    pool.nodes_left = None
    assert pool.take(10**9) == 10**9


@pytest.mark.parametrize("batch", [1, 3, 8, 64])
def test_sizes_are_whole_batches(monkeypatch, batch):
    pool = Made(monkeypatch, batch=batch).pool
    for count in (1, 2, 8, 63, 64, 65, 8192):
        size = pool._in_whole_batches(count)
        assert size % batch == 0
        assert size == batch or count - batch < size <= count


def expected_sizes(nodes, seconds_each):
    """Chunks double until one takes `CHUNK_SECONDS`, and are cut at each mark."""
    sizes, chunk, done = [], FIRST_CHUNK, 0
    while done < nodes:
        size = min(chunk, VISITS_BETWEEN_MARKS - done % VISITS_BETWEEN_MARKS, nodes - done)
        sizes.append(size)
        done += size
        chunk = max(1, min(LARGEST_CHUNK, 2 * chunk, int(CHUNK_SECONDS / seconds_each)))
    return sizes


@pytest.mark.parametrize("seconds_each", [2.0**-24, 2.0**-17, 2.0**-12, 2.0**-7])
def test_chunks_grow_until_one_takes_the_time_wanted(monkeypatch, seconds_each):
    made = Made(monkeypatch, nodes=20_000, seconds_each=seconds_each)
    made.pool.work(made.lookout)
    assert made.sizes == expected_sizes(20_000, seconds_each)
    assert max(made.sizes) == {2.0**-24: 4096, 2.0**-17: 262, 2.0**-12: 8, 2.0**-7: 8}[seconds_each]
    assert made.calls.count("look") == len(made.sizes)
    assert made.calls.count("mark") == 20_000 // VISITS_BETWEEN_MARKS
    assert made.pool.longest_wait < 1e-6
    assert made.pool.nodes == 20_000


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 7, 48])
def test_marks_come_at_the_same_visits_whatever_the_speed(monkeypatch, batch):
    marks = []
    for seconds_each in (1e-7, 1e-5, 1e-3):
        made, found = Made(monkeypatch, nodes=30_000, batch=batch, seconds_each=seconds_each), []
        lookout = Lookout(lambda: None, lambda made=made, found=found: found.append(sum(made.sizes)))
        made.pool.work(lookout)
        marks.append(found)
    between = VISITS_BETWEEN_MARKS // batch * batch
    assert marks[0] == marks[1] == marks[2] == [between, 2 * between, 3 * between]


def test_a_wait_for_the_processor_is_noticed(monkeypatch):
    """A chunk that takes longer than the pace of those before, with some growth, has waited."""
    made = Made(monkeypatch, nodes=200, seconds_each=0.001)
    real = made.simulate

    def simulate(task, worker, count):
        made.now += 0.5 if len(made.sizes) == 4 else 0.0
        return real(task, worker, count)

    monkeypatch.setattr(workers_module, "simulate", simulate)
    made.pool.work(made.lookout)
    size = made.sizes[4]
    assert made.pool.longest_wait == pytest.approx(0.5 + 0.001 * size - 0.0011 * size, rel=1e-6)


@pytest.mark.parametrize("end", ["nodes", "over", "stopped", "proven", "over before"])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_what_ends_the_work(monkeypatch, end, threads):
    made = Made(monkeypatch, nodes=1000 if end == "nodes" else None, threads=threads or 1)
    real = made.simulate

    def simulate(task, worker, count):
        if end == "proven" and len(made.sizes) >= 5:
            return 0
        return real(task, worker, count)

    def look():
        if len(made.sizes) >= 5 and end in ("over", "stopped"):
            {"over": made.pool.end, "stopped": made.pool.control.stop}[end]()

    monkeypatch.setattr(workers_module, "simulate", simulate)
    made.look = look
    if end == "over before":
        made.pool.end()
    made.pool.work(made.lookout, None if threads is None else made.watch)
    if end == "nodes":
        assert sum(made.sizes) == made.pool.nodes == 1000
    elif end == "over before":
        assert made.sizes == []
    elif threads is None:
        assert len(made.sizes) == 5
    assert made.pool.is_over == end.startswith("over")
    assert not made.pool.is_working
    assert made.tree.prior[int(ROOT)] == 0  # the next search is not asked to stop


def test_the_end_reaches_the_kernel_through_the_tree(monkeypatch):
    made, seen = Made(monkeypatch, nodes=100), []

    def look():
        seen.append(int(made.tree.prior[int(ROOT)]))
        made.pool.end()
        seen.append(int(made.tree.prior[int(ROOT)]))

    made.look = look
    made.pool.work(made.lookout)
    assert seen == [0, 1]


def test_only_the_first_worker_looks(monkeypatch):
    """The others begin after its first look: on a busy machine they would else do all the work before it."""
    made, looked, has_looked = Made(monkeypatch, nodes=5000, threads=4), set(), threading.Event()
    real = made.simulate

    def look():
        looked.add(threading.current_thread())
        has_looked.set()

    def simulate(task, worker, count):
        assert worker is made.pool.workers[0] or has_looked.wait(60)
        return real(task, worker, count)

    made.look = look
    monkeypatch.setattr(workers_module, "simulate", simulate)
    made.pool.work(made.lookout, made.watch)
    assert len(looked) == 1
    assert sum(made.sizes) == 5000
    assert sum(worker.totals[0] for worker in made.pool.workers) == 5000


@pytest.mark.parametrize("place", ["simulate", "watch", "look"])
def test_a_failure_anywhere_ends_all_and_is_raised(monkeypatch, place):
    made = Made(monkeypatch, threads=3)
    real = made.simulate

    def fail(*_arguments):
        raise ZeroDivisionError("planted")

    def simulate(task, worker, count):
        return fail() if place == "simulate" and len(made.sizes) > 9 else real(task, worker, count)

    monkeypatch.setattr(workers_module, "simulate", simulate)
    if place == "look":
        made.look = fail
    with pytest.raises(ZeroDivisionError):
        made.pool.work(made.lookout, fail if place == "watch" else made.watch)
    assert made.pool.is_over
    assert not made.pool.is_working
    assert made.tree.prior[int(ROOT)] == 0


def test_no_thread_at_all_is_an_error(monkeypatch):
    made = Made(monkeypatch, nodes=10, threads=2)

    def refuse(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="no thread can be started"):
        made.pool.work(made.lookout, made.watch)
    assert not made.pool.is_working


@pytest.mark.parametrize("threads", [None, 2])
def test_a_full_root_is_halved_and_the_work_goes_on(monkeypatch, threads):
    made, halved = Made(monkeypatch, nodes=10_000, threads=threads or 1), []

    def halve(tree):
        halved.append(int(tree.visits[int(ROOT)]))
        tree.visits[int(ROOT)] //= 2

    monkeypatch.setattr(workers_module, "MOST_VISITS", 3000)
    monkeypatch.setattr(workers_module, "halve", halve)
    made.pool.work(made.lookout, None if threads is None else made.watch)
    assert sum(made.sizes) == 10_000
    assert len(halved) >= 3
    assert all(visits >= 3000 for visits in halved)
    made.pool.control.stop()
    made.tree.visits[int(ROOT)] = 5000
    made.pool.work(made.lookout)
    assert made.tree.visits[int(ROOT)] == 5000  # a search that is stopped leaves it to the next
    made.pool.control.is_stopped, made.pool.is_over = False, True
    made.pool.work(made.lookout)
    assert made.tree.visits[int(ROOT)] == 5000


def test_totals_of_all_workers(monkeypatch):
    pool = Made(monkeypatch, threads=3).pool
    assert (pool.nodes, pool.mean_depth, pool.deepest) == (0, 0.0, 0)
    rng = random.Random(1)
    for worker in pool.workers:
        worker.totals[:] = [rng.randrange(1000), rng.randrange(9000), rng.randrange(50)]
    nodes = [worker.totals[0] for worker in pool.workers]
    depths = [worker.totals[1] for worker in pool.workers]
    assert pool.nodes == sum(nodes)
    assert pool.mean_depth == sum(depths) / sum(nodes)
    assert pool.deepest == max(worker.totals[2] for worker in pool.workers)
