"""Kernels for tests."""

from engine.training.teacher.nnue import teacher_parts, teacher_value
from engine.training.teacher.quiet import quiet_teacher_value
from engine.training.teacher.simulate import score_of_value
from movegen.board import board_at
from movegen.compiler.jit import kernel


@kernel
def parts_of(net, scratch, boards, sides, parts):
    """Both parts of the value of each board."""
    for number in range(len(boards)):
        direct, positional = teacher_parts(net, scratch, board_at(boards, number), sides[number])
        parts[number, 0], parts[number, 1] = direct, positional


@kernel
def scores_of(values, scale, scores):
    """The score of each value."""
    for number in range(len(values)):
        scores[number] = score_of_value(values[number], scale)


@kernel
def quiet_teacher_values(net, scratch, boards, plain, quiet):
    """The values of many boards: as they are, and after captures."""
    for number in range(len(boards)):
        board = board_at(boards, number)
        plain[number] = teacher_value(net, scratch.teacher, board, 0)
        quiet[number] = quiet_teacher_value(net, scratch, board, 0)
