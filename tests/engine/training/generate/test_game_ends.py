"""When games of the teacher end, and how their results are guessed."""

import random

import pytest

from engine.training.data.viriformat import NOISY, LabelledGame
from engine.training.generate.labelling import LONGEST_GAME, TeacherGame, ValueGame
from engine.training.generate.teachers import Label
from movegen import Position


def quiet_game(rng, score, plies):
    """A game of random moves with one score throughout; -> the game, and how many plies it lasts."""
    game = TeacherGame(rng)
    game._noisy = game._played_out = False
    for ply in range(plies):
        if game.take(Label(score, rng.choice(game._position.legal_moves))):
            return game, ply
    return game, plies


def test_level_games_are_drawn_after_ply_70_and_not_before():
    """|score| < 6 for 12 plies after ply 70: the first ply that counts is the 72nd, the last one the 83rd."""
    ends = {score: [] for score in (0, 5, 6)}
    for score, found in ends.items():
        for seed in range(12):
            game, plies = quiet_game(random.Random(seed), score, plies=100)
            if game._position.outcome(claim_draw=True).name == "NONE":
                found.append(plies)
                assert plies == 100 or {record.result for record in game.records()} == {1}
    assert set(ends[0]) == set(ends[5]) == {82}
    assert set(ends[6]) == {100}


def test_the_longest_game_is_a_draw():
    game = TeacherGame(random.Random(4))
    game._noisy, game._played_out, game._extra, game._games[0].extra = False, True, 0, 0
    game._moves = ["e2e4"] * LONGEST_GAME
    assert game.take(Label(900, game._position.legal_moves[0]))
    (record,) = game.records()[:1]
    assert (record.result, record.extra & NOISY) == (1, NOISY)  # no sound result: the score may be any


@pytest.mark.parametrize("moves", [0, LONGEST_GAME])
def test_games_that_end_by_the_rules_keep_their_mark(moves):
    """Also those that end with the last move before they would be cut off."""
    game = TeacherGame(random.Random(4))
    game._noisy, game._played_out, game._extra = False, True, 0
    game._position = Position("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", chess960=True)
    game._games = [LabelledGame(game._position, extra=0)]
    game._moves = ["e2e4"] * moves
    assert game.take(Label(900, "g6g7"))
    assert [(record.result, record.extra & NOISY) for record in game.records()] == [(2, 0)]


@pytest.mark.parametrize(("score", "result"), [(601, 2), (600, 1), (0, 1), (-600, 1), (-601, 0)])
def test_results_of_value_games_are_guessed_by_the_last_score(score, result):
    """The score is for White; both players are asked."""
    sides = set()
    for seed in range(10):
        game = ValueGame(random.Random(seed))
        is_white = game._position.turn == "white"
        game.take(Label(score if is_white else -score, game._position.legal_moves[0]))
        sides.add(is_white)
        assert game.records()[0].result == result
    assert sides == {True, False}


def test_value_games_end_once_they_are_decided():
    game = ValueGame(random.Random(5))
    game._position = Position(chess960=True)
    scores = [1600, -1600, 1600, 1500, 1600, 1600, -1600, 1600]  # the fourth is not enough: it starts again
    ends = [game.take(Label(score, game._position.legal_moves[0])) for score in scores]
    assert ends == [False] * 7 + [True]
