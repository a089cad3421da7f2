"""Figures of a network, by formulas written down a second time."""

import math

import numpy as np
import pytest

from engine.network.architecture import LOGIT_BITS, VALUE_UNIT, new_scratch
from engine.network.batch import move_logits_of, values_of
from engine.network.weights_file import load_weights
from engine.training.data.games import decode, open_games
from engine.training.fit import figures as figures_module
from engine.training.fit.figures import Figures, evaluate_network, figures, policy_ranks
from movegen.moves import MAX_MOVES
from tests.conftest import JIT_DISABLED
from tests.engine.training.data.games import random_records

needs_jit = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.fixture(scope="module")
def games(tmp_path_factory, scaled):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(scaled(60), seed=21)))
    return open_games([path])


@needs_jit
def test_ranks_and_cross_entropy_of_labels(network, games):
    positions = decode(games).positions
    ranks, losses = policy_ranks(network, positions.boards, positions.moves)
    scratch, count = new_scratch(network), len(positions.moves)
    moves, logits = np.empty((count, MAX_MOVES), dtype=np.uint16), np.empty((count, MAX_MOVES), dtype=np.int64)
    counts = np.empty(count, dtype=np.int64)
    move_logits_of(network, scratch, positions.boards, moves, logits, counts)
    for line, found in enumerate(counts.tolist()):
        scores = [logit / (1 << LOGIT_BITS) for logit in logits[line, :found].tolist()]
        (place,) = np.flatnonzero(moves[line, :found] == positions.moves[line])
        assert ranks[line] == sum(score > scores[place] for score in scores)
        shares = [math.exp(score - max(scores)) for score in scores]
        assert losses[line] == pytest.approx(-math.log(shares[place] / sum(shares)), abs=1e-9)


@needs_jit
def test_the_value_error_is_that_of_the_expected_result(network, games):
    positions, shares = decode(games).positions, np.empty((games.positions, 3), dtype=np.int64)
    values_of(network, new_scratch(network), positions.boards, shares)
    errors = [
        ((win + draw / 2) / VALUE_UNIT - 1 / (1 + math.exp(-score / 250))) ** 2
        for (win, draw, _), score in zip(shares.tolist(), positions.scores.tolist(), strict=True)
    ]
    labelled = games.with_moves().positions
    found = evaluate_network(network, games)
    assert found.positions == games.positions > labelled > 0
    assert found.value_mse == pytest.approx(sum(errors) / len(errors))


def test_figures_are_means():
    errors, ranks, losses = np.array([0.1, 0.3]), np.array([0, 0, 2, 4, 5, -1, 1, 3]), np.arange(8.0)
    assert figures(errors, errors / 2, ranks, losses) == Figures(
        2, pytest.approx(0.2), pytest.approx(0.1), 3.5, 2 / 8, 4 / 8, 6 / 8
    )
    assert figures(errors, errors[:0], ranks[:0], losses[:0]) == Figures(2, pytest.approx(0.2), *[None] * 5)


@needs_jit
def test_figures_do_not_depend_on_how_much_is_taken_at_once(network, tmp_path, monkeypatch):
    path = tmp_path / "thirty.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(30, seed=14)))
    games = open_games([path])
    whole = evaluate_network(network, games).as_dict()
    for chunk, at_once in ((7, 4), (1000, 29), (64, 30), (3, 31)):
        monkeypatch.setattr(figures_module, "BOARDS_AT_ONCE", chunk)
        monkeypatch.setattr(figures_module, "GAMES_AT_ONCE", at_once)
        assert evaluate_network(network, games).as_dict() == pytest.approx(whole)
