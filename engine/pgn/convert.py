"""Positions for python-chess: books and tablebases are read by it."""

import chess

from movegen import Position


def as_chess_board(position: Position) -> chess.Board:
    """The position, without the moves before it."""
    return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)
