"""Positions to test with, made by python-chess from a seed: random games of all kinds, and sparse boards."""

import random
from collections.abc import Iterator

import chess


def game_starts(rng: random.Random) -> chess.Board:
    """Standard chess, Chess960 or double Fischer random, one as likely as the other."""
    kind = rng.randrange(3)
    if kind == 0:
        return chess.Board()
    if kind == 1:
        return chess.Board.from_chess960_pos(rng.randrange(960))
    return double_fischer_random(rng)


def double_fischer_random(rng: random.Random) -> chess.Board:
    """White and Black start from different Chess960 positions."""
    white, black = (chess.Board.from_chess960_pos(rng.randrange(960)) for _ in range(2))
    board = chess.Board(None, chess960=True)
    for square in chess.SQUARES:
        source = white if square < 32 else black
        board.set_piece_at(square, source.piece_at(square))
    board.castling_rights = board.rooks
    return board


def sparse_board(rng: random.Random) -> chess.Board:
    """Few pieces, with sliders and with pawns near promotion: many pins, checks and promotions."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), rng.randint(3, 14))
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, chess.BLACK))
        for square in squares:
            colour = rng.random() < 0.5
            kind = rng.choice((1, 1, 1, 2, 3, 4, 5))
            if kind == chess.PAWN and chess.square_rank(square) in (0, 7):
                kind = chess.QUEEN
            board.set_piece_at(square, chess.Piece(kind, colour))
        board.turn = rng.random() < 0.5
        if all(len(board.pieces(chess.PAWN, colour)) <= 8 for colour in chess.COLORS) and not board.was_into_check():
            return board


def random_game(board: chess.Board, rng: random.Random, plies: int) -> Iterator[chess.Board]:
    """The positions of a random game, the first included. The board is one and the same object."""
    yield board
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        board.push(rng.choice(moves))
        yield board


def random_positions(count: int, seed: int) -> Iterator[chess.Board]:
    """`count` positions of random games: seven of ten from game starts, the others from sparse boards."""
    rng = random.Random(seed)
    made = 0
    while True:
        start = game_starts(rng) if rng.random() < 0.7 else sparse_board(rng)
        for board in random_game(start, rng, plies=rng.randint(5, 120)):
            yield board
            made += 1
            if made == count:
                return
