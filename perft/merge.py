"""From all positions of one ply to all of the next, equal ones merged and counted.

lines: | positions of this ply | table for the next ply ............ |
after: | positions of the next ply | free ........................... |
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
    LINE_SHIFT,
    LOW,
    TAG,
    WORDS,
    add_wide,
    hash_of,
    line_holds,
    read_position,
    write_position,
)

TABLE_FULL = ALL


@inlined
def first_slot(board: Board, slots: np.uint64) -> np.uint64:
    """Where a position stands in a table, or would if nothing were in the way."""
    return multiply_high(hash_of(board), slots)


@inlined
def merge_into(table: np.ndarray, slots: np.uint64, board: Board, low: np.uint64, high: np.uint64) -> np.uint64:
    """Add a position that occurs so often to a table; -> 1 if it was not there yet, else 0."""
    slot = first_slot(board, slots)
    place = slot << LINE_SHIFT
    while table[place + TAG] != ZERO and not line_holds(table, place, board):
        slot = slot + ONE if slot + ONE < slots else ZERO
        place = slot << LINE_SHIFT
    is_new = table[place + TAG] == ZERO
    if is_new:
        write_position(table, place, board)
        table[place + TAG] = ONE
    table[place + LOW], table[place + HIGH] = add_wide(table[place + LOW], table[place + HIGH], low, high)
    return U64(is_new)


@kernel
def next_ply(lines: np.ndarray, count: np.uint64, table: np.ndarray, slots: np.uint64, most: np.uint64) -> np.uint64:
    """Merge all successors of `count` positions into an empty table; -> how many differ, or TABLE_FULL.

    The moves of a position are made twice: first to call up the memory they need, all at once, then to use it.
    """
    moves = move_buffer()
    different = ZERO
    for line in range(count):
        place = line << LINE_SHIFT
        board = read_position(lines, place)
        found = list_moves(board, moves)
        if different + found > most:
            return TABLE_FULL
        for index in range(found):
            prefetch(table, first_slot(apply(board, load_move(moves, index)), slots) << LINE_SHIFT)
        for index in range(found):
            after = apply(board, load_move(moves, index))
            different += merge_into(table, slots, after, lines[place + LOW], lines[place + HIGH])
    return different


@kernel
def pack(table: np.ndarray, slots: np.uint64, lines: np.ndarray) -> None:
    """Copy the used lines of a table to the front of `lines`, which may overlap it from below."""
    target = ZERO
    for slot in range(slots):
        source = slot << LINE_SHIFT
        if table[source + TAG] != ZERO:
            for word in range(U64(WORDS)):
                lines[target + word] = table[source + word]
            target += ONE << LINE_SHIFT


@kernel
def count_successors(lines: np.ndarray, count: np.uint64) -> np.uint64:
    """How many legal moves the first `count` positions have together."""
    successors = ZERO
    for line in range(count):
        successors += count_moves(read_position(lines, line << LINE_SHIFT))
    return successors


@kernel
def spread(lines: np.ndarray, count: np.uint64, successors: np.ndarray) -> None:
    """Write all successors of `count` positions into lines, without merging equal ones."""
    moves = move_buffer()
    target = ZERO
    for line in range(count):
        board = read_position(lines, line << LINE_SHIFT)
        found = list_moves(board, moves)
        for index in range(found):
            write_position(successors, target, apply(board, load_move(moves, index)))
            successors[target + TAG], successors[target + LOW], successors[target + HIGH] = ONE, ONE, ZERO
            target += ONE << LINE_SHIFT


@kernel
def sum_occurrences(lines: np.ndarray, count: np.uint64) -> tuple[np.uint64, np.uint64]:
    """How often the first `count` positions occur together, as a 128-bit number (low, high)."""
    low, high = ZERO, ZERO
    for line in range(count):
        place = line << LINE_SHIFT
        low, high = add_wide(low, high, lines[place + LOW], lines[place + HIGH])
    return low, high
