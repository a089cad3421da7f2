"""Make a move: the old board in, the new board out, seen by the player who moves next.

`apply` is for perft; `apply_keyed` also updates the key and the 50-move count, for games and search.
"""

import numpy as np

from movegen.bits import ONE, U64, ZERO, Bitboard, Square, flip
from movegen.board import Board, kings, occupied_squares, pawns, turned
from movegen.compiler.jit import inlined, kernel
from movegen.generate import can_capture_en_passant
from movegen.geometry import NORTH, RANK_1, beside, south
from movegen.moves import (
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    NORMAL,
    PROMOTE_KNIGHT,
    Move,
    kind_of,
    origin_of,
    target_of,
)
from movegen.zobrist import TURN, absolute, castling_key, colour_of, en_passant_key, kind_at, piece_key

KING_TO_SHORT, ROOK_TO_SHORT = U64(6), U64(5)
KING_TO_LONG, ROOK_TO_LONG = U64(2), U64(3)
KIND_OF_PAWN, KIND_OF_ROOK, KIND_OF_KING = U64(0b001), U64(0b010), U64(0b011)

# The kinds of pieces a pawn can become (see `kind_at`), four bits each: knight, bishop, rook, queen.
PROMOTION_KINDS = U64(0b0110_0010_0100_0101)


@inlined
def promoted_kind(move_kind: np.uint64) -> np.uint64:
    """The kind of piece that a pawn promotes to."""
    return PROMOTION_KINDS >> (move_kind - PROMOTE_KNIGHT << U64(2)) & U64(7)


@inlined
def king_target(king: Square, rook: Square) -> Square:
    """The square of the king after castling with this rook."""
    return KING_TO_SHORT if rook > king else KING_TO_LONG


@inlined
def rook_target(king: Square, rook: Square) -> Square:
    """The square of the rook after castling."""
    return ROOK_TO_SHORT if rook > king else ROOK_TO_LONG


@inlined
def castled(board: Board, king: Square, rook: Square) -> Board:
    """King and rook on their new squares, both castling rights removed. Not turned yet."""
    leaving = ~(ONE << king | ONE << rook)
    new_king, new_rook = ONE << king_target(king, rook), ONE << rook_target(king, rook)
    return Board(
        board.own & leaving | new_king | new_rook,
        board.diagonal & leaving,
        board.straight & leaving | new_king | new_rook,
        board.leaper & leaving | new_king,
        board.castling & ~RANK_1,
        ZERO,
    )


@inlined
def moved(board: Board, origin: Square, target: Square) -> Board:
    """A piece moved to another square, any piece there captured; castling rights updated."""
    leaving = ~(ONE << origin | ONE << target)
    castling = board.castling & leaving
    if kings(board) >> origin & ONE:
        castling &= ~RANK_1
    return Board(
        board.own & leaving | ONE << target,
        board.diagonal & leaving | (board.diagonal >> origin & ONE) << target,
        board.straight & leaving | (board.straight >> origin & ONE) << target,
        board.leaper & leaving | (board.leaper >> origin & ONE) << target,
        castling,
        ZERO,
    )


@inlined
def promoted(board: Board, target: Square, new_kind: np.uint64) -> Board:
    """The pawn on `target` replaced by another piece."""
    pawn = ONE << target
    return Board(
        board.own,
        board.diagonal | (new_kind >> U64(2)) << target,
        board.straight | (new_kind >> ONE & ONE) << target,
        board.leaper & ~pawn | (new_kind & ONE) << target,
        board.castling,
        ZERO,
    )


@inlined
def without_captured_pawn(board: Board, target: Square) -> Board:
    """The board without the enemy pawn behind the target of an en-passant capture."""
    captured = south(ONE << target)
    return Board(board.own, board.diagonal, board.straight, board.leaper & ~captured, board.castling, ZERO)


@inlined
def with_en_passant(board: Board, squares: Bitboard) -> Board:
    """The same board with this en-passant square, or none."""
    return Board(board.own, board.diagonal, board.straight, board.leaper, board.castling, squares)


