"""The four rows that describe a move to the policy: where to, where from, what kind, what threats.

What all moves of a position have in common is computed once, as sets of squares (`MoveContext`).
"""

from typing import NamedTuple

import numpy as np

from engine.network.architecture import (
    DANGERS,
    EXCHANGE_SIGNS,
    FROM_BASE,
    KIND_BASE,
    THREAT_BASE,
    THREAT_COUNTS,
    TO_BASE,
    VICTIMS,
)
from engine.network.features import (
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    SQUARE_BITS,
    AttackMaps,
    mirror_of,
)
from engine.network.see import EVEN, WINS, effect_of, sign_of_exchange
from movegen.attacks import squares_between
from movegen.bits import ONE, THREE, TWO, U64, ZERO, Bitboard, Square, lowest_square, popcount, several, without_lowest
from movegen.board import Board, diagonal_sliders, kings, knights, occupied_squares, pawns, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import (
    diagonals_from,
    king_attacks,
    knight_attacks,
    pawn_attacks_north,
    pawn_attacks_south,
    south,
    straights_from,
)
from movegen.moves import CASTLING, EN_PASSANT, Move, kind_of, origin_of, target_of
from movegen.sliders import bishop_attacks, rook_attacks

CASTLING_VICTIM = U64(6)
MOST_THREATS = U64(THREAT_COUNTS - 1)

# The rows of the targets of promotions: a queen has the queen's, the others have squares that no pawn moves to.
LAST_RANK = U64(56)
UNDERPROMOTION_ROWS = (U64(0), U64(8), U64(56))  # knight, bishop, rook: first square of a rank of the pawn's rows


# What all moves have in common


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


# The rows of a move


@inlined
def seen_from(piece: np.uint64, square: Square, occupied: Bitboard) -> Bitboard:
    """The squares that an own piece attacks from a square."""
    if piece == PAWN:
        return pawn_attacks_north(ONE << square)
    if piece == KNIGHT:
        return knight_attacks(square)
    if piece == KING:
        return king_attacks(square)
    seen = ZERO
    if piece != ROOK:
        seen = bishop_attacks(square, occupied)
    if piece != BISHOP:
        seen |= rook_attacks(square, occupied)
    return seen


@inlined
def prey(context: MoveContext, piece: np.uint64) -> Bitboard:
    """Their pieces that an attack by this piece threatens: more valuable ones, or not defended."""
    if piece == PAWN:
        return context.prey_of_pawns
    if piece <= BISHOP:
        return context.prey_of_minors
    if piece == ROOK:
        return context.prey_of_rooks
    return context.loose


@inlined
def row_of_target(piece: np.uint64, arriving: np.uint64, target: Square, mirror: np.uint64) -> np.int64:
    """The row of the arriving piece and its square."""
    square = target ^ mirror
    if arriving in (piece, QUEEN):
        return TO_BASE + np.int64(arriving << SQUARE_BITS | square)
    rank = UNDERPROMOTION_ROWS[0]
    if arriving == BISHOP:
        rank = UNDERPROMOTION_ROWS[1]
    elif arriving == ROOK:
        rank = UNDERPROMOTION_ROWS[2]
    return TO_BASE + np.int64(rank + square - LAST_RANK)


@inlined
def row_of_origin(piece: np.uint64, origin: Square, mirror: np.uint64) -> np.int64:
    """The row of the leaving piece and its square."""
    return FROM_BASE + np.int64(piece << SQUARE_BITS | origin ^ mirror)


@inlined
def danger(context: MoveContext, origin: Square) -> np.uint64:
    """What a piece leaves: 0 no attack, 1 attacked but defended, 2 attacked by a cheaper piece, 3 not defended."""
    if context.under_cheaper >> origin & ONE:
        return TWO
    if context.hanging >> origin & ONE:
        return THREE
    return context.attacked >> origin & ONE


@inlined
def discovers_check(board: Board, context: MoveContext, origin: Square, after: Bitboard) -> bool:
    """Does a slider other than the moved piece attack their king, with the squares `after` occupied?"""
    others = board.own & ~(ONE << origin)
    return bool(
        others
        & (
            bishop_attacks(context.their_king, after) & diagonal_sliders(board)
            | rook_attacks(context.their_king, after) & straight_sliders(board)
        )
        != ZERO
    )


@inlined
def kind_code(
    piece: np.uint64, victim: np.uint64, sign: np.uint64, check: np.uint64, before: np.uint64, after: np.uint64
) -> np.int64:
    """The row of a kind of move: in the mixed radix of `architecture.MOVE_KINDS`."""
    code = (piece * U64(VICTIMS) + victim) * U64(EXCHANGE_SIGNS) + sign
    return KIND_BASE + np.int64(((code * TWO + check) * TWO + before) * TWO + after)


@inlined
def threat_code(
    piece: np.uint64, left: np.uint64, threats: np.uint64, pawn_attacked: np.uint64, passed: np.uint64
) -> np.int64:
    """The row of the threats that a move leaves, makes and meets: in the mixed radix of `architecture.THREATS`."""
    code = (piece * U64(DANGERS) + left) * U64(THREAT_COUNTS) + min(MOST_THREATS, threats)
    return THREAT_BASE + np.int64((code * TWO + pawn_attacked) * TWO + passed)


@inlined
def sign_of_move(
    board: Board, context: MoveContext, target: Square, after: Bitboard, arriving: np.uint64, gain: np.int64
) -> np.uint64:
    """LOSES, EVEN or WINS; without an exchange if the opponent attacks neither the target nor a square that is left."""
    opened = context.occupied & ~after
    if context.attacked & (opened | ONE << target) == ZERO:
        return WINS if gain > 0 else EVEN
    return sign_of_exchange(board, target, after & ~(ONE << target), arriving, gain)


@inlined
def fill_castling(context: MoveContext, king: Square, rook: Square, rows: np.ndarray, index: int) -> None:
    """The rows of castling: king takes rook."""
    rows[index, 0] = row_of_target(KING, KING, rook, context.mirror)
    rows[index, 1] = row_of_origin(KING, king, context.mirror)
    rows[index, 2] = kind_code(KING, CASTLING_VICTIM, EVEN, ZERO, ZERO, ZERO)
    rows[index, 3] = threat_code(KING, ZERO, ZERO, ZERO, ZERO)


@inlined
def fill_rows(board: Board, context: MoveContext, move: Move, rows: np.ndarray, index: int) -> None:
    """Write the four rows of a legal move into `rows[index]`."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == CASTLING:
        fill_castling(context, origin, target, rows, index)
        return
    piece, arriving, victim, gain, after = effect_of(board, move)
    # The digits of the codes.
    seen = seen_from(arriving, target, after)
    check = seen >> context.their_king & ONE
    if check == ZERO and (context.discoverers >> origin & ONE or kind == EN_PASSANT):
        check = ONE if discovers_check(board, context, origin, after) else ZERO
    sign = sign_of_move(board, context, target, after, arriving, gain)
    attacked_before, attacked_after = context.attacked >> origin & ONE, context.attacked >> target & ONE
    pawn_attacked = context.pawn_attacked >> target & ONE
    passed = (ONE ^ context.before_pawns >> target & ONE) if piece == PAWN else ZERO
    threats = popcount(seen & prey(context, arriving))
    rows[index, 0] = row_of_target(piece, arriving, target, context.mirror)
    rows[index, 1] = row_of_origin(piece, origin, context.mirror)
    rows[index, 2] = kind_code(piece, victim, sign, check, attacked_before, attacked_after)
    rows[index, 3] = threat_code(piece, danger(context, origin), threats, pawn_attacked, passed)
