"""Random games: 64 random bits at a time, and whole games of uniformly random moves."""

import numpy as np

from movegen.apply import apply, is_irreversible
from movegen.bits import ONE, U64, ZERO, fold_product
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.generate import random_move
from movegen.moves import NO_MOVE
from movegen.outcome import HALF_MOVES_TO_CLAIM, Ending, is_in_check, is_insufficient

# The constants of the generator "wyrand".
_INCREMENT, _SCRAMBLE = U64(0xA0761D6478BD642F), U64(0xE7037ED1A0B428DB)


@inlined
def next_random(state: np.uint64) -> tuple[np.uint64, np.uint64]:
    """-> the next state of the generator, and 64 random bits."""
    state += _INCREMENT
    return state, fold_product(state, state ^ _SCRAMBLE)


@inlined
def random_game(board: Board, clock: np.uint64, state: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Play uniformly random moves until mate, stalemate, insufficient material or 50 moves.

    -> the `Ending`, the number of moves played (if it is odd, the opponent was to move at the end), and the
    state of the random generator. Repetitions are not detected.
    """
    plies = ZERO
    while True:
        state, random = next_random(state)
        move = random_move(board, random)
        if move == NO_MOVE:
            mated = is_in_check(board)
            return U64(Ending.CHECKMATE) if mated else U64(Ending.STALEMATE), plies, state
        if is_insufficient(board):
            return U64(Ending.INSUFFICIENT_MATERIAL), plies, state
        if clock >= HALF_MOVES_TO_CLAIM:
            return U64(Ending.FIFTY_MOVES), plies, state
        clock = ZERO if is_irreversible(board, move) else clock + ONE
        board = apply(board, move)
        plies += ONE


@kernel
def random_games(board: Board, clock: np.uint64, state: np.uint64, games: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Play many random games from one position; -> moves played, and the state of the random generator."""
    moves = ZERO
    for _ in range(games):
        _ending, plies, state = random_game(board, clock, state)
        moves += plies
    return moves, state
