"""How pieces move, against python-chess."""

import random

import chess
import pytest

from engine.explain.pieces import attacking_squares, between, can_attack, first_between, moves_like, named, steps

SQUARES = range(64)


def random_pieces(rng):
    board = chess.Board(None)
    for square in rng.sample(SQUARES, rng.randint(2, 20)):
        board.set_piece_at(square, chess.Piece(rng.randint(1, 6), rng.random() < 0.5))
    return board, {square: piece.symbol() for square, piece in board.piece_map().items()}


def test_lines_between_squares():
    for start in SQUARES:
        for target in SQUARES:
            expected = list(chess.SquareSet(chess.between(start, target)))
            assert sorted(between(start, target)) == expected
            distances = [chess.square_distance(start, square) for square in between(start, target)]
            assert distances == sorted(distances)
            files = chess.square_file(target) - chess.square_file(start)
            assert steps(start, target) == (files, chess.square_rank(target) - chess.square_rank(start))


@pytest.mark.parametrize("letter", list("nbrqkNBRQK"))
def test_moves_on_an_empty_board(letter):
    for start in SQUARES:
        board = chess.Board(None)
        board.set_piece_at(start, chess.Piece.from_symbol(letter))
        reached = {target for target in SQUARES if moves_like(letter, start, target)}
        assert reached == set(board.attacks(start))


def test_attacks_and_what_is_between():
    rng = random.Random(1)
    for _ in range(60):
        board, pieces = random_pieces(rng)
        for target in SQUARES:
            for white in (True, False):
                assert set(attacking_squares(pieces, target, white)) == set(board.attackers(white, target))
        for start in pieces:
            assert {target for target in SQUARES if can_attack(pieces, start, target)} == set(board.attacks(start))
            target = rng.randrange(64)
            found = [square for square in between(start, target) if square in pieces]
            assert first_between(pieces, start, target) == (found[0] if found else None)


def test_names():
    pieces = {0: "R", 60: "k", 9: "p", 1: "N", 2: "b", 3: "Q"}
    names = [named(pieces, square) for square in pieces]
    assert names == [
        "the rook on a1",
        "the king on e8",
        "the pawn on b2",
        "the knight on b1",
        "the bishop on c1",
        "the queen on d1",
    ]
