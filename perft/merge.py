"""From all positions of one ply to all of the next, equal ones merged and counted.

before: | positions of this ply | table for the next ply ............ |
after:  | positions of the next ply | free ........................... |
"""

import numpy as np

from movegen.apply import apply
from movegen.bits import ALL, ONE, U64, ZERO, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import prefetch
from movegen.legal import count_moves, list_moves
from movegen.moves import load_move, move_buffer
from perft.records import (
    HIGH,
    LOW,
    RECORD_SHIFT,
    TAG,
    WORDS,
    add_wide,
    hash_of,
    holds_position,
    read_position,
    write_position,
)

TABLE_FULL = ALL


@inlined
def first_slot(board: Board, slots: np.uint64) -> np.uint64:
    """The slot of a position in a table, unless it is taken by another."""
    return multiply_high(hash_of(board), slots)


@inlined
def merge_into(table: np.ndarray, slots: np.uint64, board: Board, low: np.uint64, high: np.uint64) -> np.uint64:
    """Add a position with its number of occurrences to a table; -> 1 if it was not there yet, else 0."""
    slot = first_slot(board, slots)
    offset = slot << RECORD_SHIFT
    while table[offset + TAG] != ZERO and not holds_position(table, offset, board):
        slot = slot + ONE if slot + ONE < slots else ZERO
        offset = slot << RECORD_SHIFT
    is_new = table[offset + TAG] == ZERO
    if is_new:
        write_position(table, offset, board)
        table[offset + TAG] = ONE
    table[offset + LOW], table[offset + HIGH] = add_wide(table[offset + LOW], table[offset + HIGH], low, high)
    return U64(is_new)


@kernel
def next_ply(records: np.ndarray, count: np.uint64, table: np.ndarray, slots: np.uint64, most: np.uint64) -> np.uint64:
    """Merge all successors of `count` positions into an empty table; -> the number of different ones, or TABLE_FULL.

    The moves of a position are made twice: first to prefetch the memory they need, then to use it.
    """
    moves = move_buffer()
    different = ZERO
    for number in range(count):
        offset = number << RECORD_SHIFT
        board = read_position(records, offset)
        found = list_moves(board, moves)
        if different + found > most:
            return TABLE_FULL
        for index in range(found):
            prefetch(table, first_slot(apply(board, load_move(moves, index)), slots) << RECORD_SHIFT)
        for index in range(found):
            after = apply(board, load_move(moves, index))
            different += merge_into(table, slots, after, records[offset + LOW], records[offset + HIGH])
    return different


@kernel
def pack(table: np.ndarray, slots: np.uint64, records: np.ndarray) -> None:
    """Copy the used records of a table to the front of `records`, which may overlap it from below."""
    target = ZERO
    for slot in range(slots):
        source = slot << RECORD_SHIFT
        if table[source + TAG] != ZERO:
            for word in range(U64(WORDS)):
                records[target + word] = table[source + word]
            target += ONE << RECORD_SHIFT


@kernel
def count_successors(records: np.ndarray, count: np.uint64) -> np.uint64:
    """The total number of legal moves of the first `count` positions."""
    successors = ZERO
    for number in range(count):
        successors += count_moves(read_position(records, number << RECORD_SHIFT))
    return successors


@kernel
def spread(records: np.ndarray, count: np.uint64, successors: np.ndarray) -> None:
    """Write all successors of `count` positions into records, without merging equal ones."""
    moves = move_buffer()
    target = ZERO
    for number in range(count):
        board = read_position(records, number << RECORD_SHIFT)
        found = list_moves(board, moves)
        for index in range(found):
            write_position(successors, target, apply(board, load_move(moves, index)))
            successors[target + TAG], successors[target + LOW], successors[target + HIGH] = ONE, ONE, ZERO
            target += ONE << RECORD_SHIFT


@kernel
def sum_occurrences(records: np.ndarray, count: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The total number of occurrences of the first `count` positions, as a 128-bit number (low, high)."""
    low, high = ZERO, ZERO
    for number in range(count):
        offset = number << RECORD_SHIFT
        low, high = add_wide(low, high, records[offset + LOW], records[offset + HIGH])
    return low, high
