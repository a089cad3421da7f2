"""Chess for the textbook search, through python-chess."""

from functools import cached_property
from typing import Literal

import chess


class ChessState:
    """A position of chess. White is max."""

    score_limit = 1.0

    def __init__(self, board: chess.Board | None = None) -> None:
        self.board = chess.Board() if board is None else board

    @property
    def current_player(self) -> Literal["white", "black"]:
        """Whose turn it is."""
        return "white" if self.board.turn else "black"

    @property
    def is_max_turn(self) -> bool:
        """Is it White's turn?"""
        return self.board.turn

    @cached_property
    def _outcome(self) -> chess.Outcome | None:
        """Mate, stalemate, insufficient material, and the draws a player may claim: 50 moves, threefold repetition."""
        outcome = self.board.outcome()
        if outcome is None and (self.board.is_fifty_moves() or self.board.is_repetition(3)):
            return chess.Outcome(chess.Termination.FIFTY_MOVES, None)
        return outcome

    @property
    def is_game_over(self) -> bool:
        """Has the game ended?"""
        return self._outcome is not None

    @property
    def current_score(self) -> float:
        """1 if White has won, −1 if Black has, else 0."""
        if self._outcome is None or self._outcome.winner is None:
            return 0.0
        return 1.0 if self._outcome.winner else -1.0

    @cached_property
    def valid_actions(self) -> list[chess.Move]:
        """The legal moves, none once the game is over."""
        return [] if self.is_game_over else list(self.board.legal_moves)

    def perform(self, action: chess.Move) -> "ChessState":
        """The position after a move."""
        board = self.board.copy()
        board.push(action)
        return ChessState(board)

    def copy(self) -> "ChessState":
        """An equal position that shares no memory with this one."""
        return ChessState(self.board.copy())
