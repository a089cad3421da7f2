"""The threads of a search: they simulate in one tree, in small batches, until the search is over."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.mcts.setup import Root, Settings, Worker, new_worker
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import Tree
from engine.network.network import Network
from engine.signals import Signals
from movegen.bits import U64

FIRST_BATCH, LARGEST_BATCH = 8, 4096


class Task(NamedTuple):
    """What is searched, and how."""

    tree: Tree
    root: Root
    network: Network
    settings: Settings

    def new_worker(self, seed: int) -> Worker:
        """The memory of a thread."""
        return new_worker(seed, self.network)

    def simulate(self, worker: Worker, count: int) -> int:
        """-> how many simulations were made; fewer than wanted if the root is proven."""
        return int(simulate_many(self.tree, self.root, self.network, self.settings, worker, U64(count)))


@dataclass
class Crew:
    """Workers at one task. The first works in the thread that calls, the others in threads of their own."""

    task: Task
    workers: Sequence[Worker]
    signals: Signals
    nodes_left: int | None  # simulations that may still be made; None: any number
    batch_seconds: float  # of simulations between two looks at the stop flag
    is_over: bool = False
    _failure: Exception | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, look: Callable[[], None]) -> None:
        """Simulate until the search is over; this thread looks around after each of its batches."""
        helpers = [
            threading.Thread(target=self._help, args=(worker,), name="search helper", daemon=True)
            for worker in self.workers[1:]
        ]
        for helper in helpers:
            helper.start()
        try:
            self._simulate_on(self.workers[0], look)
        finally:
            self.is_over = True
            for helper in helpers:
                helper.join()
        if self._failure is not None:
            raise self._failure

    def _help(self, worker: Worker) -> None:
        try:
            self._simulate_on(worker, lambda: None)
        except Exception as error:  # noqa: BLE001  (raised again where the search ends)
            self._failure = error
            self.is_over = True

    def _simulate_on(self, worker: Worker, look: Callable[[], None]) -> None:
        batch = FIRST_BATCH
        while not (self.is_over or self.signals.is_stopped) and (size := self.take(batch)):
            begin = time.perf_counter()
            made = self.task.simulate(worker, size)
            if made < size:  # the root is proven
                return
            seconds = max(time.perf_counter() - begin, 1e-6)
            batch = max(1, min(LARGEST_BATCH, 2 * batch, int(batch * self.batch_seconds / seconds)))
            look()

    def take(self, wanted: int) -> int:
        """How many simulations a worker may make now, of those that `go nodes` allows."""
        if self.nodes_left is None:
            return wanted
        with self._lock:
            taken = min(wanted, self.nodes_left)
            self.nodes_left -= taken
        return taken

    # How far it is

    @property
    def nodes(self) -> int:
        """Visits made."""
        return sum(int(worker.totals[0]) for worker in self.workers)

    @property
    def mean_depth(self) -> float:
        """Of the leaves."""
        nodes = self.nodes
        return sum(int(worker.totals[1]) for worker in self.workers) / nodes if nodes else 0.0

    @property
    def deepest(self) -> int:
        """The largest depth of a leaf."""
        return max(int(worker.totals[2]) for worker in self.workers)
