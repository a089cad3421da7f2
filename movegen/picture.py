"""A picture of a position, drawn by python-chess: the only use this package makes of it."""

from typing import TYPE_CHECKING

import chess
import chess.svg

if TYPE_CHECKING:
    from movegen.position import Position


def svg(position: "Position", size: int = 360) -> str:
    """The board as SVG, from White's side, a king in check marked."""
    board = chess.Board(position.fen(), chess960=position.chess960)
    in_check = board.king(board.turn) if position.in_check else None
    return str(chess.svg.board(board, check=in_check, size=size))
