"""The board as the kernels see it: six 64-bit words, always from the side of the player to move.

The player to move owns `own` and plays upwards; after each move the board is turned upside down. So
there is one code path for both colours. Three planes encode the kind of a piece:

              pawn  knight  bishop  rook  queen  king
    diagonal   .      x       x      .      x     .
    straight   .      .       .      x      x     x
    leaper     x      x       .      .      .     x

Numba passes a named tuple of words in registers, so `board.own` costs nothing.
"""

from typing import NamedTuple

from movegen.bits import Bitboard, flip, lowest_square
from movegen.compiler.jit import inlined


class Board(NamedTuple):
    """The pieces, the right to castle and the right to capture en passant."""

    own: Bitboard  # all pieces of the player to move
    diagonal: Bitboard  # both colours, as drawn above
    straight: Bitboard
    leaper: Bitboard
    castling: Bitboard  # rooks that may still castle, both colours
    en_passant: Bitboard  # the square a pawn may be captured on; empty unless the capture is legal


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
