"""The textbook search: its properties, and that it plays small games well."""

import math
import random

import chess
import pytest

from engine.textbook.chess_state import ChessState
from engine.textbook.gomoku import Gomoku
from engine.textbook.mcts import Node, Search, play_randomly, reward
from tests.engine.textbook.games import play_seq


def nodes_of(node):
    yield node
    for child in node.children:
        yield from nodes_of(child)


def search(state, simulations, seed=1):
    return Search(state, random.Random(seed)).run(simulations)


@pytest.mark.parametrize(
    ("score", "for_max", "expected"),
    [
        (0, True, 0.5),
        (0, False, 0.5),
        (9, True, 1.0),
        (9, False, 0.0),
        (-9, True, 0.0),
        (-9, False, 1.0),
        (4.5, True, 0.875),
    ],
)
def test_rewards(score, for_max, expected):
    assert reward(score, 9, for_max=for_max) == expected


def test_rewards_are_in_order():
    """A large win, a small win, a draw, a small loss, a large loss."""
    rewards = [reward(score, 10, for_max=True) for score in (10, 1, 0, -1, -10)]
    assert rewards == sorted(rewards, reverse=True)
    assert len(set(rewards)) == 5


def test_visits_add_up_and_means_are_within_bounds():
    tree = search(Gomoku.blank(3, 3), 500)
    assert tree.root.visits == 500
    for node in nodes_of(tree.root):
        if node.children:
            below = sum(child.visits for child in node.children)
            assert below == node.visits - (0 if node.parent is None else 1)  # its own first visit
        if node.visits:
            assert 0 <= node.total / node.visits <= 1


def test_expansion_is_lazy():
    tree = Search(Gomoku.blank(3, 3), random.Random(1)).run(1)
    assert sum(len(node.children) > 0 for node in nodes_of(tree.root)) == 1
    tree.run(9)
    assert all(not child.children for child in tree.root.children if child.visits == 1)


def test_an_unvisited_child_is_infinitely_urgent():
    parent = Node(None)
    parent.visits = 10
    child = Node(None, parent)
    assert child.urgency(1.4) == math.inf
    child.visits, child.total = 5, 3.0
    assert child.urgency(1.4) == pytest.approx(0.6 + 1.4 * math.sqrt(math.log(10) / 5))


def test_every_player_maximises_its_own_score():
    """Both sides take the win that lies open: a player who maximised the other's score would not."""
    max_to_move = play_seq([(0, 0), (1, 0), (0, 1), (1, 1)], midgame=True)
    assert search(max_to_move, 200).best_action() == (0, 2)
    min_to_move = play_seq([(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)], midgame=True)
    assert search(min_to_move, 200).best_action() == (1, 2)


def test_game_overs_are_counted_and_not_skipped():
    """A finished game at a leaf is a simulation like any other, so the visits of the winning move grow."""
    state = play_seq([(0, 0), (1, 0), (0, 1), (1, 1)])
    tree = search(state, 300)
    win = next(child for child in tree.root.children if child.action == (0, 2))
    assert win.state.is_game_over
    assert win.visits > 200
    assert win.total / win.visits == pytest.approx(reward(win.state.current_score, 9, for_max=True))


def test_moves_that_lose_at_once_are_not_preferred():
    """Min must block, or max wins with the next move."""
    state = play_seq([(0, 0), (1, 1), (0, 1)], midgame=True)
    assert search(state, 400).best_action() == (0, 2)


@pytest.mark.thorough
def test_tic_tac_toe_is_a_draw_when_both_search():
    for seed in range(3):
        state, rng = Gomoku.blank(3, 3), random.Random(seed)
        while not state.is_game_over:
            state = state.perform(Search(state, rng).run(600).best_action())
        assert state.current_score == 0


def test_quick_wins_are_preferred():
    quick = play_seq([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)])
    slow = play_seq([(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (2, 0), (0, 2)])
    assert quick.current_score > slow.current_score > 0


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_tree():
    first, second = (search(ChessState(), 8, seed=5) for _ in range(2))
    assert [node.visits for node in nodes_of(first.root)] == [node.visits for node in nodes_of(second.root)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8"),
        ("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "e8e1"),
    ],
)
def test_mates_in_one_are_found(fen, mate):
    assert search(ChessState(chess.Board(fen)), 100).best_action().uci() == mate


def test_a_finished_game_has_nothing_to_choose():
    mated = ChessState(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
    tree = search(mated, 10)
    assert tree.root.visits == 10
    with pytest.raises(ValueError, match="the game is over"):
        tree.best_action()


def test_random_play_ends_and_leaves_the_state_alone():
    state = ChessState()
    end = play_randomly(state, random.Random(3))
    assert end.is_game_over
    assert state.board == chess.Board()
