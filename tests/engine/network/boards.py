"""Positions of python-chess as the kernels take them."""

import chess
import numpy as np

from movegen import Position


def board_words(boards):
    """The six words of each board, uint64 [n, 6]."""
    return np.array([Position(b.fen(en_passant="fen"), chess960=True).board for b in boards], dtype=np.uint64)


def code_to_move(code, board):
    """A move of the kernels, seen by its player, as python-chess writes it (castling as king takes rook)."""
    flip = 0 if board.turn else 56
    kind = int(code) >> 12
    promotion = kind - 4 + chess.KNIGHT if kind >= 4 else None
    return chess.Move(int(code) & 63 ^ flip, int(code) >> 6 & 63 ^ flip, promotion)
