"""The rules against python-chess, over positions of random games of all kinds."""

import chess
import numpy as np
import pytest

from movegen import Position
from movegen.generate import count_moves, is_legal_move
from movegen.outcome import Ending
from movegen.zobrist import key_from_scratch
from tests.movegen import compiled
from tests.positions import random_positions

U64 = np.uint64
# A part for every run, all for `make test`.
POSITIONS = pytest.mark.parametrize("positions", [2_000, pytest.param(20_000, marks=pytest.mark.soak)])

ENDINGS = {
    None: Ending.NONE,
    chess.Termination.CHECKMATE: Ending.CHECKMATE,
    chess.Termination.STALEMATE: Ending.STALEMATE,
    chess.Termination.INSUFFICIENT_MATERIAL: Ending.INSUFFICIENT_MATERIAL,
    chess.Termination.SEVENTYFIVE_MOVES: Ending.SEVENTY_FIVE_MOVES,
    chess.Termination.FIVEFOLD_REPETITION: Ending.FIVEFOLD_REPETITION,
}


def read(board):
    return Position(board.fen(), chess960=board.chess960)


def uci_moves(board):
    return {board.uci(move) for move in board.legal_moves}


def ending_of(board):
    outcome = board.outcome()
    return ENDINGS[outcome and outcome.termination]


@pytest.mark.thorough
@POSITIONS
def test_moves_check_and_outcome(positions, scaled):
    """Legal moves as a set and as a number, check, the end of the game: as python-chess has them."""
    for board in random_positions(scaled(positions), seed=1):
        board.clear_stack()  # repetition is tested elsewhere
        position = read(board)
        expected = uci_moves(board)
        assert len(position.legal_moves) == len(expected)
        assert set(position.legal_moves) == expected, board.fen()
        assert count_moves(position.board) == len(expected)
        assert position.in_check == board.is_check()
        assert position.outcome() is ending_of(board), board.fen()


@pytest.mark.thorough
@POSITIONS
def test_the_position_after_every_move(positions, scaled):
    """FEN, key, SAN after moves; the key kept up is the key from scratch."""
    rng = np.random.default_rng(3)
    for board in random_positions(scaled(positions), seed=2):
        moves = list(board.legal_moves)
        position = read(board)
        for index in rng.choice(len(moves), size=min(3, len(moves)), replace=False) if moves else ():
            move = moves[index]
            uci, san = board.uci(move), board.san(move)
            assert position.san(uci) == san
            assert position.uci(san) == uci
            after = position.play(uci)
            board.push(move)
            assert after.fen() == board.fen(), (position.fen(), uci)
            assert after.key == key_from_scratch(after.board, U64(not board.turn))
            board.pop()


@pytest.mark.thorough
@POSITIONS
def test_fens_come_back_unchanged(positions, scaled):
    for board in random_positions(scaled(positions), seed=3):
        position = read(board)
        assert position.repairs == ()
        assert position.fen() == board.fen()
        assert position.fen(shredder=True) == board.fen(shredder=True)


@POSITIONS
def test_keys_are_equal_exactly_when_python_chess_s_are(positions, scaled):
    ours, theirs = {}, {}
    for board in random_positions(scaled(positions), seed=4):
        key, expected = read(board).key, board._transposition_key()
        assert ours.setdefault(key, expected) == expected
        assert theirs.setdefault(expected, key) == key
        assert key & 1 == (not board.turn)


@pytest.mark.thorough
def test_attackers_pins_and_checkers(scaled):
    for board in random_positions(scaled(2_000), seed=5):
        position = read(board)
        side = {True: "white", False: "black"}
        for square in range(0, 64, 3):
            for colour in chess.COLORS:
                expected = sorted(chess.square_name(s) for s in board.attackers(colour, square))
                assert position.attackers(chess.square_name(square), side[colour]) == expected
        pinned = [chess.square_name(s) for s in chess.SQUARES if board.color_at(s) == board.turn]
        assert position.pinned == sorted(s for s in pinned if board.is_pinned(board.turn, chess.parse_square(s)))
        expected = board.checkers_mask() if board.turn else chess.flip_vertical(board.checkers_mask())
        assert compiled.checkers(position.board) == expected
        assert compiled.is_insufficient(position.board) == board.is_insufficient_material()


def test_is_legal_move_knows_all_numbers(scaled):
    position = Position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    step = 3 if scaled(1000) == 1000 else 30
    legal = [code for code in range(0, 1 << 15, step) if is_legal_move(position.board, U64(code))]
    assert legal == [code for code in sorted(position.move_codes) if code % step == 0]
    assert all(is_legal_move(position.board, U64(code)) for code in position.move_codes)


@pytest.mark.soak
def test_a_million_positions():
    for board in random_positions(1_000_000, seed=6):
        position = read(board)
        assert set(position.legal_moves) == uci_moves(board), board.fen()
        assert count_moves(position.board) == board.legal_moves.count()
