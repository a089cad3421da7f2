"""What a position is worth: the end of the game, or a guess. All scores are for the player who moved there."""

import numpy as np

from engine.mcts.proof import DRAW, UNPROVEN, WIN
from engine.mcts.setup import CONSTANT, PLAYOUT, Settings, Worker
from engine.mcts.tree import SCORE_UNIT
from movegen.attacks import checkers
from movegen.bits import ONE, U64, ZERO, fold_product, multiply_high
from movegen.board import Board
from movegen.jit import inlined
from movegen.legal import count_moves
from movegen.outcome import HALF_MOVES_TO_CLAIM, Ending, is_insufficient
from movegen.playout import random_game


@inlined
def ending_here(board: Board, clock: np.uint64, depth: int) -> np.uint16:
    """The end of the game in a position, proven for the player who moved there: WIN by mate, DRAW, or UNPROVEN.

    At the root only the lack of moves ends the game: whoever asks for a move there plays on.
    """
    if count_moves(board) == ZERO:
        return WIN if checkers(board) != ZERO else DRAW
    if depth > 0 and (is_insufficient(board) or clock >= HALF_MOVES_TO_CLAIM):
        return DRAW
    return UNPROVEN


@inlined
def playout(board: Board, clock: np.uint64, worker: Worker) -> tuple[int, int]:
    """A random game; -> its score and draw share for the player who moved to this position."""
    ending, plies, state = random_game(board, clock, worker.random[0])
    worker.random[0] = state
    if ending != U64(Ending.CHECKMATE):
        return SCORE_UNIT // 2, SCORE_UNIT
    return (SCORE_UNIT if plies & ONE == ZERO else 0), 0


@inlined
def evaluate(settings: Settings, board: Board, key: np.uint64, clock: np.uint64, worker: Worker) -> tuple[int, int]:
    """Score and draw share of a position for the player who moved there."""
    if settings.evaluator == PLAYOUT:
        return playout(board, clock, worker)
    if settings.evaluator == CONSTANT:
        return SCORE_UNIT // 2, 0
    return int(multiply_high(fold_product(key, key), U64(SCORE_UNIT + 1))), 0
