"""Conversion between the forms of a position: `Setup` (White's view, plain Python) and `Board` (the mover's, words)."""

from collections.abc import Iterable

import numpy as np

from movegen.bits import U64
from movegen.board import Board
from movegen.fen import Setup

# The planes (diagonal, straight, leaper) of each kind of piece, as drawn in `movegen.board`.
PLANES = {"p": (0, 0, 1), "n": (1, 0, 1), "b": (1, 0, 0), "r": (0, 1, 0), "q": (1, 1, 0), "k": (0, 1, 1)}
LETTERS = {planes: letter for letter, planes in PLANES.items()}


def to_word(squares: Iterable[int]) -> int:
    """Squares as a 64-bit word."""
    return sum(1 << square for square in squares)


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
        to_word(square for square, letter in setup.pieces.items() if PLANES[letter.lower()][plane])
        for plane in range(3)
    ]
    en_passant = 0 if setup.en_passant is None else 1 << setup.en_passant
    words = [to_word(setup.pieces_of(setup.white_to_move)), *planes, to_word(setup.castling_rooks), en_passant]
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
