"""The queue of a network outside the kernels: leaves are collected, evaluated together, and finished.

Each thread of a search has a separate batch, so while one is evaluated others are collected or finished: the
evaluation runs without the interpreter, and batches come back in any order.
"""

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.mcts.collect import collect_leaves
from engine.mcts.collector import Collector, new_collector
from engine.mcts.evaluation_table import new_table
from engine.mcts.finish import drop_leaves, finish_leaves
from engine.mcts.params import NETWORK, PUCT, Root, SearchParams, Worker, new_worker, root_of
from engine.mcts.tree import ROOT, Tree, new_tree
from engine.network.architecture import Network
from engine.network.leaves import Halt, InterruptedEvaluationError, NetEvaluator, new_batch
from movegen import Position
from movegen.bits import ONE
from movegen.compiler.cache import version_folder

LARGEST_OUTSIDE_BATCH = 256
VISITS_PER_LEAF = 16  # of the root, for each leaf more of a batch: in a small tree, leaves at once are a bad choice
LONGEST_BATCH_SECONDS = 0.05  # by the evaluations so far: as long as a search may go on when it is to stop
BATCHES_AT_ONCE = 4  # between two looks at the clock: with one, more of them would be cut
SECONDS_FOR_OTHERS = 0.0005  # to wait where all paths lead to leaves that other threads have
PACE_SHARE = 0.25  # of the last batch in the mean time for a leaf


class Look(NamedTuple):
    """What a network says of a position, for the player to move."""

    win: float
    draw: float
    loss: float
    priors: dict[int, float]  # of the legal moves, by their codes


