"""A picture of a position, drawn by python-chess: its only use in this package."""

import chess
import chess.svg


def svg(fen: str, *, chess960: bool, size: int = 360) -> str:
    """The board as SVG, from White's side, a king in check marked."""
    board = chess.Board(fen, chess960=chess960)
    in_check = board.king(board.turn) if board.is_check() else None
    return str(chess.svg.board(board, check=in_check, size=size))
