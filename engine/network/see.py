"""Static exchange evaluation: what is won or lost if both sides keep capturing on one square, cheapest piece first?

Only the sign matters here. Pins are ignored; a king captures only what is not defended.
"""

from typing import NamedTuple

import numpy as np

from engine.network.features import KNIGHT, PAWN, piece_at
from movegen.attacks import attackers
from movegen.bits import ONE, U64, ZERO, Bitboard, Square, lowest_bit
from movegen.board import Board, diagonal_sliders, knights, occupied_squares, pawns, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import south
from movegen.moves import EN_PASSANT, PROMOTE_KNIGHT, Move, kind_of, origin_of, target_of
from movegen.sliders import bishop_attacks, rook_attacks

LOSES, EVEN, WINS = U64(0), U64(1), U64(2)
NO_VICTIM, PAWN_VICTIM = U64(0), U64(1)

# Values of pawn … king in pawns, a byte each.
WORTH = U64(sum(worth << 8 * piece for piece, worth in enumerate((1, 3, 3, 5, 9, 100))))


@inlined
def worth(piece: np.uint64) -> np.int64:
    """The value of a piece, in pawns."""
    return np.int64(WORTH >> (piece << U64(3)) & U64(255))


# What a move does


class Effect(NamedTuple):
    """What a move does at once. Not of castling."""

    piece: np.uint64  # PAWN … KING
    arriving: np.uint64  # the same, or what a pawn becomes
    victim: np.uint64  # NO_VICTIM, or 1 + the piece that is captured
    gain: np.int64  # in pawns
    after: Bitboard  # the occupied squares after it


@inlined
def effect_of(board: Board, move: Move) -> Effect:
    """The effect of a move that is not castling."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    occupied = occupied_squares(board)
    piece = piece_at(board, origin)
    arriving, victim, gain = piece, NO_VICTIM, np.int64(0)
    after = (occupied ^ ONE << origin) | ONE << target
    if occupied >> target & ONE:
        victim = piece_at(board, target) + ONE
        gain = worth(victim - ONE)
    if kind >= PROMOTE_KNIGHT:
        arriving = kind - PROMOTE_KNIGHT + KNIGHT
        gain += worth(arriving) - worth(PAWN)
    elif kind == EN_PASSANT:
        victim, gain = PAWN_VICTIM, worth(PAWN)
        after &= ~south(ONE << target)
    return Effect(piece, arriving, victim, gain, after)


# Exchanges


@inlined
def cheapest(board: Board, pieces: Bitboard) -> tuple[Bitboard, int]:
    """-> the pieces of the cheapest kind among these, kings excluded; its value (0 if only a king is left)."""
    diagonal, straight = diagonal_sliders(board), straight_sliders(board)
    if pieces & pawns(board):
        return pieces & pawns(board), 1
    if pieces & knights(board):
        return pieces & knights(board), 3
    if pieces & diagonal & ~straight:
        return pieces & diagonal & ~straight, 3
    if pieces & straight & ~diagonal:
        return pieces & straight & ~diagonal, 5
    if pieces & diagonal:
        return pieces & diagonal, 9
    return ZERO, 0


@inlined
def survives(board: Board, target: Square, occupied: Bitboard, at_stake: np.int64) -> bool:
    """The player to move has a piece on `target`, and the opponent may take back. Does the player keep enough?

    `at_stake` is the gain of the opponent by taking, less what the player can afford to lose; it is more than 0.
    `occupied` is the board after the move, without `target`.
    """
    diagonal, straight = diagonal_sliders(board), straight_sliders(board)
    takers = attackers(board, target, occupied)
    side, keeps = board.own, 1
    while True:
        side = ~side
        takers &= occupied
        mine = takers & side
        if mine == ZERO:
            return keeps == 1
        keeps ^= 1
        pieces, price = cheapest(board, mine)
        if pieces == ZERO:  # the king captures only if nothing can recapture
            return bool((keeps == 1) != ((takers & ~side) != ZERO))
        at_stake = price - at_stake
        if at_stake < keeps:
            return keeps == 1
        occupied ^= lowest_bit(pieces)
        takers |= bishop_attacks(target, occupied) & diagonal | rook_attacks(target, occupied) & straight


@inlined
def sign_of_exchange(
    board: Board, target: Square, occupied: Bitboard, arriving: np.uint64, gain: np.int64
) -> np.uint64:
    """LOSES, EVEN or WINS: what becomes of a move that brings a piece to `target` and gains something at once.

    `occupied` is the board after the move, without `target`.
    """
    price = worth(arriving)
    if gain > price or (gain < price and not survives(board, target, occupied, price - gain)):
        return WINS if gain > price else LOSES
    if gain == 0:
        return EVEN
    return WINS if survives(board, target, occupied, price - gain + 1) else EVEN
