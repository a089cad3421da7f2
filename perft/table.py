"""Count leaves with a table of positions already counted, shared by all threads.

A thread that uses a line takes its tag out and leaves BUSY there, so lines are never read half-written;
a thread that finds BUSY does without. The tag of a used line is the depth its number belongs to.
"""

import numpy as np

from movegen.apply import apply
from movegen.bits import ALL, ONE, ZERO, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import exchange, publish
from movegen.legal import list_moves
from movegen.moves import load_move, move_buffer
from perft.count import DEEPEST_FOR_ONE_WORD, count_leaves
from perft.records import HIGH, LINE_SHIFT, LOW, TAG, add_wide, hash_of, line_holds, read_position, write_position

BUSY = ALL
SHALLOWEST = np.uint64(3)  # nearer the leaves, counting is quicker than looking up
SPREAD_DEPTHS = np.uint64(0x9E3779B97F4A7C15)  # counts of one position at several depths go to several lines
ONE_WORD = np.uint64(DEEPEST_FOR_ONE_WORD)


@inlined
def look_up(table: np.ndarray, place: np.uint64, board: Board, depth: np.uint64) -> tuple[bool, np.uint64, np.uint64]:
    """-> was this position counted to this depth? and the count."""
    hit, low, high = False, ZERO, ZERO
    tag = exchange(table, place + TAG, BUSY)
    if tag != BUSY:
        if tag == depth and line_holds(table, place, board):
            hit, low, high = True, table[place + LOW], table[place + HIGH]
        publish(table, place + TAG, tag)
    return hit, low, high


@inlined
def keep(table: np.ndarray, place: np.uint64, board: Board, depth: np.uint64, low: np.uint64, high: np.uint64) -> None:
    """Note a count, unless the line is busy."""
    if exchange(table, place + TAG, BUSY) != BUSY:
        write_position(table, place, board)
        table[place + LOW], table[place + HIGH] = low, high
        publish(table, place + TAG, depth)


@kernel
def count_with_table(
    board: Board, depth: np.uint64, table: np.ndarray, slots: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Leaves as a 128-bit number (low, high). A table of no slots is none."""
    if depth < SHALLOWEST or (slots == ZERO and depth <= ONE_WORD):
        return count_leaves(board, depth), ZERO
    place = multiply_high(hash_of(board) + depth * SPREAD_DEPTHS, slots) << LINE_SHIFT
    if slots != ZERO:
        hit, low, high = look_up(table, place, board, depth)
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
        keep(table, place, board, depth, low, high)
    return low, high


@inlined
def add_product(total: np.ndarray, low: np.uint64, high: np.uint64, times: np.uint64) -> None:
    """Add (low, high) · times to a total of three words, 192 bits."""
    carry_low, carry_high = add_wide(low * times, multiply_high(low, times), total[0], ZERO)
    total[0] = carry_low
    total[1], total[2] = add_wide(total[1], total[2], carry_high, ZERO)
    total[1], total[2] = add_wide(total[1], total[2], high * times, multiply_high(high, times))


@kernel
def count_lines(
    lines: np.ndarray,
    first: np.uint64,
    last: np.uint64,
    depth: np.uint64,
    table: np.ndarray,
    slots: np.uint64,
    total: np.ndarray,
) -> None:
    """Add up the leaves of the positions of lines first … last − 1, each as often as it occurs.

    The number of occurrences is below 2^64 here (see `perft.frontier`), the total is kept in three words.
    """
    line = first
    while line < last:
        place = line << LINE_SHIFT
        low, high = count_with_table(read_position(lines, place), depth, table, slots)
        add_product(total, low, high, lines[place + LOW])
        line += ONE
