"""The net that comes with the package: is it one, and does it know the most obvious things?"""

import numpy as np
import pytest

from engine.network.architecture import VALUE_UNIT, new_scratch
from engine.network.batch import values_of
from engine.network.infer import PLAIN_SHARPNESS
from engine.network.weights_file import SHIPPED, load_weights
from movegen import Position
from movegen.moves import MAX_MOVES
from tests.engine.network.compiled import priors_of


@pytest.fixture(scope="module")
def shipped():
    return load_weights()


def outcome(network, fen):
    """Win, draw and loss of the player to move."""
    shares = np.zeros((1, 3), dtype=np.int64)
    values_of(network, new_scratch(network), np.array([Position(fen).board], dtype=np.uint64), shares)
    return (shares[0] / VALUE_UNIT).tolist()


def best_move(network, fen):
    position = Position(fen)
    moves, priors = np.zeros((1, MAX_MOVES), dtype=np.uint16), np.zeros((1, MAX_MOVES), dtype=np.uint16)
    counts = np.zeros(1, dtype=np.int64)
    boards = np.array([position.board], dtype=np.uint64)
    priors_of(network, new_scratch(network), boards, PLAIN_SHARPNESS, moves, priors, counts)
    return position.uci(int(moves[0, priors[0, : counts[0]].argmax()]))


def test_size_and_figures(shipped):
    assert SHIPPED.stat().st_size <= 12_000_000
    figures = shipped.notes["figures"]
    assert figures["positions"] >= 200_000
    assert figures["value_mse"] <= 0.0080
    assert figures["value_quiet_mse"] <= 0.0060
    assert figures["policy_top1"] >= 0.36
    assert figures["policy_top5"] >= 0.775


def test_the_start_is_about_even(shipped):
    win, draw, loss = outcome(shipped.network, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    assert 0.4 < win + draw / 2 < 0.65
    assert draw > 0.05
    assert loss > 0.1


def test_a_queen_more_wins_and_a_queen_less_loses(shipped):
    more = outcome(shipped.network, "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    less = outcome(shipped.network, "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    assert more[0] > 0.9
    assert less[2] > 0.9


def test_a_dead_ending_is_a_draw(shipped):
    assert outcome(shipped.network, "8/8/4k3/4p3/4P3/4K3/8/8 w - - 0 1")[1] > 0.5


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1", "f3h4"),  # takes a queen for nothing
        ("6k1/P4ppp/8/8/8/8/5PPP/6K1 w - - 0 1", "a7a8q"),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", "e4d5"),
    ],
)
def test_obvious_moves_come_first(shipped, fen, move):
    assert best_move(shipped.network, fen) == move
