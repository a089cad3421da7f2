"""Leaves that wait for their evaluation, as lines of words: what a batch is handed over as, whoever evaluates it."""

import numpy as np

from engine.mcts.params import Worker
from movegen.bits import ONE, U64, ZERO
from movegen.board import Board
from movegen.compiler.jit import inlined

# The words of a line: six of the board, then these.
KEY, CLOCK, DEPTH, IS_OPEN, IS_REPEATED = 6, 7, 8, 9, 10


@inlined
def keep_leaf(
    worker: Worker,
    place: int,
    board: Board,
    key: np.uint64,
    clock: np.uint64,
    depth: int,
    is_open: bool,
    repeated: bool,
) -> None:
    """Write a line."""
    line = worker.leaves[place]
    line[0], line[1], line[2], line[3], line[4], line[5] = board
    line[KEY], line[CLOCK], line[DEPTH] = key, clock, U64(depth)
    line[IS_OPEN], line[IS_REPEATED] = ONE if is_open else ZERO, ONE if repeated else ZERO


@inlined
def board_of(worker: Worker, place: int) -> Board:
    """The position of a leaf."""
    line = worker.leaves[place]
    return Board(line[0], line[1], line[2], line[3], line[4], line[5])


@inlined
def depth_of(worker: Worker, place: int) -> int:
    """Plies from the root."""
    return int(worker.leaves[place, DEPTH])


@inlined
def is_open(worker: Worker, place: int) -> bool:
    """Does it need an evaluation? Not if the game ends there or the position is repeated."""
    return bool(worker.leaves[place, IS_OPEN] != ZERO)


@inlined
def is_repeated(worker: Worker, place: int) -> bool:
    """Did the position stand on the board before, since the root?"""
    return bool(worker.leaves[place, IS_REPEATED] != ZERO)
