"""The four rows that describe a move to the policy: where to, where from, what kind, what threats."""

import numpy as np

from engine.network.architecture import FROM_BASE, KIND_BASE, THREAT_BASE, TO_BASE
from engine.network.features import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, piece_at
from engine.network.move_context import MoveContext
from engine.network.see import EVEN, WINS, sign_of_exchange, worth
from movegen.bits import ONE, THREE, TWO, U64, ZERO, Bitboard, Square, popcount
from movegen.board import Board, diagonal_sliders, straight_sliders
from movegen.compiler.jit import inlined
from movegen.geometry import pawn_attacks_north, south
from movegen.moves import CASTLING, EN_PASSANT, PROMOTE_KNIGHT, Move, kind, origin, target
from movegen.sliders import bishop_attacks, rook_attacks
from movegen.tables import king_attacks, knight_attacks

NO_VICTIM, PAWN_VICTIM, CASTLING_VICTIM = U64(0), U64(1), U64(6)
SQUARE_BITS = U64(6)

# Where promotions find their piece-to row: a queen as a queen, the others on squares that no pawn moves to.
LAST_RANK = U64(56)
UNDERPROMOTION_ROWS = (U64(0), U64(8), U64(56))  # knight, bishop, rook: first square of a rank of the pawn's rows


@inlined
def seen_from(piece: np.uint64, square: Square, occupied: Bitboard) -> Bitboard:
    """What an own piece attacks from a square."""
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
def prey(scene: MoveContext, piece: np.uint64) -> Bitboard:
    """Their pieces that an attack by this piece threatens: dearer than he is, or not defended."""
    if piece == PAWN:
        return scene.prey_of_pawns
    if piece <= BISHOP:
        return scene.prey_of_minors
    if piece == ROOK:
        return scene.prey_of_rooks
    return scene.loose


@inlined
def row_of_target(piece: np.uint64, arriving: np.uint64, goal: Square, mirror: np.uint64) -> np.int64:
    """The row of what arrives where."""
    square = goal ^ mirror
    if arriving in (piece, QUEEN):
        return TO_BASE + np.int64(arriving << SQUARE_BITS | square)
    rank = UNDERPROMOTION_ROWS[0]
    if arriving == BISHOP:
        rank = UNDERPROMOTION_ROWS[1]
    elif arriving == ROOK:
        rank = UNDERPROMOTION_ROWS[2]
    return TO_BASE + np.int64(rank + square - LAST_RANK)


@inlined
def danger(scene: MoveContext, start: Square) -> np.uint64:
    """What a piece leaves: 0 safety, 1 attacked but defended, 2 attacked by a cheaper piece, 3 not defended."""
    if scene.under_cheaper >> start & ONE:
        return TWO
    if scene.hanging >> start & ONE:
        return THREE
    return scene.attacked >> start & ONE


@inlined
def discovers_check(board: Board, scene: MoveContext, start: Square, after: Bitboard) -> bool:
    """Does a slider other than the moved piece attack their king, with these squares occupied?"""
    others = board.own & ~(ONE << start)
    return bool(
        others
        & (
            bishop_attacks(scene.their_king, after) & diagonal_sliders(board)
            | rook_attacks(scene.their_king, after) & straight_sliders(board)
        )
        != ZERO
    )


@inlined
def kind_code(
    piece: np.uint64, victim: np.uint64, sign: np.uint64, check: np.uint64, before: np.uint64, after: np.uint64
) -> np.int64:
    """The row of a kind of move."""
    code = (piece * U64(7) + victim) * THREE + sign
    return KIND_BASE + np.int64(((code * TWO + check) * TWO + before) * TWO + after)


@inlined
def threat_code(
    piece: np.uint64, left: np.uint64, threats: np.uint64, pawn_attacked: np.uint64, passed: np.uint64
) -> np.int64:
    """The row of the threats that a move leaves, makes and meets."""
    code = (piece * U64(4) + left) * THREE + min(TWO, threats)
    return THREAT_BASE + np.int64((code * TWO + pawn_attacked) * TWO + passed)


@inlined
def sign_of_move(
    board: Board, scene: MoveContext, goal: Square, after: Bitboard, arriving: np.uint64, gain: np.int64
) -> np.uint64:
    """LOSES, EVEN or WINS; at once where the opponent attacks neither the goal nor a square that opens a line to it."""
    opened = scene.occupied & ~after
    if scene.attacked & (opened | ONE << goal) == ZERO:
        return WINS if gain > 0 else EVEN
    return sign_of_exchange(board, goal, after & ~(ONE << goal), arriving, gain)


@inlined
def fill_castling(scene: MoveContext, king: Square, rook: Square, rows: np.ndarray, place: int) -> None:
    """The rows of castling: king takes rook."""
    rows[place, 0] = row_of_target(KING, KING, rook, scene.mirror)
    rows[place, 1] = FROM_BASE + np.int64(KING << SQUARE_BITS | king ^ scene.mirror)
    rows[place, 2] = kind_code(KING, CASTLING_VICTIM, EVEN, ZERO, ZERO, ZERO)
    rows[place, 3] = threat_code(KING, ZERO, ZERO, ZERO, ZERO)


@inlined
def fill_rows(board: Board, scene: MoveContext, move: Move, rows: np.ndarray, place: int) -> None:
    """Write the four rows of a legal move into a line of `rows`."""
    start, goal, what = origin(move), target(move), kind(move)
    if what == CASTLING:
        fill_castling(scene, start, goal, rows, place)
        return
    piece = piece_at(board, start)
    arriving, victim, gain = piece, NO_VICTIM, np.int64(0)
    after = (scene.occupied ^ ONE << start) | ONE << goal
    if scene.occupied >> goal & ONE:
        victim = piece_at(board, goal) + ONE
        gain = worth(victim - ONE)
    if what >= PROMOTE_KNIGHT:
        arriving = what - PROMOTE_KNIGHT + KNIGHT
        gain += worth(arriving) - worth(PAWN)
    elif what == EN_PASSANT:
        victim, gain = PAWN_VICTIM, worth(PAWN)
        after &= ~south(ONE << goal)
    seen = seen_from(arriving, goal, after)
    check = seen >> scene.their_king & ONE
    if check == ZERO and (scene.discoverers >> start & ONE or what == EN_PASSANT):
        check = ONE if discovers_check(board, scene, start, after) else ZERO
    sign = sign_of_move(board, scene, goal, after, arriving, gain)
    before, exposed = scene.attacked >> start & ONE, scene.attacked >> goal & ONE
    passed = (ONE ^ scene.before_pawns >> goal & ONE) if piece == PAWN else ZERO
    threats = popcount(seen & prey(scene, arriving))
    rows[place, 0] = row_of_target(piece, arriving, goal, scene.mirror)
    rows[place, 1] = FROM_BASE + np.int64(piece << SQUARE_BITS | start ^ scene.mirror)
    rows[place, 2] = kind_code(piece, victim, sign, check, before, exposed)
    rows[place, 3] = threat_code(piece, danger(scene, start), threats, scene.pawn_attacked >> goal & ONE, passed)
