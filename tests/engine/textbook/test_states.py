"""Gomoku and chess as states."""

import random

import chess
import numpy as np
import pytest

from engine.textbook.chess_state import ChessState
from engine.textbook.gomoku import DIRECTIONS, EMPTY, MAX, MIN, Gomoku
from tests.engine.textbook.games import play_seq


def slow_winner(state):
    """The reference: look at every line of the board."""
    for owner in (MIN, MAX):
        for row in range(state.size):
            for column in range(state.size):
                for down, right in DIRECTIONS:
                    line = [(row + i * down, column + i * right) for i in range(state.win_size)]
                    inside = all(0 <= r < state.size and 0 <= c < state.size for r, c in line)
                    if inside and all(state.board[owner, r, c] for r, c in line):
                        return owner
    return None


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "win"), [(3, 3), (5, 4), (7, 4), (7, 5)])
def test_random_games_against_the_slow_reference(size, win):
    rng = random.Random(size * win)
    for _ in range(30):
        state = Gomoku.blank(size, win)
        while not state.is_game_over:
            assert slow_winner(state) is None
            assert state.is_max_turn == (state.current_player == "max")
            assert (state.board.sum(axis=0) == 1).all()
            assert len(state.valid_actions) == state.empty_squares
            state = state.perform(rng.choice(state.valid_actions))
        winner = slow_winner(state)
        expected = {None: 0, MIN: -(state.empty_squares + 1), MAX: state.empty_squares + 1}[winner]
        assert state.current_score == expected
        assert state.valid_actions == []
        assert winner is not None or state.empty_squares == 0


def test_perform_makes_a_new_state():
    state = Gomoku.blank(3, 3)
    after = state.perform((1, 1))
    assert state.board[EMPTY].all()
    assert after.board[MAX, 1, 1] == 1
    duplicate = after.copy()
    assert np.array_equal(duplicate.board, after.board)
    assert duplicate.board is not after.board
    assert str(after) == ". . .\n. X .\n. . ."


@pytest.mark.parametrize("action", [(1, 1), (3, 0), (-1, 0)])
def test_bad_actions_are_refused(action):
    with pytest.raises(ValueError, match="is not free"):
        Gomoku.blank(3, 3).perform((1, 1)).perform(action)


def test_sequences():
    win = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
    assert play_seq(win).current_score == 5
    with pytest.raises(ValueError, match="the game is over after these actions"):
        play_seq(win, midgame=True)
    with pytest.raises(ValueError, match="the game is over"):
        play_seq([*win, (2, 2)])
    with pytest.raises(ValueError, match="does not fit"):
        Gomoku.blank(3, 4)


@pytest.mark.parametrize(
    ("fen", "score", "moves"),
    [
        (chess.STARTING_FEN, 0, 20),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 1, 0),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 1", -1, 0),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, 0),
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 100", 0, 0),
    ],
)
def test_chess_states(fen, score, moves):
    state = ChessState(chess.Board(fen))
    assert state.current_score == score
    assert len(state.valid_actions) == moves
    assert state.is_game_over == (moves == 0)
    assert state.current_player == ("white" if state.is_max_turn else "black")


def test_the_third_repetition_ends_a_game_of_chess():
    state = ChessState()
    for uci in 2 * ["g1f3", "g8f6", "f3g1", "f6g8"]:
        assert not state.is_game_over
        state = state.perform(chess.Move.from_uci(uci))
    assert state.is_game_over
    assert state.copy().board == state.board
