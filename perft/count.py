"""Counters: walk the tree of legal moves to a depth and count its leaves.

`count_leaves` is the fast one without a table (it counts the moves of the last ply without making them); others like it
are for comparisons with it and with other programs. Counting with memory uses a table of positions already counted,
shared by all threads. A thread that uses a record replaces its tag by BUSY_TAG, so records are never read half-written;
a thread that finds BUSY_TAG skips the table. The tag of a used record is the depth that its number belongs to.
"""

import numpy as np

from movegen.apply import apply, apply_keyed
from movegen.bits import ALL, ONE, TWO, ZERO, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import exchange, publish
from movegen.generate import count_moves, list_moves
from movegen.moves import load_move, move_buffer
from perft.records import (
    HIGH,
    LOW,
    RECORD_SHIFT,
    TAG,
    add_wide,
    board_in_record,
    hash_of,
    holds_position,
    write_position,
)

# MAX_MOVES ** 7 < 2 ** 64: down to this depth a count fits a word, whatever the position.
DEEPEST_FOR_ONE_WORD = 7
BUSY_TAG = ALL
SHALLOWEST = np.uint64(3)  # nearer the leaves, counting is faster than looking up
SPREAD_DEPTHS = np.uint64(0x9E3779B97F4A7C15)  # counts of one position at several depths go to different records
ONE_WORD = np.uint64(DEEPEST_FOR_ONE_WORD)


# Without a table


@kernel
def count_leaves(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at a depth of 1 or more; the last ply by counting target sets ("popcount bulk")."""
    if depth == ONE:
        return count_moves(board)
    moves = move_buffer()
    found = list_moves(board, moves)
    leaves, index = ZERO, ZERO
    while index < found:
        after = apply(board, load_move(moves, index))
        if depth == TWO:
            leaves += count_moves(after)
        else:
            leaves += count_leaves(after, depth - ONE)
        index += ONE
    return leaves


@kernel
def count_by_lists(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at a depth of 1 or more; the last ply by the length of the move list, as Stockfish does it."""
    moves = move_buffer()
    found = list_moves(board, moves)
    if depth == ONE:
        return found
    leaves, index = ZERO, ZERO
    while index < found:
        leaves += count_by_lists(apply(board, load_move(moves, index)), depth - ONE)
        index += ONE
    return leaves


@kernel
def count_by_lists_keyed(board: Board, key: np.uint64, clock: np.uint64, depth: np.uint64) -> np.uint64:
    """`count_by_lists` with keys and 50-move counts kept, as a search does."""
    moves = move_buffer()
    found = list_moves(board, moves)
    if depth == ONE:
        return found
    leaves, index = ZERO, ZERO
    while index < found:
        after, new_key, new_clock = apply_keyed(board, key, clock, load_move(moves, index))
        leaves += count_by_lists_keyed(after, new_key, new_clock, depth - ONE)
        index += ONE
    return leaves


@kernel
def count_without_bulk(board: Board, depth: np.uint64) -> np.uint64:
    """Leaves at any depth, every single move made."""
    if depth == ZERO:
        return ONE
    moves = move_buffer()
    found = list_moves(board, moves)
    leaves, index = ZERO, ZERO
    while index < found:
        leaves += count_without_bulk(apply(board, load_move(moves, index)), depth - ONE)
        index += ONE
    return leaves


# With a table


@inlined
def look_up(table: np.ndarray, offset: np.uint64, board: Board, depth: np.uint64) -> tuple[bool, np.uint64, np.uint64]:
    """-> was this position counted to this depth?; the count (low, high)."""
    hit, low, high = False, ZERO, ZERO
    tag = exchange(table, offset + TAG, BUSY_TAG)
    if tag != BUSY_TAG:
        if tag == depth and holds_position(table, offset, board):
            hit, low, high = True, table[offset + LOW], table[offset + HIGH]
        publish(table, offset + TAG, tag)
    return hit, low, high


@inlined
def store_count(
    table: np.ndarray, offset: np.uint64, board: Board, depth: np.uint64, low: np.uint64, high: np.uint64
) -> None:
    """Store a count, unless the record is busy."""
    if exchange(table, offset + TAG, BUSY_TAG) != BUSY_TAG:
        write_position(table, offset, board)
        table[offset + LOW], table[offset + HIGH] = low, high
        publish(table, offset + TAG, depth)


@kernel
def count_with_table(
    board: Board, depth: np.uint64, table: np.ndarray, slots: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Leaves as a 128-bit number (low, high). A table with 0 slots is not used."""
    if depth < SHALLOWEST or (slots == ZERO and depth <= ONE_WORD):
        return (ONE if depth == ZERO else count_leaves(board, depth)), ZERO
    offset = multiply_high(hash_of(board) + depth * SPREAD_DEPTHS, slots) << RECORD_SHIFT
    if slots != ZERO:
        hit, low, high = look_up(table, offset, board, depth)
        if hit:
            return low, high
    moves = move_buffer()
    found = list_moves(board, moves)
    low, high, index = ZERO, ZERO, ZERO
    while index < found:
        after = apply(board, load_move(moves, index))
        more_low, more_high = count_with_table(after, depth - ONE, table, slots)
        low, high = add_wide(low, high, more_low, more_high)
        index += ONE
    if slots != ZERO:
        store_count(table, offset, board, depth, low, high)
    return low, high


@inlined
def add_product(total: np.ndarray, low: np.uint64, high: np.uint64, times: np.uint64) -> None:
    """Add (low, high) · times to a total of three words, 192 bits."""
    carry_low, carry_high = add_wide(low * times, multiply_high(low, times), total[0], ZERO)
    total[0] = carry_low
    total[1], total[2] = add_wide(total[1], total[2], carry_high, ZERO)
    total[1], total[2] = add_wide(total[1], total[2], high * times, multiply_high(high, times))


@kernel
def count_records(
    records: np.ndarray,
    first: np.uint64,
    last: np.uint64,
    depth: np.uint64,
    table: np.ndarray,
    slots: np.uint64,
    total: np.ndarray,
) -> None:
    """Add up the leaves of the positions of records first … last − 1, times their occurrences.

    The number of occurrences is below 2^64 here (see `perft.frontier`), the total has three words.
    """
    index = first
    while index < last:
        offset = index << RECORD_SHIFT
        low, high = count_with_table(board_in_record(records, offset), depth, table, slots)
        add_product(total, low, high, records[offset + LOW])
        index += ONE
