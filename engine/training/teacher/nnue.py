"""The value of a position by a net of Stockfish, exactly as Stockfish computes it, in whole numbers.

The first layer sees the board twice, from the side of each player: a row of weights for each piece and square, other
rows for each square of the own king (mirrored to the files e to h). The sums of these rows are kept, the last ones for
each square of the king and each player: the next position with the king there differs in a few pieces only, and their
rows are added and subtracted. The results do not depend on what is kept.
"""

from typing import NamedTuple

import numpy as np

from engine.network.features import KING, mirror_of, piece_of_kind
from engine.training.teacher.nnue_file import BUCKETS, FIRST, INPUTS, PADDED, SECOND, TeacherNet
from movegen.bits import ONE, U64, ZERO, Square, lowest_square, popcount, without_lowest
from movegen.board import Board, occupied_squares, own_king, turned
from movegen.compiler.jit import inlined
from movegen.compiler.memory import aligned_zeros

SQUARES, SIDES, SEVEN = 64, 2, U64(7)
CLIPPED, PRODUCT_SHIFT, SQUARE_SHIFT, LINEAR_SHIFT = 127, 7, 19, 6
SQUARED = FIRST - 1  # outputs of the first layer that go on; the last one is added to the result
STRAIGHT_FACTOR, STRAIGHT_DIVISOR = 600 * 16, 127 << 6
UNITS = 16  # of the sums, in one unit of the result
LARGEST_VALUE = 10_000
MOST_CHANGES = 64
i16, i32, i64 = np.int16, np.int32, np.int64
LOWEST, FULL = i16(0), i16(CLIPPED)
NO_ROW = i64(INPUTS)  # the row of zeros


class TeacherScratch(NamedTuple):
    """The memory of one thread for evaluations."""

    boards: np.ndarray  # uint64 [SIDES, SQUARES, 4], the pieces whose rows are summed
    sums: np.ndarray  # int16 [SIDES, SQUARES, L]
    directs: np.ndarray  # int32 [SIDES, SQUARES, BUCKETS]
    added: np.ndarray  # int64 [MOST_CHANGES], rows
    removed: np.ndarray  # int64 [MOST_CHANGES]
    products: np.ndarray  # int16 [L]
    first: np.ndarray  # int64 [FIRST]
    second: np.ndarray  # int16 [PADDED]


def new_teacher_scratch(net: TeacherNet) -> TeacherScratch:
    """Memory for one thread: the sums of empty boards."""
    width = net.bias.size
    sums = aligned_zeros(SIDES * SQUARES * width, np.int16).reshape(SIDES, SQUARES, width)
    sums[...] = net.bias
    return TeacherScratch(
        np.zeros((SIDES, SQUARES, 4), dtype=np.uint64),
        sums,
        np.zeros((SIDES, SQUARES, BUCKETS), dtype=np.int32),
        np.zeros(MOST_CHANGES, dtype=np.int64),
        np.zeros(MOST_CHANGES, dtype=np.int64),
        aligned_zeros(width, np.int16),
        np.zeros(FIRST, dtype=np.int64),
        np.zeros(PADDED, dtype=np.int16),
    )


# The first layer


@inlined
def row_of(
    own: np.uint64, diagonal: np.uint64, straight: np.uint64, leaper: np.uint64, square: Square, zone: np.uint64
) -> np.int64:
    """The row of the piece on a square, given the four sets of `Board`; `zone`: see `zone_of`."""
    kind = (diagonal >> square & ONE) << U64(2) | (straight >> square & ONE) << ONE | leaper >> square & ONE
    piece = piece_of_kind(kind)
    owner = ONE ^ own >> square & ONE if piece != KING else ZERO
    return i64((zone >> U64(3)) + ((piece << ONE | owner) << U64(6)) + (square ^ zone & SEVEN))


