"""Positions of Gomoku for tests."""

from engine.textbook.gomoku import Gomoku


def play_seq(actions, midgame=False):
    """The position on a board of 3 × 3 after a sequence of actions; with `midgame`, the game must not be over there."""
    state = Gomoku.blank(3, 3)
    for action in actions:
        state = state.perform(action)
    if midgame and state.is_game_over:
        raise ValueError("the game is over after these actions")
    return state
