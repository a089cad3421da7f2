"""The random-move kernel: every legal move, nothing else, each with the same chance."""

from collections import Counter

import numpy as np
import pytest

from movegen import Ending, Position
from movegen.generate import random_move
from movegen.moves import NO_MOVE
from movegen.playout import random_games
from tests.positions import random_positions

U64 = np.uint64

POSITIONS = {
    "start": Position(),
    "castling": Position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    "promotions": Position("1n1n4/2P1k3/8/8/8/8/5p1p/K3N1N1 w - - 0 1"),
    "en passant twice": Position("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1"),
    "pins": Position("4k3/4r3/8/1b5q/8/3PBP2/4Q3/4K2r w - - 0 1"),
    "check": Position("4k3/8/8/8/4r3/3P4/R7/4K1N1 w - - 0 1"),
    "double check": Position("4k3/8/8/8/4r3/3n4/8/4K1NR w K - 0 1"),
    "chess960": Position("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 b GBgb - 0 1", chess960=True),
}


@pytest.mark.thorough
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS.keys())
def test_samples_are_uniform(position, scaled):
    """Chi-square with a fixed seed: beyond the 99.99 % point for these degrees of freedom would be no chance."""
    samples = scaled(200_000, plain=2000)
    rng = np.random.default_rng(7)
    counts = Counter(
        int(random_move(position.board, word)) for word in rng.integers(0, 2**64, samples, dtype=np.uint64)
    )
    assert set(counts) == set(position.move_codes)
    expected = samples / len(position.move_codes)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = len(position.move_codes) - 1
    limit = freedom + 3.72 * (2 * freedom) ** 0.5 + 9.2  # above the 99.99 % quantile for 1 to 60 degrees
    assert chi_square < limit


@pytest.mark.thorough
def test_the_lowest_and_highest_random_word_give_a_legal_move(scaled):
    for board in random_positions(scaled(2_000), seed=8):
        position = Position(board.fen(), chess960=board.chess960)
        for word in (0, 2**64 - 1):
            move = int(random_move(position.board, U64(word)))
            assert move in position.move_codes or (move == NO_MOVE and not position.move_codes)


@pytest.mark.thorough
def test_all_moves_are_sampled(scaled):
    """n equally spaced random words give all n moves."""
    for board in random_positions(scaled(2_000), seed=9):
        position = Position(board.fen(), chess960=board.chess960)
        number = len(position.move_codes)
        sampled = {int(random_move(position.board, U64((2 * i + 1) * 2**63 // number))) for i in range(number)}
        assert sampled == set(position.move_codes)


@pytest.mark.parametrize("fen", ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
def test_no_move_where_there_is_none(fen):
    position = Position(fen)
    assert position.outcome() in (Ending.STALEMATE, Ending.CHECKMATE)
    assert random_move(position.board, U64(12345)) == NO_MOVE


def test_random_games_end_and_follow_the_seed(scaled):
    start = Position()
    first = random_games(start.board, U64(0), U64(1), U64(scaled(1000, plain=20)))
    assert first == random_games(start.board, U64(0), U64(1), U64(scaled(1000, plain=20)))
    moves = int(first[0]) / scaled(1000, plain=20)
    assert 200 < moves < 500  # about 324 plies are known for uniformly random games


@pytest.mark.parametrize(
    ("fen", "clock", "moves"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, 0),  # stalemate
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0, 0),  # mate
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", 0, 0),  # bare kings
        ("7k/8/6K1/8/8/8/7P/8 b - - 99 80", 99, 1),  # one more move makes fifty
        ("7k/8/6K1/8/8/8/7P/8 b - - 100 80", 100, 0),
    ],
)
def test_random_games_stop_at_once_where_the_game_is_over(fen, clock, moves):
    assert int(random_games(Position(fen).board, U64(clock), U64(1), U64(1))[0]) == moves