@inlined
def zone_of(board: Board) -> np.uint64:
    """The first row of the own king's square, in the upper bits; in the lowest three what to xor squares with."""
    mirror = mirror_of(board) ^ SEVEN
    king = own_king(board) ^ mirror
    number = U64(31) - (king >> U64(3) << U64(2)) - ((king & SEVEN) - U64(4))
    return number * U64(INPUTS // 32) << U64(3) | mirror


@inlined
def list_changes(board: Board, known: np.ndarray, scratch: TeacherScratch) -> int:
    """List the rows to add and to subtract, and note the board as known; -> the length of the longer list.

    The shorter one is filled up with the row of zeros, both to an even length.
    """
    zone = zone_of(board)
    own, diagonal, straight, leaper = known[0], known[1], known[2], known[3]
    before, after = diagonal | straight | leaper, occupied_squares(board)
    changed = own ^ board.own | diagonal ^ board.diagonal | straight ^ board.straight | leaper ^ board.leaper
    added, removed = 0, 0
    while changed:
        square = lowest_square(changed)
        if before >> square & ONE:
            scratch.removed[removed] = row_of(own, diagonal, straight, leaper, square, zone)
            removed += 1
        if after >> square & ONE:
            scratch.added[added] = row_of(board.own, board.diagonal, board.straight, board.leaper, square, zone)
            added += 1
        changed = without_lowest(changed)
    known[0], known[1], known[2], known[3] = board.own, board.diagonal, board.straight, board.leaper
    longest = max(added, removed)
    longest += longest & 1
    for index in range(added, longest):
        scratch.added[index] = NO_ROW
    for index in range(removed, longest):
        scratch.removed[index] = NO_ROW
    return longest


@inlined
def update_sums(net: TeacherNet, scratch: TeacherScratch, board: Board, side: int) -> np.uint64:
    """Bring the sums of the player to move up to date, who is player `side`; -> the square of the king."""
    king = own_king(board)
    count = list_changes(board, scratch.boards[side, king], scratch)
    sums, direct = scratch.sums[side, king], scratch.directs[side, king]
    for index in range(0, count, 2):
        first, second = scratch.added[index], scratch.added[index + 1]
        third, fourth = scratch.removed[index], scratch.removed[index + 1]
        a, b, c, d = net.rows[first], net.rows[second], net.rows[third], net.rows[fourth]
        for j in range(sums.size):
            sums[j] = i16(i16(sums[j] + i16(a[j] + b[j])) - i16(c[j] + d[j]))
        for j in range(BUCKETS):
            change = net.direct[first, j] + net.direct[second, j] - net.direct[third, j] - net.direct[fourth, j]
            direct[j] = i32(direct[j] + change)
    return king


@inlined
def multiply_halves(sums: np.ndarray, products: np.ndarray) -> None:
    """Clip the sums of one side, and multiply each of the first half with one of the second."""
    half = products.size
    left, right = sums[:half], sums[half:]
    for j in range(half):
        a, b = min(max(left[j], LOWEST), FULL), min(max(right[j], LOWEST), FULL)
        products[j] = i16(i16(a * b) >> i16(PRODUCT_SHIFT))


# The other layers


@inlined
def clipped(value: np.int64) -> np.int16:
    """Between 0 and CLIPPED."""
    return i16(min(max(value, i64(0)), i64(CLIPPED)))


@inlined
def dot(weights: np.ndarray, inputs: np.ndarray) -> np.int32:
    """The sum of products."""
    total = i32(0)
    for j in range(inputs.size):
        total = i32(total + i32(i32(weights[j]) * i32(inputs[j])))
    return total


@inlined
def layers(net: TeacherNet, scratch: TeacherScratch, bucket: int) -> np.int64:
    """The result of the layers after the first, in 1/UNITS."""
    first, second = scratch.first, scratch.second
    for output in range(FIRST):
        first[output] = i64(net.first_bias[bucket, output]) + i64(dot(net.first_rows[bucket, output], scratch.products))
    for output in range(SQUARED):
        second[output] = clipped(first[output] * first[output] >> i64(SQUARE_SHIFT))
        second[SQUARED + output] = clipped(first[output] >> i64(LINEAR_SHIFT))
    total = i64(net.last_bias[bucket])
    for output in range(SECOND):
        value = i64(net.second_bias[bucket, output]) + i64(dot(net.second_rows[bucket, output], second))
        total += i64(clipped(value >> i64(LINEAR_SHIFT))) * i64(net.last_rows[bucket, output])
    return total + toward_zero(first[SQUARED] * i64(STRAIGHT_FACTOR), i64(STRAIGHT_DIVISOR))


@inlined
def toward_zero(value: np.int64, divisor: np.int64) -> np.int64:
    """A quotient as in C."""
    return value // divisor if value >= 0 else -(-value // divisor)


@inlined
def teacher_parts(net: TeacherNet, scratch: TeacherScratch, board: Board, side: int) -> tuple[np.int64, np.int64]:
    """What the pieces count directly, and the result of the layers, in 1/UNITS, for the player to move.

    `side`, 0 or 1, is the number of that player: it decides which sums are used, not the result.
    """
    bucket = (i64(popcount(occupied_squares(board))) - 1) // 4
    half = scratch.products.size // 2
    king = update_sums(net, scratch, board, side)
    multiply_halves(scratch.sums[side, king], scratch.products[:half])
    direct = i64(scratch.directs[side, king, bucket])
    king = update_sums(net, scratch, turned(board), 1 - side)
    multiply_halves(scratch.sums[1 - side, king], scratch.products[half:])
    direct -= i64(scratch.directs[1 - side, king, bucket])
    return toward_zero(direct, i64(2)), layers(net, scratch, int(bucket))


@inlined
def teacher_value(net: TeacherNet, scratch: TeacherScratch, board: Board, side: int) -> np.int64:
    """The value for the player to move, in Stockfish's units; never more than LARGEST_VALUE."""
    direct, positional = teacher_parts(net, scratch, board, side)
    value = toward_zero(direct + positional, i64(UNITS))
    return min(max(value, i64(-LARGEST_VALUE)), i64(LARGEST_VALUE))
