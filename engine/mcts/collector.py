"""What a thread of the queue remembers: the leaves that wait for a network outside the kernels, and its present path.

Such a network may see the boards before a position too: those of the path, and before the root those of the game.
"""

from typing import NamedTuple

import numpy as np

from engine.mcts.params import DEEPEST, LARGEST_BYTE, Root, Worker
from engine.network.leaves import MOST_BOARDS, LeafBatch, new_batch
from movegen.bits import ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined
from movegen.zobrist import colour_of

PAST = MOST_BOARDS - 1  # the place of the root among the boards of a path


class Collector(NamedTuple):
    """The memory of one thread."""

    leaves: LeafBatch
    paths: np.ndarray  # uint64 [2 × capacity, DEEPEST + 1], edges from the root to leaves, then those of collisions
    depths: np.ndarray  # int64 [2 × capacity]
    keys: np.ndarray  # uint64 [capacity], of the leaves
    digests: np.ndarray  # uint64 [capacity], see engine.mcts.evaluation_table
    expands: np.ndarray  # uint8 [capacity], 1 if a node is made of the leaf
    boards: np.ndarray  # uint64 [PAST + DEEPEST + 1, 6], of the path and before it, the newest last
    repetitions: np.ndarray  # uint8 [PAST + DEEPEST + 1], how often each had occurred before
    limits: np.ndarray  # int64 [2]: boards known before the root; boards that the network sees


def new_collector(capacity: int, seen: int) -> Collector:
    """Memory for batches of `capacity` leaves, and a network that sees a number of boards."""
    return Collector(
        new_batch(capacity),
        np.zeros((2 * capacity, DEEPEST + 1), dtype=np.uint64),
        np.zeros(2 * capacity, dtype=np.int64),
        np.zeros(capacity, dtype=np.uint64),
        np.zeros(capacity, dtype=np.uint64),
        np.zeros(capacity, dtype=np.uint8),
        np.zeros((PAST + DEEPEST + 1, 6), dtype=np.uint64),
        np.zeros(PAST + DEEPEST + 1, dtype=np.uint8),
        np.array([0, seen], dtype=np.int64),
    )


@inlined
def write_board(collector: Collector, place: int, board: Board, repetitions: int) -> None:
    """Note the board at a place of the path."""
    words = collector.boards[place]
    words[0], words[1], words[2], words[3], words[4], words[5] = board
    collector.repetitions[place] = np.uint8(min(repetitions, LARGEST_BYTE))


@inlined
def write_past(collector: Collector, root: Root) -> None:
    """Note the root and what came before it."""
    known = min(len(root.boards), PAST)
    collector.limits[0] = known
    write_board(collector, PAST, root.board, int(root.repetitions[0]))
    for age in range(known):
        place = PAST - 1 - age
        for word in range(6):
            collector.boards[place, word] = root.boards[age, word]
        collector.repetitions[place] = root.repetitions[1 + age]


@inlined
def write_leaf(
    collector: Collector, worker: Worker, leaf: int, key: np.uint64, clock: np.uint64, depth: int, found: np.uint64
) -> None:
    """Write what the network sees of a leaf at the end of the path; its moves are those of the worker."""
    leaves, place = collector.leaves, PAST + depth
    count = min(depth + 1 + collector.limits[0], collector.limits[1])
    for age in range(MOST_BOARDS):
        is_seen = age < count
        for word in range(6):
            leaves.history[leaf, age, word] = collector.boards[place - age, word] if is_seen else ZERO
        leaves.repetitions[leaf, age] = collector.repetitions[place - age] if is_seen else np.uint8(0)
    leaves.history_count[leaf], leaves.side[leaf] = np.uint8(count), np.uint8(colour_of(key))
    leaves.clock[leaf] = np.int16(clock)
    for index in range(found):
        leaves.moves[leaf, index] = worker.moves[index]
    leaves.move_count[leaf] = np.int32(found)
