"""The 1858 moves of lc0's policies, seen by the player to move, and the moves of the engine among them.

For each origin in order, the targets of a queen and a knight there in order; then the promotions to queen, rook and
bishop by origin, target and piece. Promotion to a knight is the move without a piece. Castling is king takes rook.
"""

from collections.abc import Sequence

import numpy as np

from movegen.moves import (
    CASTLING,
    KIND_SHIFT,
    PROMOTE_BISHOP,
    PROMOTE_KNIGHT,
    PROMOTE_QUEEN,
    PROMOTE_ROOK,
    TARGET_SHIFT,
)

MOVES = 1858
STRAIGHT_AND_DIAGONAL = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # (file, rank)
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
PIECES = (PROMOTE_QUEEN, PROMOTE_ROOK, PROMOTE_BISHOP)


def step(square: int, files: int, ranks: int) -> int | None:
    """The square that many files and ranks away; None: not on the board."""
    file, rank = square % 8 + files, square // 8 + ranks
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def planes_of_steps() -> list[tuple[int, int]]:
    """Files and ranks of the 64 steps with a plane in convolution heads: directions, in each 1 … 7; then jumps."""
    lines = [(files * far, ranks * far) for files, ranks in STRAIGHT_AND_DIAGONAL for far in range(1, 8)]
    return [*lines, *JUMPS]


def can_reach(origin: int, target: int) -> bool:
    """Can a queen or a knight go there on an empty board?"""
    files, ranks = abs(target % 8 - origin % 8), abs(target // 8 - origin // 8)
    return origin != target and (files == 0 or ranks in {0, files} or {files, ranks} == {1, 2})


def all_moves() -> list[tuple[int, int, int]]:
    """Origin, target and promotion (0, or its kind in `movegen.moves`) of all moves in order."""
    plain = [(origin, target, 0) for origin in range(64) for target in range(64) if can_reach(origin, target)]
    promotions = [
        (48 + origin, 56 + target, int(piece))
        for origin in range(8)
        for target in range(max(0, origin - 1), min(8, origin + 2))
        for piece in PIECES
    ]
    return [*plain, *promotions]


def table_of_moves(places: Sequence[int] = range(MOVES)) -> np.ndarray:
    """For each move of the engine (16 bits) its place in a policy, int16; −1 for none. `places`: of the 1858 moves."""
    table = np.full(1 << 15, -1, np.int16)
    for number, (origin, target, promotion) in zip(places, all_moves(), strict=True):
        squares = origin | target << int(TARGET_SHIFT)
        if promotion:
            table[squares | promotion << int(KIND_SHIFT)] = number
        else:
            for kind in (*range(int(CASTLING) + 1), int(PROMOTE_KNIGHT)):
                table[squares | kind << int(KIND_SHIFT)] = number
    return table
