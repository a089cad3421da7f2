"""Leaves that wait for their evaluation: a row of 64-bit words for each leaf of a batch."""

import numpy as np

from engine.mcts.params import Worker
from movegen.bits import ONE, U64, ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined

# The words of a row: six of the board, then these.
KEY, CLOCK, DEPTH, IS_OPEN, IS_REPEATED = 6, 7, 8, 9, 10


@inlined
def keep_leaf(
    worker: Worker,
    leaf: int,
    board: Board,
    key: np.uint64,
    clock: np.uint64,
    depth: int,
    is_open: bool,
    repeated: bool,
) -> None:
    """Write the row of a leaf."""
    words = worker.leaves[leaf]
    words[0], words[1], words[2], words[3], words[4], words[5] = board
    words[KEY], words[CLOCK], words[DEPTH] = key, clock, U64(depth)
    words[IS_OPEN], words[IS_REPEATED] = ONE if is_open else ZERO, ONE if repeated else ZERO


@inlined
def board_of(worker: Worker, leaf: int) -> Board:
    """The position of a leaf."""
    words = worker.leaves[leaf]
    return Board(words[0], words[1], words[2], words[3], words[4], words[5])


@inlined
def depth_of(worker: Worker, leaf: int) -> int:
    """Plies from the root."""
    return int(worker.leaves[leaf, DEPTH])


@inlined
def is_open(worker: Worker, leaf: int) -> bool:
    """Does it need an evaluation? Not if the game ends there or the position is repeated."""
    return bool(worker.leaves[leaf, IS_OPEN] != ZERO)


@inlined
def is_repeated(worker: Worker, leaf: int) -> bool:
    """Did the position occur before, since the root?"""
    return bool(worker.leaves[leaf, IS_REPEATED] != ZERO)