class NetQueue:
    """A network, what it has said, and the memory of the threads that use it."""

    def __init__(self, net: NetEvaluator) -> None:
        self.net = net
        self.largest = max(1, min(net.batch, LARGEST_OUTSIDE_BATCH))
        self._table = new_table()
        self._free: list[Collector] = []
        self._asked: dict[Halt, Tree] = {}  # evaluations that run, and for which search
        self._pace = 0.0  # seconds for a leaf

    def forget(self) -> None:
        """Drop what the network has said: what is known need not be asked, so the next batches would be others."""
        self._table = new_table()

    # For a search

    def simulate(self, tree: Tree, root: Root, params: SearchParams, worker: Worker, visits: int) -> int:
        """Make visits; -> how many: fewer if the root is proven or threads must stop.

        The number of leaves in a batch is `params.batch`; 0: as many as are good here.
        """
        collector = self._take(int(params.batch) or self.largest)
        try:
            return self._simulate(tree, root, params, worker, collector, visits)
        except BaseException:
            drop_leaves(tree, collector)
            raise
        finally:
            self._free.append(collector)

    def _simulate(
        self, tree: Tree, root: Root, params: SearchParams, worker: Worker, collector: Collector, visits: int
    ) -> int:
        made = 0  # those that were evaluated and are not finished yet included
        while made < visits and not _is_over(tree):
            batch = self.batch_in(tree, params)
            done = int(collect_leaves(tree, root, params, worker, collector, self._table, batch, visits - made))
            waiting = collector.leaves.count
            if waiting and not self._evaluate(tree, collector):
                drop_leaves(tree, collector)
                waiting = 0
            elif not (waiting or done):
                time.sleep(SECONDS_FOR_OTHERS)
            made += done + waiting
        finish_leaves(tree, params, worker, collector, self._table)
        return made

    def batch_in(self, tree: Tree, params: SearchParams) -> int:
        """How many leaves the next batch has at most."""
        if params.batch:
            return int(params.batch)
        in_time = int(LONGEST_BATCH_SECONDS / self._pace) if self._pace else 1
        return max(1, min(self.largest, 1 + int(tree.visits[int(ROOT)]) // VISITS_PER_LEAF, in_time))

    def visits_at_once(self, tree: Tree, params: SearchParams) -> int:
        """How many visits there should be between two looks at the clock: a few batches, or one if they are slow.

        A number asked for is kept however slow they are: the search does not depend on it.
        """
        batch = self.batch_in(tree, params)
        is_slow = not params.batch and self._pace * batch * BATCHES_AT_ONCE > LONGEST_BATCH_SECONDS
        return batch if is_slow else batch * BATCHES_AT_ONCE

    @property
    def pace(self) -> float:
        """Seconds for a leaf, by the evaluations so far."""
        return self._pace

    def interrupt(self, tree: Tree) -> None:
        """End the evaluations for a search that was asked to stop: their leaves are dropped."""
        for halt, searched in list(self._asked.items()):
            if searched is tree:
                halt.ask()

    def _evaluate(self, tree: Tree, collector: Collector) -> bool:
        """Ask the network; -> does the search go on with what it says? Not if it shall stop."""
        begin, halt = time.perf_counter(), Halt()
        self._asked[halt] = tree  # before the look at the tree: `interrupt` comes after what it sees there
        try:
            if tree.prior[int(ROOT)]:
                return False
            self.net.evaluate(collector.leaves, halt)
        except InterruptedEvaluationError:
            return False
        finally:
            del self._asked[halt]
        seconds = (time.perf_counter() - begin) / collector.leaves.count
        self._pace = seconds if not self._pace else self._pace + PACE_SHARE * (seconds - self._pace)
        return True

    def _take(self, capacity: int) -> Collector:
        """Memory for a thread."""
        while self._free:
            try:
                found = self._free.pop()
            except IndexError:  # another thread was faster
                break
            if found.leaves.capacity >= capacity:
                return found
        return new_collector(capacity, self.net.history)

    # For reports

    def look_at(self, positions: list[Position]) -> list[Look]:
        """What the network says of positions in which there is a legal move."""
        looks: list[Look] = []
        for first in range(0, len(positions), self.largest):
            looks += self._look_at(positions[first : first + self.largest])
        return looks

    def _look_at(self, positions: list[Position]) -> list[Look]:
        leaves = new_batch(len(positions))
        leaves.filled[0] = len(positions)
        for leaf, position in enumerate(positions):
            root, codes = root_of(position), position.move_codes
            boards = np.array([root.board, *root.boards], dtype=np.uint64)[: self.net.history]
            leaves.history[leaf, : len(boards)] = boards
            leaves.history_count[leaf] = len(boards)
            leaves.repetitions[leaf, : len(boards)] = root.repetitions[: len(boards)]
            leaves.side[leaf], leaves.clock[leaf] = position.turn == "black", position.halfmove_clock
            leaves.moves[leaf, : len(codes)], leaves.move_count[leaf] = codes, len(codes)
        self.net.evaluate(leaves)
        rows = zip(positions, leaves.values.tolist(), leaves.draws.tolist(), leaves.priors, strict=True)
        return [_look(position, value, draw, priors) for position, value, draw, priors in rows]


def use_queue_kernels(queue: NetQueue, network: Network) -> None:
    """Use every kernel once, so that it is compiled."""
    tree, root = new_tree(1), root_of(Position())
    params = SearchParams(PUCT, NETWORK, 1.0, batch=ONE)
    queue.simulate(tree, root, params, new_worker(1, network), 2)
    drop_leaves(tree, new_collector(1, 1))
    with suppress(OSError):  # it only announces the compiling
        ready_file().touch()


def ready_file() -> Path:
    """A file in the cache that says that these kernels are there."""
    return version_folder(Path(__file__).resolve().parent) / "queue-ready"


def _is_over(tree: Tree) -> bool:
    return bool(tree.proven[int(ROOT)] or tree.prior[int(ROOT)])


def _look(position: Position, value: float, draw: float, priors: np.ndarray) -> Look:
    draw = min(draw, 2 * value, 2 * (1 - value))
    codes = position.move_codes
    return Look(value - draw / 2, draw, 1 - value - draw / 2, dict(zip(codes, priors.tolist(), strict=False)))
