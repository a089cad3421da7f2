"""How a game ends: mate, stalemate, not enough material, the 50- and 75-move rules, repetition."""

from enum import IntEnum

import numpy as np

from movegen.attacks import attackers, checkers
from movegen.bits import ONE, TWO, U64, ZERO, lowest_square, several
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, pawns, straight_sliders
from movegen.compiler.jit import inlined, kernel
from movegen.generate import count_moves
from movegen.geometry import DARK_SQUARES, LIGHT_SQUARES


class Ending(IntEnum):
    """Why a game is over; the last two only if a player claims the draw."""

    NONE = 0
    CHECKMATE = 1
    STALEMATE = 2
    INSUFFICIENT_MATERIAL = 3
    SEVENTY_FIVE_MOVES = 4
    FIVEFOLD_REPETITION = 5
    FIFTY_MOVES = 6
    THREEFOLD_REPETITION = 7


HALF_MOVES_TO_CLAIM, HALF_MOVES_TO_END = U64(100), U64(150)
OCCURRENCES_TO_CLAIM, OCCURRENCES_TO_END = U64(3), U64(5)


@inlined
def is_insufficient(board: Board) -> bool:
    """Can neither side mate by any sequence of moves? By python-chess's rule, which looks at material only.

    Bare kings; a single knight; or only bishops, all on squares of one colour.
    """
    if straight_sliders(board) | pawns(board):
        return False
    horses, bishops = knights(board), diagonal_sliders(board)
    if horses == ZERO:
        return bool((bishops & LIGHT_SQUARES) == ZERO or (bishops & DARK_SQUARES) == ZERO)
    return bool(bishops == ZERO and not several(horses))


@kernel
def is_in_check(board: Board) -> bool:
    """Is the king of the player to move attacked?"""
    return bool(checkers(board) != ZERO)


@kernel
def is_opponent_in_check(board: Board) -> bool:
    """Is the king of the other player attacked (by a king too)? Then the position is impossible."""
    occupied = occupied_squares(board)
    their_king = lowest_square(kings(board) & ~board.own)
    return bool((attackers(board, their_king, occupied) & board.own) != ZERO)


@kernel
def count_occurrences(past: np.ndarray, length: np.uint64, key: np.uint64, clock: np.uint64) -> np.uint64:
    """How often a position with this key has occurred, now included.

    `past` holds the keys of the positions before it, the latest at `length − 1`. Only those since the
    last irreversible move count, and only every second one has the same player to move.
    """
    occurrences, back = ONE, TWO
    while back <= clock and back <= length:
        if past[length - back] == key:
            occurrences += ONE
        back += TWO
    return occurrences


@kernel
def ending(board: Board, clock: np.uint64, occurrences: np.uint64, claim_draw: bool) -> np.uint64:
    """The `Ending` of a position: the end by the rules, or by a claim where `claim_draw` says so."""
    moves = count_moves(board)
    if moves == ZERO and checkers(board) != ZERO:
        return U64(Ending.CHECKMATE)
    if is_insufficient(board):
        return U64(Ending.INSUFFICIENT_MATERIAL)
    if moves == ZERO:
        return U64(Ending.STALEMATE)
    if clock >= HALF_MOVES_TO_END:
        return U64(Ending.SEVENTY_FIVE_MOVES)
    if occurrences >= OCCURRENCES_TO_END:
        return U64(Ending.FIVEFOLD_REPETITION)
    if claim_draw and clock >= HALF_MOVES_TO_CLAIM:
        return U64(Ending.FIFTY_MOVES)
    if claim_draw and occurrences >= OCCURRENCES_TO_CLAIM:
        return U64(Ending.THREEFOLD_REPETITION)
    return U64(Ending.NONE)
