"""The input of a search: its parameters, its root, and the memory of each thread.

Leaves wait in that memory for their evaluation: a row of 64-bit words for each leaf of a batch.
"""

from typing import NamedTuple, cast
from zlib import crc32

import numpy as np

from engine.network.architecture import Network, Scratch, new_scratch
from engine.network.infer import PLAIN_SHARPNESS
from movegen import Position
from movegen.bits import ONE, U64, ZERO
from movegen.board import Board, board_at
from movegen.compiler.jit import inlined
from movegen.moves import MAX_MOVES

UCB1, PUCT = U64(0), U64(1)
PLAYOUT, NETWORK, CONSTANT, SCATTERED = U64(0), U64(1), U64(2), U64(3)
AT_ROOT, DEEPEST = cast("int", np.int64(0)), 512  # plies below the root
LARGEST_BATCH = 64
LARGEST_BYTE = 255
# The words of a row: six of the board, then these.
LEAF_KEY, LEAF_CLOCK, LEAF_DEPTH, LEAF_IS_OPEN, LEAF_IS_REPEATED = 6, 7, 8, 9, 10


class SearchParams(NamedTuple):
    """How to search."""

    formula: np.uint64  # UCB1 or PUCT
    evaluator: np.uint64  # PLAYOUT or NETWORK; CONSTANT and SCATTERED for benches and tests
    exploration: float  # C of UCB1, c of PUCT
    first_play: float = 0.0  # PUCT: how much less an unvisited move counts than its parent, see selection.first_play_of
    growth: float = 0.0  # PUCT: of c with the visits, see selection.exploration_of
    sharpness: int = PLAIN_SHARPNESS  # of the priors, and of those at the root; see network.infer.sharpness
    root_sharpness: int = PLAIN_SHARPNESS
    solver: np.uint64 = U64(1)  # 1: what replies prove is passed on to the moves before them
    quiescence: np.uint64 = U64(0)  # 1: the network evaluates positions after winning captures, see network.quiescence
    transpositions: np.uint64 = U64(0)  # 1: a new leaf takes the mean of another node of its position, if there is one
    batch: np.uint64 = U64(1)  # leaves that are evaluated together
    deepest: int = DEEPEST  # plies below the root; no node is expanded there


def evaluation_of(params: SearchParams) -> int:
    """A number, not 0, for all that decides what a tree keeps of a position itself: values and priors."""
    return 1 + crc32(f"{params.evaluator} {params.quiescence} {params.sharpness} {params.root_sharpness}".encode())


class Root(NamedTuple):
    """Where the search starts, and what was played before."""

    board: Board
    key: np.uint64
    clock: np.uint64
    past: np.ndarray  # uint64, keys of the game's positions before the root
    boards: np.ndarray  # uint64 [0 to 7, 6], the last boards before the root, the newest first
    repetitions: np.ndarray  # uint8 [1 to 8], how often the root, and each of those boards, had occurred before


def root_of(position: Position) -> Root:
    """The root of a search from this position, with the game before it."""
    past, recent = np.array(position.past_keys, dtype=np.uint64), position.recent
    boards = np.array([board for board, _ in recent], dtype=np.uint64).reshape(len(recent), 6)
    counts = position.past_keys.count(position.key), *(count for _, count in recent)
    repetitions = np.minimum(counts, LARGEST_BYTE).astype(np.uint8)
    return Root(position.board, U64(position.key), U64(position.halfmove_clock), past, boards, repetitions)


class Worker(NamedTuple):
    """The memory of one thread."""

    paths: np.ndarray  # uint64 [LARGEST_BATCH, DEEPEST + 1], the edges from the root to each leaf
    leaves: np.ndarray  # uint64 [LARGEST_BATCH, 11], see engine.mcts.params
    scores: np.ndarray  # int64 [LARGEST_BATCH], of the leaves, in SCORE_UNIT
    draw_shares: np.ndarray  # int64 [LARGEST_BATCH]
    keys: np.ndarray  # uint64 [DEEPEST + 1], of the positions on the present path
    random: np.ndarray  # uint64 [1], state of the random generator
    totals: np.ndarray  # uint64 [3]: visits, sum of leaf depths, deepest
    moves: np.ndarray  # uint16 [MAX_MOVES], of the node that is expanded
    priors: np.ndarray  # uint16 [MAX_MOVES]
    scratch: Scratch


def new_worker(seed: int, network: Network) -> Worker:
    """The memory of a thread."""
    return Worker(
        np.zeros((LARGEST_BATCH, DEEPEST + 1), dtype=np.uint64),
        np.zeros((LARGEST_BATCH, 11), dtype=np.uint64),
        np.zeros(LARGEST_BATCH, dtype=np.int64),
        np.zeros(LARGEST_BATCH, dtype=np.int64),
        np.zeros(DEEPEST + 1, dtype=np.uint64),
        np.array([seed], dtype=np.uint64),
        np.zeros(3, dtype=np.uint64),
        np.zeros(MAX_MOVES, dtype=np.uint16),
        np.zeros(MAX_MOVES, dtype=np.uint16),
        new_scratch(network),
    )


# Leaves that wait for their evaluation


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
    words[LEAF_KEY], words[LEAF_CLOCK], words[LEAF_DEPTH] = key, clock, U64(depth)
    words[LEAF_IS_OPEN], words[LEAF_IS_REPEATED] = ONE if is_open else ZERO, ONE if repeated else ZERO


@inlined
def board_of(worker: Worker, leaf: int) -> Board:
    """The position of a leaf."""
    return board_at(worker.leaves, leaf)


@inlined
def depth_of(worker: Worker, leaf: int) -> int:
    """Plies from the root."""
    return int(worker.leaves[leaf, LEAF_DEPTH])


@inlined
def is_open(worker: Worker, leaf: int) -> bool:
    """Does it need an evaluation? Not if the game ends there or the position is repeated."""
    return bool(worker.leaves[leaf, LEAF_IS_OPEN] != ZERO)


@inlined
def is_repeated(worker: Worker, leaf: int) -> bool:
    """Did the position occur before, since the root?"""
    return bool(worker.leaves[leaf, LEAF_IS_REPEATED] != ZERO)
