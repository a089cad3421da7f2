"""The inputs of a position, one for each piece: kind and owner, square, attacked or not, defended or not.

The board is seen by the player to move, and mirrored left to right if that brings the own king to the files a to d: a
position and its mirror image are the same to the network, except for castling.
"""

from typing import NamedTuple

import numpy as np

from engine.network.architecture import PIECE_SQUARES
from movegen.bits import FOUR, ONE, U64, ZERO, Bitboard, Square, lowest_square, without_lowest
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, own_king, pawns, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import king_attacks, knight_attacks_of_all, pawn_attacks_north, pawn_attacks_south
from movegen.sliders import bishop_attacks, rook_attacks
from movegen.zobrist import kind_at

# The index of each kind of piece (bits of the three planes, see `kind_at`) in the order pawn … king, four bits each.
PIECE_OF_PLANES = U64(sum(index << 4 * kind for index, kind in enumerate((0b001, 0b101, 0b100, 0b010, 0b110, 0b011))))
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = (U64(index) for index in range(6))
SIX, SEVEN, FIFTEEN = U64(6), U64(7), U64(15)
SQUARE_BITS = U64(6)
STATE_SIZE = U64(PIECE_SQUARES)


# Attacked squares


class AttackMaps(NamedTuple):
    """Sets of attacked squares, those of pieces of the same side included."""

    by_own: Bitboard
    by_theirs: Bitboard
    by_their_pawns: Bitboard
    by_their_minors: Bitboard  # knights and bishops
    by_their_rooks: Bitboard  # not queens


@inlined
def seen_by_bishops(pieces: Bitboard, occupied: Bitboard) -> Bitboard:
    """What a set of bishops attacks."""
    seen = pieces ^ pieces
    while pieces:
        seen |= bishop_attacks(lowest_square(pieces), occupied)
        pieces = without_lowest(pieces)
    return seen


@inlined
def seen_by_rooks(pieces: Bitboard, occupied: Bitboard) -> Bitboard:
    """What a set of rooks attacks."""
    seen = pieces ^ pieces
    while pieces:
        seen |= rook_attacks(lowest_square(pieces), occupied)
        pieces = without_lowest(pieces)
    return seen


@inlined
def attack_maps(board: Board) -> AttackMaps:
    """The attacks of both sides, pins ignored."""
    occupied = occupied_squares(board)
    own, theirs = board.own, occupied & ~board.own
    diagonal, straight = diagonal_sliders(board), straight_sliders(board)
    by_own = pawn_attacks_north(own & pawns(board)) | knight_attacks_of_all(own & knights(board))
    by_own |= king_attacks(lowest_square(own & kings(board)))
    by_own |= seen_by_bishops(own & diagonal, occupied) | seen_by_rooks(own & straight, occupied)
    by_pawns = pawn_attacks_south(theirs & pawns(board))
    by_minors = knight_attacks_of_all(theirs & knights(board)) | seen_by_bishops(
        theirs & diagonal & ~straight, occupied
    )
    by_rooks = seen_by_rooks(theirs & straight & ~diagonal, occupied)
    queens = theirs & diagonal & straight
    by_others = seen_by_bishops(queens, occupied) | seen_by_rooks(queens, occupied)
    by_others |= king_attacks(lowest_square(theirs & kings(board)))
    return AttackMaps(by_own, by_pawns | by_minors | by_rooks | by_others, by_pawns, by_minors, by_rooks)


# Inputs


@inlined
def piece_of_kind(kind: np.uint64) -> np.uint64:
    """PAWN … KING, given the bits of the three planes."""
    return PIECE_OF_PLANES >> (kind << U64(2)) & FIFTEEN


@inlined
def piece_at(board: Board, square: Square) -> np.uint64:
    """The piece on a square that is not empty: PAWN … KING."""
    return piece_of_kind(kind_at(board, square))


@inlined
def mirror_of(board: Board) -> np.uint64:
    """What to xor squares with: 7 if the king of the player to move is on the files e to h, else 0."""
    return SEVEN if own_king(board) & FOUR else ZERO


@inlined
def states(maps: AttackMaps, own: Bitboard) -> tuple[Bitboard, Bitboard]:
    """-> the squares on which a piece is attacked by the other side; those on which it is defended."""
    attacked = own & maps.by_theirs | ~own & maps.by_own
    defended = own & maps.by_own | ~own & maps.by_theirs
    return attacked, defended


@inlined
def fill_inputs(board: Board, maps: AttackMaps, inputs: np.ndarray) -> int:
    """Write the indices of the inputs that are on; -> their number."""
    mirror = mirror_of(board)
    attacked, defended = states(maps, board.own)
    pieces = occupied_squares(board)
    count = 0
    while pieces:
        square = lowest_square(pieces)
        piece = piece_at(board, square) + (ONE ^ board.own >> square & ONE) * SIX
        state = attacked >> square & ONE | (defended >> square & ONE) << ONE
        inputs[count] = state * STATE_SIZE + (piece << SQUARE_BITS) + (square ^ mirror)
        count += 1
        pieces = without_lowest(pieces)
    return count
