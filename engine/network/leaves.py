"""What a search and a network of another program exchange: a batch of leaves, and what the network says of them.

The search fills in positions, the network values and priors. Each thread has separate batches.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from movegen.moves import MAX_MOVES

MOST_BOARDS = 8  # that a network may see: the position and those before it
MOST_MOVES = MAX_MOVES


class LeafBatch(NamedTuple):
    """Arrays for up to `capacity` leaves, of which the first `count` are filled in."""

    filled: np.ndarray  # int64 [1], see `count`
    # Of the search:
    history: np.ndarray  # uint64 [capacity, 8, 6], boards, the newest first, each seen by its player to move; else 0
    history_count: np.ndarray  # uint8 [capacity], how many boards there are: 1 to 8
    repetitions: np.ndarray  # uint8 [capacity, 8], how often each position had occurred before, then
    side: np.ndarray  # uint8 [capacity], the player to move: 0 White, 1 Black
    clock: np.ndarray  # int16 [capacity], half-moves since the last capture or pawn move
    moves: np.ndarray  # uint16 [capacity, MOST_MOVES], the legal moves; at least one
    move_count: np.ndarray  # int32 [capacity]
    # Of the network:
    values: np.ndarray  # float32 [capacity], expected score of the player to move, 0 to 1
    draws: np.ndarray  # float32 [capacity], probability of a draw; 0 where the network gives none
    priors: np.ndarray  # float32 [capacity, MOST_MOVES], of the moves: at least 0, their sum is 1

    @property
    def count(self) -> int:  # type: ignore[override]  # of a tuple; nobody counts arrays
        """How many leaves there are."""
        return int(self.filled[0])

    @property
    def capacity(self) -> int:
        """How many leaves there may be."""
        return len(self.side)


def new_batch(capacity: int) -> LeafBatch:
    """An empty batch."""
    return LeafBatch(
        filled=np.zeros(1, dtype=np.int64),
        history=np.zeros((capacity, MOST_BOARDS, 6), dtype=np.uint64),
        history_count=np.zeros(capacity, dtype=np.uint8),
        repetitions=np.zeros((capacity, MOST_BOARDS), dtype=np.uint8),
        side=np.zeros(capacity, dtype=np.uint8),
        clock=np.zeros(capacity, dtype=np.int16),
        moves=np.zeros((capacity, MOST_MOVES), dtype=np.uint16),
        move_count=np.zeros(capacity, dtype=np.int32),
        values=np.zeros(capacity, dtype=np.float32),
        draws=np.zeros(capacity, dtype=np.float32),
        priors=np.zeros((capacity, MOST_MOVES), dtype=np.float32),
    )


class InterruptedEvaluationError(Exception):
    """An evaluation was ended before its result was there."""


class Halt:
    """By which a thread ends an evaluation that runs, or is about to begin, in another one."""

    def __init__(self) -> None:
        self.is_asked = False
        self._end: Callable[[], object] | None = None

    def ask(self) -> None:
        """End it soon, if the network can."""
        self.is_asked = True
        if self._end is not None:
            self._end()

    def begin(self, end: Callable[[], object]) -> None:
        """It begins, and `end` will end it. `InterruptedEvaluationError` if that was asked for already."""
        self._end = end  # first: who asks from now on calls it
        if self.is_asked:
            raise InterruptedEvaluationError


class NetEvaluator(Protocol):
    """A network that evaluates leaves outside the kernels."""

    name: str
    """For people, short."""
    digest: str
    """Of the file: two networks with the same digest say the same."""
    history: int
    """How many boards it sees, 1 to 8: only these matter."""
    batch: int
    """The best number of leaves for one call on this machine."""
    workers: int
    """Calls that should run at once even if the search has one thread: 1, or 2 where a GPU would else wait."""

    def evaluate(self, leaves: LeafBatch, halt: Halt | None = None) -> None:
        """Write value, draws and priors of the leaves. May be called by several threads at once, for their batches.

        If `halt` asks, it may raise `InterruptedEvaluationError` instead.
        """
