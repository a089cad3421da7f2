"""Winning captures against exchanges that are played out with python-chess."""

import chess
import numpy as np
import pytest

from engine.network.captures import MOST_CAPTURES
from tests.engine.network import reference
from tests.engine.network.boards import board_words, code_to_move
from tests.engine.network.compiled import winning_captures_of
from tests.positions import random_positions

RARE = (
    "7k/8/8/3Pp3/8/8/1B6/4K3 w - e6 0 1",  # en passant wins a pawn
    "7k/3p4/8/3Pp3/8/8/8/4K3 w - e6 0 1",  # it is taken back
    "8/8/8/R2Pp2k/8/8/8/4K3 w - e6 0 1",
    "8/8/8/k2Pp2R/8/8/8/4K3 w - e6 0 1",
    "8/8/8/8/R2pP2k/8/8/4K3 b - e3 0 1",  # the capture would open the rank to the king
    "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",  # this one too
    "2r1k3/1P6/8/8/8/8/8/4K3 w - - 0 1",  # promotion, with and without a capture
    "r1r1k3/1P6/8/8/8/8/8/4K3 w - - 0 1",
    "1r2k3/8/8/8/8/8/6p1/4KB1R b - - 0 1",
    "4k3/8/8/8/8/4q3/8/R3K2R w KQ - 0 1",  # in check
    "4k3/4r3/8/8/8/8/4B3/R3K1q1 w Q - 0 1",  # the bishop is pinned
    "4r2k/8/8/8/8/5n2/4B3/4K3 w - - 0 1",  # in check by a knight, and the bishop is pinned
    "4k3/8/8/8/8/8/3q4/R3K3 w Q - 0 1",  # the king takes
    "4k3/8/8/8/8/8/1b1q4/R1B1K3 w Q - 0 1",
    "3rk3/8/8/8/8/8/3q4/4K3 w - - 0 1",  # the king may not take: defended
    "3q3k/8/8/8/3r4/3K4/8/8 w - - 0 1",
    "7k/8/8/8/r2K3q/8/8/8 w - - 0 1",
    "7k/P7/8/8/8/8/8/K7 w - - 0 1",
)


@pytest.fixture(scope="module")
def boards(scaled):
    return [board.copy(stack=False) for board in random_positions(scaled(3000), seed=15)] + [*map(chess.Board, RARE)]


def captures_of(boards):
    moves, counts = np.zeros((len(boards), MOST_CAPTURES), dtype=np.uint16), np.zeros(len(boards), dtype=np.int64)
    winning_captures_of(board_words(boards), moves, counts)
    rows = zip(boards, moves, counts.tolist(), strict=True)
    return [[code_to_move(code, board) for code in row[:count]] for board, row, count in rows]


def balance_of(board, move):
    """What a move wins at once, less what its piece costs if it can be taken."""
    view = reference.seen_by_mover(board)
    seen = move if board.turn else chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    gain = 1 if view.is_en_passant(seen) else reference.WORTH.get(view.piece_type_at(seen.to_square), 0)
    piece = view.piece_type_at(seen.from_square)
    if seen.promotion:
        gain, piece = gain + reference.WORTH[seen.promotion] - 1, seen.promotion
    is_defended = view.is_attacked_by(chess.BLACK, seen.to_square)
    return max(0, gain - reference.WORTH[piece]) if is_defended else gain


def winning(board, move):
    """Is it a capture or a promotion to a queen that wins material?"""
    if move.promotion not in (None, chess.QUEEN) or not (board.is_capture(move) or move.promotion):
        return False
    view = reference.seen_by_mover(board)
    seen = move if board.turn else chess.Move(move.from_square ^ 56, move.to_square ^ 56, move.promotion)
    return reference.exchange(view, seen) > 0


@pytest.mark.thorough
def test_winning_captures_are_those_of_the_reference(boards):
    found = 0
    for board, captures in zip(boards, captures_of(boards), strict=True):
        expected = [move for move in board.legal_moves if winning(board, move)]
        assert len(expected) <= MOST_CAPTURES
        assert sorted(map(str, captures)) == sorted(map(str, expected)), board.fen()
        found += len(expected)
    assert found > len(boards) // 4


@pytest.mark.thorough
def test_the_largest_gain_comes_first(boards):
    for board, captures in zip(boards, captures_of(boards), strict=True):
        gains = [balance_of(board, move) for move in captures]
        assert gains == sorted(gains, reverse=True), board.fen()


def test_the_rare_positions():
    first = [str(captures[0]) if captures else None for captures in captures_of([*map(chess.Board, RARE[:8])])]
    assert first == ["d5e6", None, "d5e6", "d5e6", None, None, "b7c8q", "b7c8q"]


def test_more_captures_than_there_is_room_for():
    """Nine queens before pieces that do not defend each other: the first ones are kept."""
    board = chess.Board("K3b1Q1/n2QQ2r/1Q2b3/8/1nQr2Q1/4Q3/1Q2bn1k/2r1Q3 w - - 0 1")
    (captures,) = captures_of([board])
    assert len(captures) == MOST_CAPTURES
    assert all(winning(board, move) for move in captures)
    assert sum(winning(board, move) for move in board.legal_moves) > MOST_CAPTURES
