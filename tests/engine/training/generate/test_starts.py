"""Random starts: the shares of their kinds, their length, and the positions themselves by python-chess."""

import random

import chess
import pytest

from engine.training.data.viriformat import CHESS960_START, ENDGAME_START, STANDARD_START
from engine.training.generate.labelling import random_endgame, random_start, without_past
from movegen import Position


class FirstSample(random.Random):
    """The first sample is given, the others are random."""

    def __init__(self, first):
        super().__init__(7)
        self.first = [first]

    def random(self):
        return self.first.pop() if self.first else super().random()


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        (0.0, ENDGAME_START),
        (0.1999, ENDGAME_START),
        (0.2, CHESS960_START),
        (0.4999, CHESS960_START),
        (0.5001, STANDARD_START),
        (0.99, STANDARD_START),
    ],
)
def test_the_kind_follows_from_one_sample(sample, kind):
    position, found = random_start(FirstSample(sample), endgames=0.2, chess960=0.3, plies=(0, 0))
    assert found == kind
    row = position.fen().split("/")[0]
    if kind == ENDGAME_START:
        assert 3 <= sum(letter.isalpha() for letter in position.fen().split()[0]) <= 8
    else:
        assert sorted(row) == sorted("rnbqkbnr")
        assert (row == "rnbqkbnr") == (kind == STANDARD_START)
        board = chess.Board(position.fen(), chess960=True)
        assert position.fen(shredder=True).split()[1:] == board.shredder_fen().split()[1:]


def plies_of(position):
    return 2 * (position.fullmove_number - 1) + (position.turn == "black")


@pytest.mark.parametrize("chess960", [0.0, 1.0])
def test_the_number_of_random_plies(chess960):
    rng = random.Random(3)
    found = {plies_of(random_start(rng, 0.0, chess960, (4, 7))[0]) for _ in range(80)}
    assert found == {4, 5, 6, 7}


class Mating(random.Random):
    """Plays the fool's mate first."""

    moves = ("f2f3", "e7e5", "g2g4", "d8h4")
    count = 0

    def choice(self, items):
        self.count += 1
        if self.count > len(self.moves):
            return super().choice(items)
        position = Position(chess960=True).play_all(" ".join(self.moves[: self.count - 1]))
        return position.code(self.moves[self.count - 1])


@pytest.mark.parametrize("plies", [4, 6])
def test_a_start_without_legal_moves_is_not_taken(plies):
    rng = Mating(1)
    position, _ = random_start(rng, 0.0, 0.0, (plies, plies))
    assert position.legal_moves
    assert plies_of(position) == plies
    assert rng.count == 4 + plies


def test_endgames_are_positions_of_chess_of_all_sizes():
    rng, sizes, turns, pieces = random.Random(5), set(), set(), set()
    for _ in range(300):
        position = random_endgame(rng)
        board = chess.Board(position.fen())
        assert board.status() & ~chess.STATUS_TOO_MANY_CHECKERS & ~chess.STATUS_IMPOSSIBLE_CHECK == 0
        assert board.outcome() is None
        assert board.castling_rights == 0
        sizes.add(len(board.piece_map()))
        turns.add(board.turn)
        pieces |= {piece.symbol() for piece in board.piece_map().values()}
    assert sizes == set(range(3, 9))
    assert turns == {True, False}
    assert pieces == set("KQRBNPkqrbnp")


def test_the_colours_of_endgames_are_fair():
    rng = random.Random(6)
    boards = [chess.Board(random_endgame(rng).fen()) for _ in range(300)]
    white, black = (sum(board.occupied_co[side].bit_count() - 1 for board in boards) for side in (True, False))
    assert 0.8 < white / black < 1.25
    assert 0.3 < sum(board.turn for board in boards) / len(boards) < 0.7


def test_a_start_has_no_past_but_its_counts():
    position = Position(chess960=True).play_all("g1f3 g8f6 f3g1 f6g8")
    start = without_past(position)
    assert start.fen(shredder=True) == position.fen(shredder=True)
    assert (position.past_keys != (), start.past_keys, start.halfmove_clock, start.fullmove_number) == (True, (), 4, 3)
