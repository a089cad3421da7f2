"""Quiescence of the teacher against a search without cut-offs, with python-chess's moves and exchanges."""

import chess
import numpy as np
import pytest

from engine.training.teacher.quiet import DEEPEST, MATED, new_quiet_scratch
from tests.engine.network.boards import board_words
from tests.engine.network.test_captures import RARE, winning
from tests.engine.training.teacher.compiled import quiet_teacher_values
from tests.engine.training.teacher.made_up_nets import made_up_net
from tests.engine.training.teacher.test_nnue import net_of
from tests.positions import random_positions

NET = net_of(made_up_net(seed=9))


def values_of(boards):
    """-> the plain values, and those after captures."""
    plain, quiet = np.zeros((2, len(boards)), dtype=np.int64)
    quiet_teacher_values(NET, new_quiet_scratch(NET), board_words(boards), plain, quiet)
    return plain.tolist(), quiet.tolist()


def tried(board, ply):
    """The moves that are tried at a ply."""
    if ply == DEEPEST:
        return []
    return [move for move in board.legal_moves if board.is_check() or winning(board, move)]


def below(board, ply):
    """The positions after these moves."""
    for move in tried(board, ply):
        after = board.copy(stack=False)
        after.push(move)
        yield after


def all_positions(board, ply=0):
    yield board
    for after in below(board, ply):
        yield from all_positions(after, ply + 1)


def slow_value(board, known, ply=0):
    forced = board.is_check() and ply < DEEPEST
    best = ply - MATED if forced else known[board.fen()]
    return max([best, *(-slow_value(after, known, ply + 1) for after in below(board, ply))])


@pytest.mark.thorough
def test_values_are_those_of_a_search_without_cut_offs(scaled):
    boards = [board.copy(stack=False) for board in random_positions(scaled(400), seed=23)]
    boards += [chess.Board(fen) for fen in RARE]
    everything = list({position.fen(): position for board in boards for position in all_positions(board)}.values())
    known = dict(zip((position.fen() for position in everything), values_of(everything)[0], strict=True))
    plain, quiet = values_of(boards)
    assert quiet == [slow_value(board, known) for board in boards]
    changed = [board for board, one, other in zip(boards, plain, quiet, strict=True) if one != other]
    checks = sum(board.is_check() for board in changed)
    assert checks > 0
    assert len(changed) - checks > len(boards) // 25


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", -MATED),  # smothered mate
        ("k7/8/8/8/8/8/6q1/7K w - - 0 1", None),  # the queen must be taken
    ],
)
def test_checks_are_answered(fen, value):
    board = chess.Board(fen)
    after = list(below(board, 0))
    assert values_of([board])[1] == [value if value is not None else -values_of(after)[0][0]]
    assert len(after) == (value is None)
