"""The board as the kernels see it: six 64-bit words, always from the side of the player to move.

The player to move owns `own` and plays upwards; after each move the board is turned upside down. So
there is one code path for both colours. Three planes encode the kind of a piece:

              pawn  knight  bishop  rook  queen  king
    diagonal   .      x       x      .      x     .
    straight   .      .       .      x      x     x
    leaper     x      x       .      .      .     x

Numba passes a named tuple of words in registers, so `board.own` costs nothing.
`Setup` (`movegen.fen`) is the same in plain Python, from White's side; the two are converted into each other here.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from movegen.bits import U64, Bitboard, flip, lowest_square
from movegen.compiler.jit import inlined
from movegen.fen import Setup
from movegen.geometry import squares_to_bits

# The planes (diagonal, straight, leaper) of each kind of piece, as drawn in `movegen.board`.
PLANES = {"p": (0, 0, 1), "n": (1, 0, 1), "b": (1, 0, 0), "r": (0, 1, 0), "q": (1, 1, 0), "k": (0, 1, 1)}
LETTERS = {planes: letter for letter, planes in PLANES.items()}


class Board(NamedTuple):
    """The pieces, the right to castle and the right to capture en passant."""

    own: Bitboard  # all pieces of the player to move
    diagonal: Bitboard  # both colours, as drawn above
    straight: Bitboard
    leaper: Bitboard
    castling: Bitboard  # rooks that may still castle, both colours
    en_passant: Bitboard  # the square a pawn may be captured on; empty unless the capture is legal


@inlined
def board_at(rows: np.ndarray, index: int) -> Board:
    """The board in the first six words of a row."""
    words = rows[index]
    return Board(words[0], words[1], words[2], words[3], words[4], words[5])


@inlined
def occupied_squares(board: Board) -> Bitboard:
    """All pieces of both colours."""
    return board.diagonal | board.straight | board.leaper


@inlined
def pawns(board: Board) -> Bitboard:
    """The pawns of both colours."""
    return board.leaper & ~(board.diagonal | board.straight)


@inlined
def knights(board: Board) -> Bitboard:
    """The knights of both colours."""
    return board.leaper & board.diagonal


@inlined
def kings(board: Board) -> Bitboard:
    """The two kings."""
    return board.leaper & board.straight


@inlined
def diagonal_sliders(board: Board) -> Bitboard:
    """Bishops and queens of both colours."""
    return board.diagonal & ~board.leaper


@inlined
def straight_sliders(board: Board) -> Bitboard:
    """Rooks and queens of both colours."""
    return board.straight & ~board.leaper


@inlined
def own_king(board: Board) -> Bitboard:
    """The square of the king of the player to move."""
    return lowest_square(board.own & kings(board))


@inlined
def turned(board: Board) -> Board:
    """The same position with the other player to move, seen from that side."""
    return Board(
        flip(occupied_squares(board) & ~board.own),
        flip(board.diagonal),
        flip(board.straight),
        flip(board.leaper),
        flip(board.castling),
        flip(board.en_passant),
    )


# To and from a setup


def to_squares(word: int) -> list[int]:
    """The squares of a 64-bit word, in order."""
    return [square for square in range(64) if word >> square & 1]


def upside_down(word: int) -> int:
    """The squares of a word as the other player sees them."""
    return int.from_bytes(word.to_bytes(8, "little"), "big")


def as_words(board: Iterable[int | np.uint64]) -> Board:
    """A board for kernels from what a kernel returned: numba hands 64-bit words back as Python numbers."""
    return Board(*map(U64, board))


def board_from_setup(setup: Setup) -> Board:
    """The board for kernels. Its en-passant square is the setup's, legal or not."""
    planes = [
        squares_to_bits(square for square, letter in setup.pieces.items() if PLANES[letter.lower()][plane])
        for plane in range(3)
    ]
    en_passant = 0 if setup.en_passant is None else 1 << setup.en_passant
    words = [
        squares_to_bits(setup.pieces_of(setup.white_to_move)),
        *planes,
        squares_to_bits(setup.castling_rooks),
        en_passant,
    ]
    if not setup.white_to_move:
        words = [upside_down(word) for word in words]
    return as_words(words)


def setup_from_board(board: Board, white_to_move: bool) -> Setup:
    """The setup of a board, without counters."""
    words = [int(word) if white_to_move else upside_down(int(word)) for word in board]
    own, diagonal, straight, leaper, castling, en_passant = words
    setup = Setup(white_to_move=white_to_move, castling_rooks=set(to_squares(castling)))
    for square in to_squares(diagonal | straight | leaper):
        letter = LETTERS[diagonal >> square & 1, straight >> square & 1, leaper >> square & 1]
        setup.pieces[square] = letter.upper() if (own >> square & 1 == 1) == white_to_move else letter
    if en_passant:
        setup.en_passant = en_passant.bit_length() - 1
    return setup
