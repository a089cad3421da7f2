"""What becomes of the moves that the generator finds: counted, listed, or kept to draw one of them.

`purpose` is a constant wherever the generator is used, so the compiler keeps only the branch that is meant:

    COUNT  add up the sizes of the target sets
    LIST   write every move into the buffer
    SAMPLE   write (target set, origin) pairs into the buffer, from which one move can be picked
"""

from typing import NamedTuple

import numpy as np

from movegen.bits import FOUR, ONE, TWO, U64, ZERO, Bitboard, Square, lowest_square, popcount, without_lowest
from movegen.compiler.buffers import Buffer, store_move, store_word
from movegen.compiler.jit import inlined
from movegen.moves import KIND_SHIFT, PROMOTE_KNIGHT, encode

COUNT, LIST, SAMPLE = U64(0), U64(1), U64(2)

# Of a set of pawn moves, the origin is told by the distance to the target; this mark says so.
BY_DISTANCE = U64(1 << 16)


class Found(NamedTuple):
    """How much was found so far."""

    moves: np.uint64
    sets: np.uint64  # only when drawing


@inlined
def note_set(found: Found, buffer: Buffer, source: np.uint64, targets: Bitboard) -> Found:
    """SAMPLE: keep a set of moves for later, two words a set."""
    store_word(buffer, found.sets << ONE, targets)
    store_word(buffer, (found.sets << ONE) + ONE, source)
    return Found(found.moves + popcount(targets), found.sets + ONE)


@inlined
def add(purpose: np.uint64, found: Found, buffer: Buffer, origin: Square, targets: Bitboard, kind: np.uint64) -> Found:
    """Add the moves of one piece to all these squares."""
    if purpose == COUNT:
        return Found(found.moves + popcount(targets), ZERO)
    if purpose == SAMPLE:
        return note_set(found, buffer, origin | kind << KIND_SHIFT, targets)
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
        return note_set(found, buffer, BY_DISTANCE | distance | kind << KIND_SHIFT, targets)
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
