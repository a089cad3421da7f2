"""Positions in memory: one record of 64 bytes (a cache line) holds a whole position and a 128-bit number.

    word   0    1         2         3       4       5    6    7
          own  diagonal  straight  leaper  rights  tag  low  high

The rights to castle (ranks 1 and 8) and the en-passant square (rank 6) share a word. Because the whole
position is stored and compared, there are no collisions.
The tag is 0 in an empty record. The number is how often the position occurs, or how many leaves it has.
"""

import numpy as np

from movegen.bits import ONE, THREE, U64, fold_product
from movegen.board import Board
from movegen.compiler.jit import inlined
from movegen.compiler.memory import CACHE_LINE_BYTES, aligned_zeros
from movegen.geometry import RANK_1, RANK_6, RANK_8

WORDS = CACHE_LINE_BYTES // 8
RECORD_SHIFT = THREE  # index of a record << RECORD_SHIFT is the offset of its first word
TAG, LOW, HIGH = U64(5), U64(6), U64(7)

_MIX = (U64(0xA0761D6478BD642F), U64(0xE7037ED1A0B428DB), U64(0x8EBC6AF09C88C6E3), U64(0x589965CC75374CC3))


@inlined
def rights_word(board: Board) -> np.uint64:
    """Castling rooks and en-passant square in one word."""
    return board.castling | board.en_passant


@inlined
def hash_of(board: Board) -> np.uint64:
    """A hash that spreads positions over a table; it is never used to compare positions."""
    first = fold_product(board.own ^ _MIX[0], board.diagonal ^ _MIX[1])
    second = fold_product(board.straight ^ _MIX[2], board.leaper ^ _MIX[3])
    return fold_product(first ^ rights_word(board) ^ _MIX[1], second ^ _MIX[2])


@inlined
def holds_position(records: np.ndarray, offset: np.uint64, board: Board) -> bool:
    """Does the record hold exactly this position?"""
    return bool(
        records[offset] == board.own
        and records[offset + ONE] == board.diagonal
        and records[offset + U64(2)] == board.straight
        and records[offset + U64(3)] == board.leaper
        and records[offset + U64(4)] == rights_word(board)
    )


@inlined
def write_position(records: np.ndarray, offset: np.uint64, board: Board) -> None:
    """Write a position into a record."""
    records[offset] = board.own
    records[offset + ONE] = board.diagonal
    records[offset + U64(2)] = board.straight
    records[offset + U64(3)] = board.leaper
    records[offset + U64(4)] = rights_word(board)


@inlined
def board_in_record(records: np.ndarray, offset: np.uint64) -> Board:
    """The position of a record."""
    rights = records[offset + U64(4)]
    return Board(
        records[offset],
        records[offset + ONE],
        records[offset + U64(2)],
        records[offset + U64(3)],
        rights & (RANK_1 | RANK_8),
        rights & RANK_6,
    )


@inlined
def add_wide(low: np.uint64, high: np.uint64, more_low: np.uint64, more_high: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The sum of two 128-bit numbers."""
    total = low + more_low
    return total, high + more_high + U64(total < low)


def new_records(count: int) -> np.ndarray:
    """Memory for `count` records, each in one cache line."""
    return aligned_zeros(count * WORDS, np.uint64)


def record_of(board: Board) -> list[int]:
    """The eight words of a position that occurs once."""
    return [*map(int, board[:4]), int(board.castling | board.en_passant), 1, 1, 0]
