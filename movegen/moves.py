"""A move in 16 bits, seen by the player who makes it.

     15    12 11         6 5          0
    +--------+------------+------------+
    |  kind  |   target   |   origin   |
    +--------+------------+------------+

Castling is written as king takes own rook, which is unambiguous in Chess960 too.
"""

from typing import TypeAlias

import numpy as np

from movegen.bits import U64, Square
from movegen.compiler.buffers import Buffer, load_16, stack_buffer, store_16
from movegen.compiler.jit import inlined

Move: TypeAlias = np.uint64

NORMAL, DOUBLE_PUSH, EN_PASSANT, CASTLING = U64(0), U64(1), U64(2), U64(3)
PROMOTE_KNIGHT, PROMOTE_BISHOP, PROMOTE_ROOK, PROMOTE_QUEEN = U64(4), U64(5), U64(6), U64(7)

TARGET_SHIFT, KIND_SHIFT = U64(6), U64(12)
SQUARE_MASK, KIND_MASK = U64(63), U64(0xF000)
NO_MOVE = U64(0xFFFF)
BOTH_SQUARES_UPSIDE_DOWN = 56 << 6 | 56

# The king and 15 queens of 27 moves each, and both castlings: no 16 pieces can do more.
MAX_MOVES = 8 + 2 + 15 * 27

# Of a buffer of moves: load_move(buffer, index) -> move, store_move(buffer, index, move).
load_move, store_move = load_16, store_16


@stack_buffer(np.uint16, MAX_MOVES)
def move_buffer() -> Buffer:
    """Room for all moves of a position, until the calling kernel returns."""
    return np.zeros(MAX_MOVES, dtype=np.uint16)


@inlined
def origin_of(move: Move) -> Square:
    """The square the piece leaves."""
    return move & SQUARE_MASK


@inlined
def target_of(move: Move) -> Square:
    """The square the piece goes to; in castling, the square of the rook."""
    return move >> TARGET_SHIFT & SQUARE_MASK


@inlined
def kind_of(move: Move) -> np.uint64:
    """NORMAL … PROMOTE_QUEEN."""
    return move >> KIND_SHIFT


@inlined
def encode(origin: Square, target: Square, kind: np.uint64) -> Move:
    """The move as one number."""
    return origin | target << TARGET_SHIFT | kind << KIND_SHIFT
