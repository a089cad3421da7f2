"""The textbook search for hurried chess: one ply deep, with playouts that are cut off at once.

Random games would tell too little in the time that plain Python has. So the position after a move is judged instead:
captures are played as long as they pay, and what is left counts, material first, then mobility.
"""

import math
import random
from collections.abc import Sequence
from functools import cached_property

import chess

from engine.textbook.chess_state import ChessState
from engine.textbook.mcts import Search

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
EVERYTHING = 1000
EXPLORATION = 0.3
MATERIAL_SCALE = 8.0  # pawns that are worth three quarters of a mate
MOBILITY_WEIGHT = 0.02  # pawns for a move
LARGEST_GUESS = 0.9
DEEPEST_EXCHANGE = 6


def material(board: chess.Board) -> int:
    """Own men less the opponent's, in pawns, for the player to move."""
    total = 0
    for piece, value in VALUES.items():
        own, other = board.pieces_mask(piece, board.turn), board.pieces_mask(piece, not board.turn)
        total += value * (own.bit_count() - other.bit_count())
    return total


def settled_material(board: chess.Board, alpha: int = -EVERYTHING, beta: int = EVERYTHING, depth: int = 0) -> int:
    """The material that is left when both sides have made the captures that pay, for the player to move."""
    best = material(board)
    if best >= beta or depth == DEEPEST_EXCHANGE:
        return best
    captures = sorted(board.generate_legal_captures(), key=lambda move: _gain(board, move), reverse=True)
    for move in captures:
        board.push(move)
        best = max(best, -settled_material(board, -beta, -max(alpha, best), depth + 1))
        board.pop()
        if best >= beta:
            break
    return best


def _gain(board: chess.Board, move: chess.Move) -> int:
    """What a capture takes, the cheapest man taking first."""
    return 10 * VALUES[board.piece_type_at(move.to_square) or chess.PAWN] - VALUES[_man(board, move)]


def _man(board: chess.Board, move: chess.Move) -> chess.PieceType:
    return board.piece_type_at(move.from_square) or chess.PAWN


def mobility(board: chess.Board) -> int:
    """How many moves more than the opponent the player to move has."""
    own = board.legal_moves.count()
    board.push(chess.Move.null())
    other = board.legal_moves.count()
    board.pop()
    return own - other


def can_mate(board: chess.Board) -> bool:
    """Has the player to move a mate in one?"""
    for move in board.legal_moves:
        if board.gives_check(move):
            board.push(move)
            is_mate = board.is_checkmate()
            board.pop()
            if is_mate:
                return True
    return False


def guess(pawns: float, moves: float) -> float:
    """Material and mobility as a score: in (−1, 1), for less than a mate is worth."""
    return LARGEST_GUESS * math.tanh((pawns + MOBILITY_WEIGHT * moves) / MATERIAL_SCALE)


class OnePlyState(ChessState):
    """A position to search from, or one after a move: that is judged and not searched any further.

    Deeper, the mean of a move would be that of replies which nobody plays.
    """

    def __init__(self, board: chess.Board, *, is_judged: bool = False) -> None:
        super().__init__(board)
        self._is_judged = is_judged

    @property
    def is_game_over(self) -> bool:
        """Does the search end here?"""
        return self._is_judged or super().is_game_over

    @cached_property
    def current_score(self) -> float:
        """The end of the game, or a guess: positive if White stands better."""
        if self._outcome is not None:
            return super().current_score
        board = self.board.copy(stack=False)
        own = LARGEST_GUESS if can_mate(board) else guess(settled_material(board), mobility(board))
        return own if self.is_max_turn else -own

    def perform(self, action: chess.Move) -> "OnePlyState":
        """The position after a move, to be judged."""
        return OnePlyState(super().perform(action).board, is_judged=True)

    def copy(self) -> "OnePlyState":
        """A position of its own that equals this one."""
        return OnePlyState(self.board.copy(), is_judged=self._is_judged)


def new_search(board: chess.Board, wished: Sequence[chess.Move], rng: random.Random | None = None) -> Search:
    """The textbook search with playouts that are cut off at once; of the moves wished for, if there are any."""
    state = OnePlyState(board.copy(stack=False))
    if wished:
        state.valid_actions = list(wished)
    return Search(state, rng, EXPLORATION, simulate=lambda judged, _rng: judged)
