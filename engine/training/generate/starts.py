"""The starts of labelled games: random moves from the standard position or one of Chess960, and random endgames."""

import random

from engine.training.data.viriformat import CHESS960, ENDGAME, STANDARD
from movegen import Position
from movegen.fen import Setup, write_fen

ENDGAME_PIECES = "pppnbrrq"  # pawns and rooks are the most frequent


def random_start(rng: random.Random, endgames: float, chess960: float, plies: tuple[int, int]) -> tuple[Position, int]:
    """-> a position with legal moves, and its kind. The two shares are those of endgames and of Chess960."""
    sample = rng.random()
    if sample < endgames:
        return random_endgame(rng), ENDGAME
    kind = CHESS960 if sample < endgames + chess960 else STANDARD
    while True:
        position = chess960_start(rng) if kind == CHESS960 else Position(chess960=True)
        for _ in range(rng.randint(*plies)):
            if not position.move_codes:
                break
            position = position.play(rng.choice(position.move_codes))
        if position.move_codes:
            return without_past(position), kind


def without_past(position: Position) -> Position:
    """The same position as the start of a game."""
    return Position(position.fen(shredder=True), chess960=True)


def chess960_start(rng: random.Random) -> Position:
    """One of the 960 starts: bishops on different colours, the king between the rooks."""
    rank: list[str] = [""] * 8
    rank[rng.randrange(0, 8, 2)] = "b"
    rank[rng.randrange(1, 8, 2)] = "b"
    for letter in "qnn":
        rank[rng.choice([file for file in range(8) if not rank[file]])] = letter
    for letter in "rkr":
        rank[rank.index("")] = letter
    text = "".join(rank)
    return Position(f"{text}/pppppppp/8/8/8/8/PPPPPPPP/{text.upper()} w KQkq - 0 1", chess960=True)


def random_endgame(rng: random.Random) -> Position:
    """Three to eight pieces on random squares, the kings among them."""
    while True:
        squares = rng.sample(range(64), rng.randint(3, 8))
        pieces = {squares[0]: "K", squares[1]: "k"}
        for square in squares[2:]:
            letter = rng.choice(ENDGAME_PIECES)
            if letter == "p" and not 8 <= square < 56:
                letter = "r"
            pieces[square] = letter.upper() if rng.random() < 0.5 else letter
        setup = Setup(pieces=pieces, white_to_move=rng.random() < 0.5)
        try:
            position = Position(write_fen(setup), chess960=True)
        except ValueError:  # the player who is not to move is in check
            continue
        if position.move_codes and position.score() is None:
            return position
