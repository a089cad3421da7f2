"""The threads of a search: they simulate in one tree, chunk by chunk, until the search is over."""

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.mcts.fixed_visits import SearchTask, simulate
from engine.mcts.params import Worker
from engine.mcts.reroot import halve
from engine.mcts.tree import MOST_VISITS, ROOT, ask_to_stop
from engine.search.clock import SearchControl

FIRST_CHUNK, LARGEST_CHUNK = 8, 4096
PACE_GROWTH = 1.1  # of the time for a simulation, from chunk to chunk: what exceeds it was spent waiting
VISITS_BETWEEN_MARKS = 8192


class Lookout(NamedTuple):
    """What the first worker does between its chunks."""

    look: Callable[[], None]  # after each chunk
    mark: Callable[[], None]  # after each VISITS_BETWEEN_MARKS, in whole batches: it does not depend on the speed


NO_LOOKOUT = Lookout(lambda: None, lambda: None)


@dataclass
class WorkerPool:
    """Threads that work at one task."""

    task: SearchTask
    workers: Sequence[Worker]
    control: SearchControl
    nodes_left: int | None  # simulations that may still be made; None: any number
    chunk_seconds: float  # of simulations between two looks
    is_over: bool = False
    longest_wait: float = 0.0  # seconds that a worker was kept from its work
    _busy: int = 0
    _failure: Exception | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, lookout: Lookout, watch: Callable[[], None] | None = None) -> None:
        """Simulate until the search is over. Without `watch`: only the first worker, in this thread.

        Else each worker has a thread, and this one calls `watch`, which returns once `is_working` is false.
        """
        ask_to_stop(self.task.tree, shall_stop=self.is_over)
        try:
            self._work_until_full(lookout, watch)
            while self._is_full and not (self.is_over or self.control.is_stopped):
                halve(self.task.tree)
                self._work_until_full(lookout, watch)
        finally:
            ask_to_stop(self.task.tree, shall_stop=False)
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        """Stop all workers at their next leaf; they do not wait for a network outside the kernels."""
        self.is_over = True
        ask_to_stop(self.task.tree, shall_stop=True)
        if self.task.queue is not None:
            self.task.queue.interrupt(self.task.tree)

    @property
    def is_working(self) -> bool:
        """Is one of the threads still running?"""
        return self._busy > 0

    @property
    def _is_full(self) -> bool:
        return int(self.task.tree.visits[int(ROOT)]) >= MOST_VISITS

    def _work_until_full(self, lookout: Lookout, watch: Callable[[], None] | None) -> None:
        if watch is None:
            self._simulate_chunks(self.workers[0], lookout)
            return
        lookouts = [lookout] + [NO_LOOKOUT] * (len(self.workers) - 1)
        threads = [
            threading.Thread(target=self._run_worker, args=pair, name="search worker", daemon=True)
            for pair in zip(self.workers, lookouts, strict=True)
        ]
        started = list(itertools.takewhile(self._is_started, threads))
        if not started:
            raise RuntimeError("no thread can be started")
        try:
            watch()
        except BaseException:
            self.end()
            raise
        finally:
            for thread in started:
                thread.join()

    def _is_started(self, thread: threading.Thread) -> bool:
        """Start a thread; -> was it possible? If the system allows no more, the others do the work."""
        with self._lock:
            self._busy += 1
        try:
            thread.start()
        except RuntimeError:
            with self._lock:
                self._busy -= 1
            return False
        return True

    def _run_worker(self, worker: Worker, lookout: Lookout) -> None:
        try:
            self._simulate_chunks(worker, lookout)
        except Exception as error:  # noqa: BLE001  (raised again where the search ends)
            self._failure = error
            self.end()
        finally:
            with self._lock:
                self._busy -= 1
            self.control.wake()

    def _simulate_chunks(self, worker: Worker, lookout: Lookout) -> None:
        """Simulate until the search is over; the chunks grow or shrink until one takes `chunk_seconds`."""
        chunk, pace, done = FIRST_CHUNK, 0.0, 0
        between_marks = VISITS_BETWEEN_MARKS if self.task.queue else self._in_whole_batches(VISITS_BETWEEN_MARKS)
        while not (self.is_over or self.control.is_stopped or self._is_full):
            size = self.take(min(self._in_whole_batches(chunk), between_marks - done % between_marks))
            begin = time.perf_counter()
            if not size or simulate(self.task, worker, size) < size:
                return
            seconds = max(time.perf_counter() - begin, 1e-6)
            pace = min(seconds / size, pace * PACE_GROWTH if pace else 1.0)
            if self.task.queue is None:  # visits there take as long as they do: some need the network, some not
                self.longest_wait = max(self.longest_wait, seconds - size * pace)
            chunk = max(1, min(LARGEST_CHUNK, 2 * chunk, int(self.chunk_seconds / pace)))
            done += size
            if done % between_marks == 0:
                lookout.mark()
            lookout.look()

    def _in_whole_batches(self, count: int) -> int:
        """A number of simulations near `count` in which no batch is cut; at least one batch.

        With a network outside the kernels a few batches, so that a search does not depend on its speed.
        """
        queue, params = self.task.queue, self.task.params
        if queue is not None:
            return queue.visits_at_once(self.task.tree, params)
        batch = int(params.batch)
        return max(1, count // batch) * batch

    def take(self, wanted: int) -> int:
        """Return how many simulations a worker may make now, of those that are left."""
        if self.nodes_left is None:
            return wanted
        with self._lock:
            taken = min(wanted, self.nodes_left)
            self.nodes_left -= taken
        return taken

    # Totals of all workers

    @property
    def nodes(self) -> int:
        """Visits made."""
        return sum(int(worker.totals[0]) for worker in self.workers)

    @property
    def mean_depth(self) -> float:
        """The mean depth of the leaves."""
        nodes = self.nodes
        return sum(int(worker.totals[1]) for worker in self.workers) / nodes if nodes else 0.0

    @property
    def deepest(self) -> int:
        """The largest depth of a leaf."""
        return max(int(worker.totals[2]) for worker in self.workers)
