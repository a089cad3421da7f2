"""A move in 16 bits, seen by the player who makes it, and what becomes of the moves that the generator finds.

     15    12 11         6 5          0
    +--------+------------+------------+
    |  kind  |   target   |   origin   |
    +--------+------------+------------+

Castling is written as king takes own rook, which is unambiguous in Chess960 too.

`purpose` is a constant in each use of the generator, so the compiler keeps only one branch:

    COUNT   add up the sizes of the target sets
    LIST    write every move into the buffer
    SAMPLE  write (target set, origin) pairs into the buffer, from which one move can be picked
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from movegen.bits import FOUR, ONE, TWO, U64, ZERO, Bitboard, Square, lowest_square, popcount, without_lowest
from movegen.compiler.jit import inlined
from movegen.compiler.memory import Buffer, load_16, stack_buffer, store_16, store_64

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

COUNT, LIST, SAMPLE = U64(0), U64(1), U64(2)

# The largest number of sets: one for each of 16 pieces, both castlings, and for pawns one for each direction:
# pushes, double pushes, two captures, three times four promotions, two ways en passant.
MAX_SETS = 16 + 2 + 4 + 12 + 2

# Marks a set of pawn moves that gives the distance from origin to target instead of the origin.
BY_DISTANCE = U64(1 << 16)


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


# What becomes of the moves that are found


class Found(NamedTuple):
    """The number of moves and sets found so far."""

    moves: np.uint64
    sets: np.uint64  # only for SAMPLE


@stack_buffer(np.uint64, 2 * MAX_SETS)
def set_buffer() -> Buffer:
    """Room for sets of moves (two words each), until the calling kernel returns."""
    return np.zeros(2 * MAX_SETS, dtype=np.uint64)


@inlined
def add_set(found: Found, buffer: Buffer, source: np.uint64, targets: Bitboard) -> Found:
    """SAMPLE: write a set of moves into the buffer, two words each."""
    store_64(buffer, found.sets << ONE, targets)
    store_64(buffer, (found.sets << ONE) + ONE, source)
    return Found(found.moves + popcount(targets), found.sets + ONE)


@inlined
def add(purpose: np.uint64, found: Found, buffer: Buffer, origin: Square, targets: Bitboard, kind: np.uint64) -> Found:
    """Add the moves of one piece to all these squares."""
    if purpose == COUNT:
        return Found(found.moves + popcount(targets), ZERO)
    if purpose == SAMPLE:
        return add_set(found, buffer, origin | kind << KIND_SHIFT, targets)
    moves = found.moves
    while targets:
        store_move(buffer, moves, encode(origin, lowest_square(targets), kind))
        moves += ONE
        targets = without_lowest(targets)
    return Found(moves, ZERO)


@inlined
def add_by_distance(
    purpose: np.uint64, found: Found, buffer: Buffer, distance: np.uint64, targets: Bitboard, kind: np.uint64
) -> Found:
    """Add moves of all pawns that reach these squares over the same distance."""
    if purpose == COUNT:
        return Found(found.moves + popcount(targets), ZERO)
    if purpose == SAMPLE:
        return add_set(found, buffer, BY_DISTANCE | distance | kind << KIND_SHIFT, targets)
    moves = found.moves
    while targets:
        square = lowest_square(targets)
        store_move(buffer, moves, encode(square - distance, square, kind))
        moves += ONE
        targets = without_lowest(targets)
    return Found(moves, ZERO)


@inlined
def add_promotions(purpose: np.uint64, found: Found, buffer: Buffer, distance: np.uint64, targets: Bitboard) -> Found:
    """Add the four promotions of all pawns that reach the last rank over the same distance."""
    if purpose == COUNT:
        return Found(found.moves + (popcount(targets) << TWO), ZERO)
    promotion = PROMOTE_KNIGHT
    while promotion < PROMOTE_KNIGHT + FOUR:
        found = add_by_distance(purpose, found, buffer, distance, targets, promotion)
        promotion += ONE
    return found
