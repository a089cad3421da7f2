import chess
import numpy as np
import pytest

from engine.lc0 import net_format as nf
from engine.lc0.planes import LAYOUTS, fill_planes
from engine.network.leaves import LeafBatch
from tests.engine.lc0.games import batch_of, games
from tests.engine.lc0.planes_reference import planes_of

EN_PASSANT = [
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2",
]
ON_THE_DIAGONAL = ["8/8/2k5/8/4K3/8/1R6/8 w - - 3 9", "8/5n2/2k5/8/4K3/1b6/8/8 w - - 3 9"]


def lonely_king(square: str) -> chess.Board:
    board = chess.Board(None)
    board.set_piece_at(chess.parse_square(square), chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(chess.C1, chess.Piece(chess.KING, chess.BLACK))
    board.set_piece_at(chess.H8, chess.Piece(chess.ROOK, chess.WHITE))
    board.halfmove_clock = 5
    return board


def filled(leaves: LeafBatch, input_format: int) -> tuple[np.ndarray, np.ndarray]:
    planes, reflections = np.full((leaves.count, 112, 64), np.nan, np.float32), np.zeros(leaves.count, np.uint64)
    arrays = leaves.history, leaves.history_count, leaves.repetitions, leaves.side, leaves.clock
    fill_planes(*arrays, LAYOUTS[input_format], np.zeros(112, np.uint64), planes, reflections)
    return planes, reflections


@pytest.mark.parametrize("chess960", [False, True])
def test_planes_are_those_of_the_reference(chess960):
    boards = games(40, 5, chess960=chess960)
    boards += [chess.Board(fen, chess960=chess960) for fen in EN_PASSANT + ON_THE_DIAGONAL]
    boards += [lonely_king(square) for square in ("f2", "e6", "g4", "b4", "b5", "g5", "d7", "c3")]
    leaves = batch_of(boards)
    seen = set()
    for input_format in LAYOUTS:
        planes, numbers = filled(leaves, input_format)
        for row, board in enumerate(boards):
            expected, names = planes_of(board, input_format)
            assert numbers[row] == sum({"files": 1, "ranks": 2, "diagonal": 4}[name] for name in names), board.fen()
            different = np.unique(np.argwhere(~np.isclose(planes[row], expected))[:, 0])
            assert not different.size, (input_format, board.root().fen(), board.move_stack, different)
            seen.add(int(numbers[row]))
    assert seen == set(range(8))


def test_a_double_push_is_undone_in_boards_before_the_first():
    planes, _ = filled(batch_of([chess.Board(EN_PASSANT[1])]), nf.INPUT_CLASSICAL)
    pawns = [planes[0, 13 * place + 6].nonzero()[0].tolist() for place in range(8)]
    assert pawns == [[chess.D5], *[[chess.D7]] * 7]  # seen by Black, whose board is upside down


def test_the_start_has_no_boards_before_it():
    planes, _ = filled(batch_of([chess.Board()]), nf.INPUT_CLASSICAL)
    assert planes[0, :12].any()
    assert not planes[0, 13:104].any()
