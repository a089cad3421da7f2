"""What a search is given: how to search, where from, and the memory of each thread."""

from typing import NamedTuple

import numpy as np

from movegen.bits import U64
from movegen.board import Board

UCB1, PUCT = U64(0), U64(1)
PLAYOUT, CONSTANT, SCATTERED = U64(0), U64(1), U64(2)
DEEPEST = 512  # plies below the root


class Settings(NamedTuple):
    """How to search."""

    formula: np.uint64  # UCB1 or PUCT
    evaluator: np.uint64  # PLAYOUT; CONSTANT and SCATTERED for benches and tests
    exploration: float  # C of UCB1, c of PUCT
    first_play: float  # PUCT: an unvisited move counts as its parent's Q less this
    solver: np.uint64 = U64(1)  # 1: what replies prove is passed on to the moves before them


class Root(NamedTuple):
    """Where the search starts, and what was played before."""

    board: Board
    key: np.uint64
    clock: np.uint64
    past: np.ndarray  # uint64, keys of the game's positions before the root


class Worker(NamedTuple):
    """What a thread has for itself."""

    edges: np.ndarray  # uint64 [DEEPEST + 1], the way from the root to the leaf
    keys: np.ndarray  # uint64 [DEEPEST + 1], of the positions on the way
    random: np.ndarray  # uint64 [1], state of the random generator
    totals: np.ndarray  # uint64 [3]: visits, sum of leaf depths, deepest


def new_worker(seed: int) -> Worker:
    """The memory of a thread."""
    return Worker(
        np.zeros(DEEPEST + 1, dtype=np.uint64),
        np.zeros(DEEPEST + 1, dtype=np.uint64),
        np.array([seed], dtype=np.uint64),
        np.zeros(3, dtype=np.uint64),
    )
