"""The squares that each side attacks, and those that the opponent attacks with cheap pieces."""

from typing import NamedTuple

from movegen.bits import Bitboard, lowest_square, without_lowest
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, pawns, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import knight_attacks_of_all, pawn_attacks_north, pawn_attacks_south
from movegen.sliders import bishop_attacks, rook_attacks
from movegen.tables import king_attacks


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
