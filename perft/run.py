"""A perft run: take a frontier of positions, share it among threads, add up, tell how far it is."""

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
from perft.frontier import MERGING_PAYS_FROM, Frontier, merged_frontier, plain_frontier
from perft.records import WORDS, new_lines
from perft.table import SHALLOWEST, count_lines

TWO_KINGS = "8/8/8/4k3/8/8/8/K7 w - - 0 1"
MEGABYTE = 1 << 20
CHUNK_SECONDS = 0.05  # of work between two looks at the stop flag
POLL_SECONDS = 0.1
PATIENCE_AFTER_STOP = 1.0  # seconds that threads get to finish what they are at


@dataclass
class Progress:
    """How far a run is."""

    nodes: int  # leaves counted so far
    share: float  # of the work that is done
    seconds: float  # since the start
    counting_seconds: float  # since leaves are counted: before that, equal positions are merged


class Interrupted(Exception):  # noqa: N818  (not an error)
    """The user stopped the run; so many nodes were counted until then."""

    def __init__(self, nodes: int) -> None:
        super().__init__(f"interrupted after {nodes} nodes")
        self.nodes = nodes


@contextmanager
def counted_before(nodes: int) -> Iterator[None]:
    """What an interruption tells includes these nodes too."""
    try:
        yield
    except Interrupted as interruption:
        raise Interrupted(nodes + interruption.nodes) from None
    except KeyboardInterrupt:
        raise Interrupted(nodes) from None


def _nobody(_progress: Progress) -> None:
    pass


def _never() -> bool:
    return False


def load_kernels(with_memory: bool) -> None:
    """Have everything compiled that a count needs, so that its time is that of counting."""
    Counter(hash_megabytes=int(with_memory)).perft(Position(TWO_KINGS), MERGING_PAYS_FROM)


@dataclass
class Counter:
    """Counts leaves with so many threads and so much memory (0: none, every leaf is really visited)."""

    threads: int = 1
    hash_megabytes: int = 0
    watcher: Callable[[Progress], None] = _nobody
    should_stop: Callable[[], bool] = _never  # asked while threads count

    def perft(self, position: Position, depth: int) -> int:
        """The number of leaves at a depth. `Interrupted` if Ctrl-C is pressed or `should_stop` says so."""
        if depth == 0:
            return 1
        started = time.monotonic()
        with counted_before(0):
            frontier = self._frontier(position, depth)
        if frontier.count == 0:
            return 0
        return _Run(frontier, depth - frontier.ply, self.hash_megabytes > 0).finish(self, started)

    def _frontier(self, position: Position, depth: int) -> Frontier:
        if self.hash_megabytes:
            return merged_frontier(position, depth, self.hash_megabytes * MEGABYTE // CACHE_LINE_BYTES)
        return plain_frontier(position, depth)


class _Run:
    """One frontier on its way to the leaves."""

    def __init__(self, frontier: Frontier, depth: int, with_table: bool) -> None:
        self.frontier = frontier
        self.depth = depth
        self.table = frontier.free if with_table and depth >= SHALLOWEST else new_lines(0)
        self.table.fill(0)
        self.nodes = 0
        self.next_line = 0
        self.lines_done = 0
        self.began = time.monotonic()
        self.stopped = False
        self.failure: BaseException | None = None
        self.lock = threading.Lock()

    def finish(self, counter: Counter, started: float) -> int:
        """Count everything with the counter's threads, and return the number of leaves."""
        self._count(0, 0)  # compile before the threads start
        self.began = time.monotonic()
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(counter.threads)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                while worker.is_alive():
                    worker.join(POLL_SECONDS)
                    counter.watcher(self._progress(started))
                    if worker.is_alive() and counter.should_stop():
                        self._interrupt(workers)
            counter.watcher(self._progress(started))
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

    def _progress(self, started: float) -> Progress:
        now = time.monotonic()
        return Progress(self.nodes, self.lines_done / self.frontier.count, now - started, now - self.began)

    def _work(self) -> None:
        chunk = 1
        try:
            while not self.stopped:
                with self.lock:
                    first = self.next_line
                    last = self.next_line = min(first + chunk, self.frontier.count)
                if first == last:
                    return
                begin = time.perf_counter()
                nodes = self._count(first, last)
                seconds = time.perf_counter() - begin
                with self.lock:
                    self.nodes += nodes
                    self.lines_done += last - first
                chunk = max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / max(seconds, 1e-6))))
        except BaseException as error:  # noqa: BLE001  (raised again by `finish`, in the main thread)
            self.failure = error

    def _count(self, first: int, last: int) -> int:
        words = np.zeros(3, dtype=np.uint64)
        slots = U64(self.table.size // WORDS)
        count_lines(self.frontier.memory, U64(first), U64(last), U64(self.depth), self.table, slots, words)
        return sum(int(word) << 64 * place for place, word in enumerate(words))
