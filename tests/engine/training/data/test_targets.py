"""Targets and figures, by formulas written down a second time."""

import math
import random

import numpy as np
import pytest

from engine.network.architecture import LOGIT_BITS, VALUE_UNIT
from engine.network.batch import move_logits_of, values_of
from engine.network.weights import new_scratch
from engine.network.weights_file import load_weights
from engine.training.data.draw_model import DrawModel, material_of
from engine.training.data.games import decode, open_games
from engine.training.data.targets import outcome_targets
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from engine.training.fit.figures import Figures, evaluate, figures, policy_ranks
from engine.training.generate.labelling import LONGEST_GAME, TeacherGame, ValueGame
from engine.training.generate.teacher import Answer
from movegen import Position
from movegen.moves import MAX_MOVES
from tests.conftest import JIT_DISABLED
from tests.engine.training.data.games import known_game, random_records

needs_jit = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.fixture(scope="module")
def games(tmp_path_factory, scaled):
    path = tmp_path_factory.mktemp("games") / "random.vf"
    path.write_bytes(b"".join(record[0] for record in random_records(scaled(60), seed=21)))
    return open_games([path])


def game_with(extra, *scores):
    """The known game with another kind and other scores for White."""
    record = bytearray(known_game())
    record[31] = extra
    for ply, score in enumerate(scores):
        record[34 + 4 * ply : 36 + 4 * ply] = score.to_bytes(2, "little", signed=True)
    return bytes(record)


def test_only_scores_of_value_only_games_are_scaled(tmp_path):
    path = tmp_path / "mixed.vf"
    path.write_bytes(b"".join(game_with(extra, 100, -50, 2990) for extra in (0, NOISY, VALUE_ONLY)))
    decoded, model = decode(open_games([path])), DrawModel((0.3, 0.2, -0.4, 0.1, 0.05, 0.6))
    targets = outcome_targets(decoded, model, label_scale=1.2, result_share=0.0)
    material = material_of(decoded.positions.boards)
    own = np.array([100, 50, 2990])  # for the player to move
    expected = np.concatenate([own, own, np.minimum(own * 1.2, 3000)])
    assert targets == pytest.approx(model.outcomes(expected, material), abs=1e-6)
    assert np.abs(targets[6:8] - targets[:2]).min() > 1e-3


@pytest.mark.parametrize(("score", "material"), [(0, 78.0), (120, 40.0), (-700, 12.0), (2500, 60.0), (-32000, 5.0)])
def test_outcomes_by_the_formula_of_the_documents(score, material):
    theta = (0.9, -0.7, -0.4, 0.2, 0.03, 0.5)
    x, m = min(abs(score) / 250, 6.0), material / 78
    part = 1 / (1 + math.exp(-sum(t * f for t, f in zip(theta, (1, m, x, m * x, x * x, m * m), strict=True))))
    q = 1 / (1 + math.exp(-max(-3000, min(3000, score)) / 250))
    draw = 2 * min(q, 1 - q) * part
    outcomes = DrawModel(theta).outcomes(np.array([score]), np.array([material]))[0]
    assert outcomes == pytest.approx([q - draw / 2, draw, 1 - q - draw / 2], abs=1e-6)


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
    found = evaluate(network, games)
    assert found.positions == games.positions > labelled > 0
    assert found.value_mse == pytest.approx(sum(errors) / len(errors))


def test_figures_are_means():
    errors, ranks, losses = np.array([0.1, 0.3]), np.array([0, 0, 2, 4, 5, -1, 1, 3]), np.arange(8.0)
    assert figures(errors, ranks, losses) == Figures(2, pytest.approx(0.2), 3.5, 2 / 8, 4 / 8, 6 / 8)
    assert figures(errors, ranks[:0], losses[:0]) == Figures(2, pytest.approx(0.2), None, None, None, None)


def quiet_game(rng, score, plies):
    """A game of random moves with one score throughout; -> the game, and how many plies it lasts."""
    game = TeacherGame(rng)
    game._noisy = game._played_out = False
    for ply in range(plies):
        if game.take(Answer(score, rng.choice(game._position.legal_moves))):
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
    game._noisy, game._played_out = False, True
    game._moves = ["e2e4"] * LONGEST_GAME
    assert game.take(Answer(900, game._position.legal_moves[0]))
    assert game.records()[0].result == 1


@pytest.mark.parametrize(("score", "result"), [(601, 2), (600, 1), (0, 1), (-600, 1), (-601, 0)])
def test_results_of_value_games_are_guessed_by_the_last_score(score, result):
    """The score is for White; both players are asked."""
    sides = set()
    for seed in range(10):
        game = ValueGame(random.Random(seed))
        is_white = game._position.turn == "white"
        game.take(Answer(score if is_white else -score, game._position.legal_moves[0]))
        sides.add(is_white)
        assert game.records()[0].result == result
    assert sides == {True, False}


def test_value_games_end_once_they_are_decided():
    game = ValueGame(random.Random(5))
    game._position = Position(chess960=True)
    scores = [1600, -1600, 1600, 1500, 1600, 1600, -1600, 1600]  # the fourth is not enough: it starts again
    ends = [game.take(Answer(score, game._position.legal_moves[0])) for score in scores]
    assert ends == [False] * 7 + [True]