@inlined
def pushed_twice(board: Board, target: Square) -> Board:
    """After a double push: with an en-passant square behind the pawn if there is an enemy pawn beside it."""
    pawn = ONE << target
    if beside(pawn) & pawns(board) & ~board.own:
        return with_en_passant(board, south(pawn))
    return board


@inlined
def with_legal_en_passant(board: Board) -> Board:
    """The board, without its en-passant square if no pawn may legally capture there."""
    if board.en_passant != ZERO and not can_capture_en_passant(board):
        return with_en_passant(board, ZERO)
    return board


@inlined
def special(board: Board, after: Board, origin: Square, target: Square, kind: np.uint64) -> Board:
    """The board after castling, a promotion, a double push or en passant; `after` has the piece moved."""
    if kind >= PROMOTE_KNIGHT:
        return promoted(after, target, promoted_kind(kind))
    if kind == DOUBLE_PUSH:
        return pushed_twice(after, target)
    if kind == EN_PASSANT:
        return without_captured_pawn(after, target)
    return castled(board, origin, target)


@inlined
def apply(board: Board, move: Move) -> Board:
    """The board after a legal move, seen by the opponent, whose turn it is."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    after = moved(board, origin, target)
    if kind != NORMAL:
        after = special(board, after, origin, target, kind)
    return with_legal_en_passant(turned(after))


@inlined
def key_of_castling(colour: np.uint64, king: Square, rook: Square) -> np.uint64:
    """How castling changes the key: king and rook leave their squares and arrive on the new ones."""
    return (
        piece_key(colour, KIND_OF_KING, absolute(king, colour))
        ^ piece_key(colour, KIND_OF_KING, absolute(king_target(king, rook), colour))
        ^ piece_key(colour, KIND_OF_ROOK, absolute(rook, colour))
        ^ piece_key(colour, KIND_OF_ROOK, absolute(rook_target(king, rook), colour))
    )


@inlined
def change_of_pieces(board: Board, move: Move, colour: np.uint64) -> tuple[np.uint64, bool]:
    """-> how the pieces that leave, arrive and are captured change the key; is the move irreversible?"""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    if kind == CASTLING:
        return key_of_castling(colour, origin, target), False
    leaving = arriving = kind_at(board, origin)
    captured, captured_at = kind_at(board, target), target
    if kind >= PROMOTE_KNIGHT:
        arriving = promoted_kind(kind)
    elif kind == EN_PASSANT:
        captured, captured_at = KIND_OF_PAWN, target - NORTH
    key = piece_key(colour, leaving, absolute(origin, colour)) ^ piece_key(colour, arriving, absolute(target, colour))
    if captured:
        key ^= piece_key(colour ^ ONE, captured, absolute(captured_at, colour))
    return key, bool(captured != ZERO or leaving == KIND_OF_PAWN)


@inlined
def apply_keyed(board: Board, key: np.uint64, clock: np.uint64, move: Move) -> tuple[Board, np.uint64, np.uint64]:
    """`apply`, with the key and the number of half-moves since the last irreversible move."""
    after = apply(board, move)
    colour = colour_of(key)
    change, irreversible = change_of_pieces(board, move, colour)
    lost_rights = board.castling & ~flip(after.castling)
    key ^= TURN ^ change ^ castling_key(lost_rights, colour)
    key ^= en_passant_key(board.en_passant) ^ en_passant_key(after.en_passant)
    return after, key, ZERO if irreversible else clock + ONE


@inlined
def is_irreversible(board: Board, move: Move) -> bool:
    """Is it a capture or a pawn move, which restarts the 50-move count?"""
    theirs = occupied_squares(board) & ~board.own
    return bool((ONE << target_of(move) & theirs | ONE << origin_of(move) & pawns(board)) != ZERO)


@kernel
def step(board: Board, key: np.uint64, clock: np.uint64, move: Move) -> tuple[Board, np.uint64, np.uint64]:
    """`apply_keyed` for Python."""
    return apply_keyed(board, key, clock, move)


@kernel
def legal_en_passant(board: Board) -> Board:
    """`with_legal_en_passant` for Python."""
    return with_legal_en_passant(board)
