"""A perft run: share a frontier of positions among threads, add up the counts, report progress."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from movegen import Position
from movegen.bits import U64
from movegen.compiler.memory import CACHE_LINE_BYTES
from perft.count import SHALLOWEST, count_records
from perft.frontier import MERGING_PAYS_FROM, Frontier, merged_frontier, plain_frontier
from perft.records import WORDS, new_records

TWO_KINGS = "8/8/8/4k3/8/8/8/K7 w - - 0 1"
MEGABYTE = 1 << 20
SECONDS_PER_CHUNK = 0.05  # of work between two checks of the stop flag
SECONDS_BETWEEN_REPORTS = 0.1
PATIENCE_AFTER_STOP = 1.0  # seconds for threads to finish their chunk


@dataclass
class CountProgress:
    """The progress of a run."""

    nodes: int  # leaves counted so far
    share: float  # of the work that is done
    counting_seconds: float  # since counting began: before that, equal positions are merged


class Interrupted(Exception):  # noqa: N818  (not an error)
    """The user stopped the run after `nodes` nodes."""

    def __init__(self, nodes: int) -> None:
        super().__init__(f"interrupted after {nodes} nodes")
        self.nodes = nodes


@contextmanager
def counted_before(nodes: int) -> Iterator[None]:
    """Add these nodes to those that an interruption reports."""
    try:
        yield
    except Interrupted as interruption:
        raise Interrupted(nodes + interruption.nodes) from None
    except KeyboardInterrupt:
        raise Interrupted(nodes) from None


def _no_watcher(_progress: CountProgress) -> None:
    pass


def _never() -> bool:
    return False


def load_kernels(with_memory: bool) -> None:
    """Compile all kernels that a count needs, so that they do not add to its time."""
    Counter(hash_megabytes=int(with_memory)).perft(Position(TWO_KINGS), MERGING_PAYS_FROM)


@dataclass
class Counter:
    """Counts leaves with these threads and this much memory (0: none, every leaf is visited)."""

    threads: int = 1
    hash_megabytes: int = 0
    watcher: Callable[[CountProgress], None] = _no_watcher
    should_stop: Callable[[], bool] = _never  # asked while threads count

    def perft(self, position: Position, depth: int) -> int:
        """The number of leaves at a depth. `Interrupted` if Ctrl-C is pressed or `should_stop` says so."""
        if depth == 0:
            return 1
        with counted_before(0):
            frontier = self._frontier(position, depth)
        left = depth - frontier.ply
        table = frontier.free if self.hash_megabytes and left >= SHALLOWEST else new_records(0)
        table.fill(0)
        return self.count_below(frontier.memory, frontier.count, left, table)

    def count_below(self, records: np.ndarray, count: int, depth: int, table: np.ndarray) -> int:
        """The number of leaves below the first `count` positions of records, times their occurrences."""
        return _Run(records, count, depth, table).finish(self) if count else 0

    def _frontier(self, position: Position, depth: int) -> Frontier:
        if self.hash_megabytes:
            return merged_frontier(position, depth, self.hash_megabytes * MEGABYTE // CACHE_LINE_BYTES)
        return plain_frontier(position, depth)


class _Run:
    """The count of the leaves below some positions."""

    def __init__(self, records: np.ndarray, count: int, depth: int, table: np.ndarray) -> None:
        self.records, self.count, self.depth = records, count, depth
        self.table = table if depth >= SHALLOWEST else new_records(0)
        self.nodes = 0
        self.next_record = 0
        self.records_done = 0
        self.began = time.monotonic()
        self.stopped = False
        self.failure: BaseException | None = None
        self.lock = threading.Lock()

    def finish(self, counter: Counter) -> int:
        """Count everything with the counter's threads, and return the number of leaves."""
        self._count(0, 0)  # compile before the threads start
        self.began = time.monotonic()
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(counter.threads)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                while worker.is_alive():
                    worker.join(SECONDS_BETWEEN_REPORTS)
                    counter.watcher(self._progress())
                    if worker.is_alive() and counter.should_stop():
                        self._interrupt(workers)
            counter.watcher(self._progress())
        except KeyboardInterrupt:
            self._interrupt(workers)
        if self.failure is not None:
            raise self.failure
        return self.nodes

    def _interrupt(self, workers: list[threading.Thread]) -> NoReturn:
        """Stop the threads, and report what they have counted."""
        self.stopped = True
        deadline = time.monotonic() + PATIENCE_AFTER_STOP
        for worker in workers:
            worker.join(max(0.0, deadline - time.monotonic()))
        with self.lock:
            raise Interrupted(self.nodes) from None

    def _progress(self) -> CountProgress:
        share = self.records_done / self.count
        return CountProgress(self.nodes, share, time.monotonic() - self.began)

    def _work(self) -> None:
        chunk = 1
        try:
            while not self.stopped:
                with self.lock:
                    first = self.next_record
                    last = self.next_record = min(first + chunk, self.count)
                if first == last:
                    return
                begin = time.perf_counter()
                nodes = self._count(first, last)
                seconds = time.perf_counter() - begin
                with self.lock:
                    self.nodes += nodes
                    self.records_done += last - first
                chunk = max(1, min(2 * chunk, int(chunk * SECONDS_PER_CHUNK / max(seconds, 1e-6))))
        except BaseException as error:  # noqa: BLE001  (raised again by `finish`, in the main thread)
            self.failure = error

    def _count(self, first: int, last: int) -> int:
        words = np.zeros(3, dtype=np.uint64)
        slots = U64(self.table.size // WORDS)
        count_records(self.records, U64(first), U64(last), U64(self.depth), self.table, slots, words)
        return sum(int(word) << 64 * index for index, word in enumerate(words))
