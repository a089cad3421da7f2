import chess
import numpy as np
import pytest

from engine.network.batch import inputs_of, moves_of
from movegen.moves import MAX_MOVES
from tests.engine.network import reference
from tests.engine.network.boards import board_words, code_to_move
from tests.positions import random_positions

# En-passant captures that discover check: by the pawn that is taken, by both pawns at once, and none.
RARE = (
    "7k/8/8/3Pp3/8/8/1B6/4K3 w - e6 0 1",
    "8/8/8/R2Pp2k/8/8/8/4K3 w - e6 0 1",
    "4k3/1b6/8/8/3pP3/8/8/7K b - e3 0 1",
    "4k3/8/8/8/r2pP2K/8/8/8 b - e3 0 1",
    "7k/8/8/3Pp3/8/2B5/8/4K3 w - e6 0 1",
    "7k/8/8/3Pp3/8/1B6/8/4K3 w - e6 0 1",
)


@pytest.fixture(scope="module")
def boards(scaled):
    played = [board.copy(stack=False) for board in random_positions(scaled(3000), seed=5)]
    return played + [chess.Board(fen) for fen in RARE]


def test_the_rare_positions_are_what_they_are_said_to_be():
    discovered = []
    for fen in RARE:
        board = chess.Board(fen)
        (capture,) = (move for move in board.legal_moves if board.is_en_passant(move))
        board.push(capture)
        discovered.append(board.is_check())
    assert discovered == [True, True, True, True, True, False]


def as_chess960(board):
    copy = board.copy(stack=False)
    copy.chess960 = True
    return copy


@pytest.mark.thorough
def test_inputs_are_those_of_the_reference(boards):
    inputs, counts = np.zeros((len(boards), 32), dtype=np.uint16), np.zeros(len(boards), dtype=np.uint8)
    inputs_of(board_words(boards), np.arange(len(boards)), inputs, counts)
    for line, board in enumerate(boards):
        actual = inputs[line, : counts[line]].tolist()
        assert sorted(actual) == sorted(reference.inputs(board)), board.fen()


@pytest.mark.thorough
def test_rows_of_moves_are_those_of_the_reference(boards):
    moves, rows = np.zeros(len(boards) * 100, dtype=np.uint16), np.zeros((len(boards) * 100, 4), dtype=np.uint16)
    starts = np.zeros(len(boards) + 1, dtype=np.int64)
    found = np.zeros(MAX_MOVES, dtype=np.uint16)
    moves_of(board_words(boards), np.arange(len(boards)), found, moves, rows, starts)
    for line, original in enumerate(boards):
        board = as_chess960(original)
        for place in range(starts[line], starts[line + 1]):
            move = code_to_move(moves[place], board)
            assert rows[place].tolist() == reference.rows(board, move), (board.fen(), move)
