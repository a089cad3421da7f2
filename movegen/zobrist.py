"""Keys of positions: two positions have the same key exactly when they are the same for the rules.

The same means: the same pieces on the same squares, side to move, castling rights, and en-passant
capture (if it is legal), which is python-chess's transposition key. Keys are kept in absolute terms
(White's view), so a position and its mirror image differ. The lowest bit is the side to move.
"""

import random

import numpy as np

from movegen.bits import ONE, U64, ZERO, Bitboard, Square, lowest_square, without_lowest
from movegen.board import Board, occupied_squares
from movegen.compiler.jit import inlined, kernel, lookup
from movegen.geometry import FILE_MASK, UPSIDE_DOWN

# Layout of the table: 64 words for each colour and kind of piece, then castling rooks, then en-passant files.
COLOUR_SHIFT, PIECE_KIND_SHIFT = U64(9), U64(6)
CASTLING_OFFSET, EN_PASSANT_OFFSET = U64(1024), U64(1088)

# Added to the key when the turn changes: the only word with the lowest bit set.
TURN = U64(random.Random("turn").getrandbits(64) | 1)
BLACK_TO_MOVE = ONE


def _random_words(count: int) -> np.ndarray:
    generator = random.Random("Teresa")
    return np.array([generator.getrandbits(64) & ~1 for _ in range(count)], dtype=np.uint64)


_words = lookup("zobrist_words", _random_words(1096))


@inlined
def colour_of(key: np.uint64) -> np.uint64:
    """The player to move: 0 White, 1 Black."""
    return key & BLACK_TO_MOVE


@inlined
def absolute(square: Square, colour: np.uint64) -> Square:
    """A square as White sees it, given how the player of this colour sees it."""
    return square ^ colour * UPSIDE_DOWN


@inlined
def piece_key(colour: np.uint64, kind: np.uint64, square: Square) -> np.uint64:
    """A piece of this colour and kind (see `kind_at`) on an absolute square."""
    return _words(colour << COLOUR_SHIFT | kind << PIECE_KIND_SHIFT | square)


@inlined
def castling_key(rooks: Bitboard, colour: np.uint64) -> np.uint64:
    """The rights to castle with these rooks, seen by the player of this colour."""
    key = ZERO
    while rooks:
        key ^= _words(CASTLING_OFFSET + absolute(lowest_square(rooks), colour))
        rooks = without_lowest(rooks)
    return key


@inlined
def en_passant_key(squares: Bitboard) -> np.uint64:
    """The right to capture on this square, if any."""
    if squares:
        return _words(EN_PASSANT_OFFSET + (lowest_square(squares) & FILE_MASK))
    return ZERO


@inlined
def kind_at(board: Board, square: Square) -> np.uint64:
    """The kind of piece on a square: its bits of the three planes; 0 where the square is empty."""
    return (
        (board.diagonal >> square & ONE) << U64(2)
        | (board.straight >> square & ONE) << ONE
        | (board.leaper >> square & ONE)
    )


@kernel
def key_from_scratch(board: Board, colour: np.uint64) -> np.uint64:
    """The key of a position, computed from scratch."""
    key = castling_key(board.castling, colour) ^ en_passant_key(board.en_passant)
    if colour:
        key ^= TURN
    pieces = occupied_squares(board)
    while pieces:
        square = lowest_square(pieces)
        owner = colour if board.own >> square & ONE else colour ^ ONE
        key ^= piece_key(owner, kind_at(board, square), absolute(square, colour))
        pieces = without_lowest(pieces)
    return key
