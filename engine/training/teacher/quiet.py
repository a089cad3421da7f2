"""The teacher's value of a position once hanging pieces are taken: a search of winning captures, and of check evasions.

The player to move takes the value of the position (not in check) or of what is left after a capture that wins material;
in check, of what is left after the best legal move. So does the opponent, four plies deep.
"""

from typing import NamedTuple

import numpy as np

from engine.network.captures import capture_buffer, load_capture, winning_captures
from engine.network.features import attack_maps
from engine.training.teacher.nnue import LARGEST_VALUE, TeacherScratch, new_teacher_scratch, teacher_value
from engine.training.teacher.nnue_file import TeacherNet
from movegen.apply import apply
from movegen.attacks import checkers
from movegen.bits import U64, ZERO
from movegen.board import Board, board_at
from movegen.compiler.jit import inlined
from movegen.generate import fill_moves
from movegen.moves import MAX_MOVES

DEEPEST = 4  # plies; there the value counts, in check or not
MATED = LARGEST_VALUE + 1_000  # worse than any value; less the plies until it
BEST, UPPER, COUNT, INDEX = range(4)  # the columns of `numbers`
i64 = np.int64


class QuietScratch(NamedTuple):
    """The memory of one thread."""

    teacher: TeacherScratch
    boards: np.ndarray  # uint64 [DEEPEST + 1, 6], the position at each ply
    moves: np.ndarray  # uint16 [DEEPEST + 1, MAX_MOVES], those that are tried there
    numbers: np.ndarray  # int64 [DEEPEST + 1, 4]: best value so far, what is enough, number of moves, the next one


def new_quiet_scratch(net: TeacherNet) -> QuietScratch:
    """Memory for one thread."""
    return QuietScratch(
        new_teacher_scratch(net),
        np.zeros((DEEPEST + 1, 6), dtype=np.uint64),
        np.zeros((DEEPEST + 1, MAX_MOVES), dtype=np.uint16),
        np.zeros((DEEPEST + 1, 4), dtype=np.int64),
    )


@inlined
def put_board(scratch: QuietScratch, ply: int, board: Board, upper: np.int64) -> None:
    """Note a position and the value from which on the opponent avoids it."""
    words = scratch.boards[ply]
    words[0], words[1], words[2], words[3], words[4], words[5] = board
    scratch.numbers[ply, UPPER] = upper


@inlined
def list_captures(board: Board, moves: np.ndarray) -> np.int64:
    """Write the winning captures; -> how many."""
    buffer = capture_buffer()
    count = winning_captures(board, attack_maps(board), buffer)
    for index in range(count):
        moves[index] = np.uint16(load_capture(buffer, U64(index)))
    return i64(count)


@inlined
def begin_ply(net: TeacherNet, scratch: QuietScratch, ply: int, side: int) -> None:
    """Find what the position at a ply is worth without a move, and the moves to try."""
    board, numbers, moves = board_at(scratch.boards, ply), scratch.numbers[ply], scratch.moves[ply]
    numbers[COUNT] = numbers[INDEX] = 0
    if ply < DEEPEST and checkers(board) != ZERO:
        numbers[BEST] = i64(ply - MATED)
        numbers[COUNT] = i64(fill_moves(board, moves))
        return
    numbers[BEST] = teacher_value(net, scratch.teacher, board, side)
    if ply < DEEPEST and numbers[BEST] < numbers[UPPER]:
        numbers[COUNT] = list_captures(board, moves)


@inlined
def quiet_teacher_value(net: TeacherNet, scratch: QuietScratch, board: Board, side: int) -> np.int64:
    """The value for the player to move, who is player `side` (see `teacher_parts`), in Stockfish's units."""
    numbers = scratch.numbers
    put_board(scratch, 0, board, i64(MATED))
    ply, is_new = 0, True
    while ply >= 0:
        if is_new:
            begin_ply(net, scratch, ply, (side + ply) & 1)
            is_new = False
        elif numbers[ply, INDEX] < numbers[ply, COUNT] and numbers[ply, BEST] < numbers[ply, UPPER]:
            after = apply(board_at(scratch.boards, ply), U64(scratch.moves[ply, numbers[ply, INDEX]]))
            numbers[ply, INDEX] += 1
            put_board(scratch, ply + 1, after, -numbers[ply, BEST])
            ply, is_new = ply + 1, True
        else:
            ply -= 1
            if ply >= 0:
                numbers[ply, BEST] = max(numbers[ply, BEST], -numbers[ply + 1, BEST])
    return i64(numbers[0, BEST])
