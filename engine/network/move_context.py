"""What all moves of a position have in common, computed once as sets of squares."""

from typing import NamedTuple

import numpy as np

from engine.network.attack_maps import AttackMaps
from engine.network.features import mirror_of
from movegen.attacks import squares_between
from movegen.bits import U64, ZERO, Bitboard, Square, lowest_square, several, without_lowest
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, pawns, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import pawn_attacks_south, south
from movegen.tables import diagonals_from, straights_from


class MoveContext(NamedTuple):
    """Sets of squares that the features of moves are made of."""

    occupied: Bitboard
    mirror: np.uint64  # see `mirror_of`
    attacked: Bitboard  # by the opponent
    pawn_attacked: Bitboard  # by the opponent's pawns
    under_cheaper: Bitboard  # own pieces attacked by cheaper ones
    hanging: Bitboard  # own pieces attacked and not defended, and not under_cheaper
    prey_of_pawns: Bitboard  # their pieces that a pawn threatens by attacking them: knights to queens
    prey_of_minors: Bitboard  # rooks, queens, and what is not defended
    prey_of_rooks: Bitboard  # queens, and what is not defended
    loose: Bitboard  # their pieces that are not defended, except the king
    before_pawns: Bitboard  # squares where a pawn is not passed: before enemy pawns on the same and adjacent files
    their_king: Square
    discoverers: Bitboard  # own pieces that are the only ones between an own slider and their king


@inlined
def squares_before_pawns(pieces: Bitboard) -> Bitboard:
    """The squares that enemy pawns, marching down, may pass or attack."""
    before = south(pieces) | pawn_attacks_south(pieces)
    before |= before >> U64(8)
    before |= before >> U64(16)
    return before | before >> U64(32)


@inlined
def lone_blockers(own: Bitboard, occupied: Bitboard, king: Square, snipers: Bitboard) -> Bitboard:
    """The own pieces that are the only ones between one of these sliders and a king."""
    found = ZERO
    while snipers:
        blockers = squares_between(king, lowest_square(snipers)) & occupied
        if blockers != ZERO and not several(blockers):
            found |= blockers & own
        snipers = without_lowest(snipers)
    return found


@inlined
def move_context_of(board: Board, maps: AttackMaps) -> MoveContext:
    """The context of the moves of a position."""
    occupied = occupied_squares(board)
    own, theirs = board.own, occupied & ~board.own
    diagonal, straight = diagonal_sliders(board), straight_sliders(board)
    queens, rooks = diagonal & straight, straight & ~diagonal
    minors = knights(board) | diagonal & ~straight
    below_rook = maps.by_their_pawns | maps.by_their_minors
    under_cheaper = own & (
        minors & maps.by_their_pawns | rooks & below_rook | queens & (below_rook | maps.by_their_rooks)
    )
    loose = theirs & ~kings(board) & ~maps.by_theirs
    king = lowest_square(theirs & kings(board))
    snipers = own & (diagonals_from(king) & diagonal | straights_from(king) & straight)
    return MoveContext(
        occupied,
        mirror_of(board),
        maps.by_theirs,
        maps.by_their_pawns,
        under_cheaper,
        own & ~kings(board) & maps.by_theirs & ~maps.by_own & ~under_cheaper,
        theirs & (minors | rooks | queens),
        theirs & (rooks | queens) | loose,
        theirs & queens | loose,
        loose,
        squares_before_pawns(theirs & pawns(board)),
        king,
        lone_blockers(own, occupied, king, snipers),
    )
