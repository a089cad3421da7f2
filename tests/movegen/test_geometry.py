import chess
import pytest

from movegen import geometry
from movegen.sliders import attacks_for_all, relevant_squares, subsets


def test_knight_and_king_attacks_are_python_chess_s():
    for square in chess.SQUARES:
        assert geometry.attacks(square, geometry.KNIGHT_JUMPS, limit=1) == chess.BB_KNIGHT_ATTACKS[square]
        assert (
            geometry.attacks(square, geometry.DIAGONALS + geometry.STRAIGHTS, limit=1) == chess.BB_KING_ATTACKS[square]
        )


def test_between_is_python_chess_s():
    table = geometry.between_table()
    for a in chess.SQUARES:
        for b in chess.SQUARES:
            assert table[64 * a + b] == chess.between(a, b)


@pytest.mark.parametrize(
    ("king", "rook", "empty", "safe"),
    [
        ("e", "h", "fg", "efg"),  # standard, short
        ("e", "a", "bcd", "cde"),  # standard, long
        ("b", "a", "cd", "bc"),  # Chess960: the king steps right, the rook jumps over it
        ("g", "h", "f", "g"),  # the king stays
        ("f", "g", "", "fg"),  # king and rook change places
        ("b", "c", "defg", "bcdefg"),
    ],
)
def test_castling_paths(king, rook, empty, safe):
    must_be_empty, must_be_safe = geometry.castling_tables()
    place = 8 * "abcdefgh".index(king) + "abcdefgh".index(rook)
    expected = [sum(1 << "abcdefgh".index(file) for file in files) for files in (empty, safe)]
    assert [must_be_empty[place], must_be_safe[place]] == expected


def test_subsets_are_in_gathered_order():
    mask = 1 << 3 | 1 << 17 | 1 << 60
    expected = [sum(bit for place, bit in enumerate((1 << 3, 1 << 17, 1 << 60)) if n >> place & 1) for n in range(8)]
    assert subsets(mask).tolist() == expected


def test_the_quick_attack_table_agrees_with_the_slow_walk():
    for square in (0, 7, 27, 36, 56, 63):
        for steps in (geometry.DIAGONALS, geometry.STRAIGHTS):
            occupations = subsets(relevant_squares(square, steps))[::7]
            expected = [geometry.attacks(square, steps, int(occupied)) for occupied in occupations]
            assert attacks_for_all(square, steps, occupations).tolist() == expected
