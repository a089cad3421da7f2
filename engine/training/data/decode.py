"""Games in viriformat to boards, by kernels: millions of positions a second. `viriformat` describes the format."""

from typing import NamedTuple

import numpy as np

from engine.training.data.viriformat import (
    BLACK,
    BLACK_TO_MOVE_BIT,
    CASTLING_ROOK,
    EN_PASSANT_AT,
    EXTRA_AT,
    HEADER_SIZE,
    NO_SQUARE,
    PAIR_SIZE,
    PIECES_AT,
    RESULT_AT,
    VIRI_CASTLING,
    VIRI_EN_PASSANT,
    VIRI_PROMOTION,
    WON,
)
from movegen.apply import apply, with_legal_en_passant
from movegen.bits import ONE, U64, ZERO, flip, lowest_square, without_lowest
from movegen.board import Board, pawns
from movegen.compiler.jit import inlined, kernel
from movegen.geometry import UPSIDE_DOWN
from movegen.moves import CASTLING, DOUBLE_PUSH, EN_PASSANT, NORMAL, PROMOTE_KNIGHT, Move, encode, origin_of, target_of

# The planes (diagonal, straight, leaper) of the format's types pawn … king and rook that may castle, three bits each.
PLANES_OF_CODES = U64(
    sum(planes << 3 * kind for kind, planes in enumerate((0b001, 0b101, 0b100, 0b010, 0b110, 0b011, 0b010)))
)
TYPE_MASK = U64(BLACK - 1)
EN_PASSANT_MASK = U64(BLACK_TO_MOVE_BIT - 1)
BLACK_SHIFT, TURN_SHIFT = U64(3), U64(7)


class Positions(NamedTuple):
    """Parallel arrays over positions; scores, moves and results are the mover's."""

    boards: np.ndarray  # uint64 [n, 6]
    moves: np.ndarray  # uint16 [n], as in movegen.moves
    scores: np.ndarray  # int16 [n], centipawns
    results: np.ndarray  # uint8 [n], 0 lost, 1 drawn, 2 won
    extras: np.ndarray  # uint8 [n], the last byte of the game's header


def new_positions(count: int) -> Positions:
    """Arrays for `count` positions, not filled."""
    return Positions(
        np.empty((count, 6), dtype=np.uint64),
        np.empty(count, dtype=np.uint16),
        np.empty(count, dtype=np.int16),
        np.empty(count, dtype=np.uint8),
        np.empty(count, dtype=np.uint8),
    )


@inlined
def word_at(data: np.ndarray, offset: int) -> np.uint64:
    """Eight bytes as a word."""
    word = ZERO
    for index in range(8):
        word |= U64(data[offset + index]) << U64(8 * index)
    return word


@inlined
def half_word_at(data: np.ndarray, offset: int) -> np.uint64:
    """Two bytes as a word."""
    return U64(data[offset]) | U64(data[offset + 1]) << U64(8)


@inlined
def piece_code_at(data: np.ndarray, offset: int, index: int) -> np.uint64:
    """The four bits of a piece, given its index among the pieces of the header at `offset`."""
    return U64(data[offset + PIECES_AT + index // 2]) >> U64(4 * (index & 1)) & U64(15)


@inlined
def read_setup(data: np.ndarray, offset: int) -> tuple[Board, np.uint64]:
    """-> the board of a header as it is written, seen by the player to move; 1 if that is Black, else 0."""
    pieces = word_at(data, offset)
    white, diagonal, straight, leaper, castling = ZERO, ZERO, ZERO, ZERO, ZERO
    left, index = pieces, 0
    while left:
        square = lowest_square(left)
        code = piece_code_at(data, offset, index)
        planes = PLANES_OF_CODES >> (code & TYPE_MASK) * U64(3)
        white |= (ONE ^ code >> BLACK_SHIFT) << square
        diagonal |= (planes >> U64(2) & ONE) << square
        straight |= (planes >> ONE & ONE) << square
        leaper |= (planes & ONE) << square
        if code & TYPE_MASK == U64(CASTLING_ROOK):
            castling |= ONE << square
        left = without_lowest(left)
        index += 1
    byte = U64(data[offset + EN_PASSANT_AT])
    black, square = byte >> TURN_SHIFT, byte & EN_PASSANT_MASK
    en_passant = ONE << square if square < U64(NO_SQUARE) else ZERO
    if black:
        board = Board(
            flip(pieces & ~white), flip(diagonal), flip(straight), flip(leaper), flip(castling), flip(en_passant)
        )
    else:
        board = Board(white, diagonal, straight, leaper, castling, en_passant)
    return board, black


@inlined
def decode_board(data: np.ndarray, offset: int) -> tuple[Board, np.uint64]:
    """-> the board of a header that is known to be sound, for kernels; 1 if Black is to move, else 0."""
    board, black = read_setup(data, offset)
    return with_legal_en_passant(board), black


@inlined
def decode_move(board: Board, code: np.uint64, black: np.uint64) -> Move:
    """A move of the format as the kernels write it, seen by the player who makes it."""
    origin, target, kind = origin_of(code), target_of(code), code >> U64(14)
    if black:
        origin, target = origin ^ UPSIDE_DOWN, target ^ UPSIDE_DOWN
    if kind == U64(VIRI_EN_PASSANT):
        return encode(origin, target, EN_PASSANT)
    if kind == U64(VIRI_CASTLING):
        return encode(origin, target, CASTLING)
    if kind == U64(VIRI_PROMOTION):
        return encode(origin, target, PROMOTE_KNIGHT + (code >> U64(12) & U64(3)))
    is_double = target == origin + U64(16) and (pawns(board) >> origin & ONE) != ZERO
    return encode(origin, target, DOUBLE_PUSH if is_double else NORMAL)


@kernel
def decode_games(data: np.ndarray, starts: np.ndarray, positions: Positions, first: int) -> int:
    """Write the positions of these games into arrays, starting at the index `first`; -> the index after them."""
    index = first
    for start in starts:
        board, black = decode_board(data, start)
        result, extra = data[start + RESULT_AT], data[start + EXTRA_AT]
        offset = start + HEADER_SIZE
        while half_word_at(data, offset) != ZERO:
            move = decode_move(board, half_word_at(data, offset), black)
            score = np.int16(half_word_at(data, offset + 2))
            for word in range(6):
                positions.boards[index, word] = board[word]
            positions.moves[index] = move
            positions.scores[index] = -score if black else score
            positions.results[index] = WON - result if black else result
            positions.extras[index] = extra
            board, black = apply(board, move), black ^ ONE
            index, offset = index + 1, offset + PAIR_SIZE
    return index
