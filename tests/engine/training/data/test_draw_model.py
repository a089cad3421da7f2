import json
import math

import numpy as np
import pytest

from engine.network.architecture import VALUE_UNIT, new_scratch
from engine.network.batch import values_of
from engine.network.weights_file import load_weights
from engine.training.data.decode import new_positions
from engine.training.data.draw_model import (
    DrawModel,
    calibration,
    chances,
    fit_draw_model,
    log_likelihood,
    material_of,
    terms,
    with_sound_results,
)
from engine.training.data.viriformat import NOISY, VALUE_ONLY
from movegen import Position
from tests.engine.network.boards import board_words
from tests.positions import random_positions

TRUE = DrawModel((1.5, -2.0, -0.8, 0.3, 0.1, 1.0))


@pytest.fixture(scope="module")
def positions():
    """Positions whose results follow a known model, and some whose results are nonsense."""
    rng = np.random.default_rng(4)
    count = 60_000
    found = new_positions(count)
    words = [
        Position(fen).board
        for fen in (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/3p4/8/8/4P3/R3K3 w Q - 0 1",
            "r3k3/ppp5/8/8/3N4/8/PPP5/4K2R w K - 0 1",
            "4k3/pp6/8/2q5/8/3Q4/PP6/4K3 w - - 0 1",
        )
    ]
    found.boards[:] = np.array(words, dtype=np.uint64)[rng.integers(0, len(words), count)]
    found.scores[:] = np.clip(rng.standard_normal(count) * 300, -2000, 2000)
    shares = TRUE.outcomes(found.scores, material_of(found.boards)).astype(np.float64)
    drawn = rng.random(count)
    found.results[:] = np.where(drawn < shares[:, 0], 2, np.where(drawn < shares[:, 0] + shares[:, 1], 1, 0))
    found.extras[:] = 0
    found.extras[:5000], found.results[:5000] = NOISY, 1
    return found


def test_material():
    words = np.array([Position().board, Position("4k3/8/8/3p4/8/8/4P3/R3K3 w - - 0 1").board], dtype=np.uint64)
    assert material_of(words).tolist() == [78, 7]


def test_shares_are_shares_and_keep_the_expected_result():
    scores = np.arange(-3000, 3000, 7)
    shares = TRUE.outcomes(scores, np.full(scores.size, 30.0))
    assert shares.min() >= 0
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-6
    assert np.abs(shares[:, 0] + shares[:, 1] / 2 - chances(scores)).max() < 1e-6


def test_the_fit_finds_the_model_behind_the_results(positions):
    sound = slice(5000, None)
    scores, material = positions.scores[sound], material_of(positions.boards[sound])
    expected = TRUE.outcomes(scores, material)[:, 1]
    fitted = fit_draw_model(positions).outcomes(scores, material)[:, 1]
    assert np.abs(fitted - expected).mean() < 0.02
    for row in calibration(fitted, positions.results[sound]):
        if row["positions"] > 1000:
            assert row["real"] == pytest.approx(row["expected"], abs=0.05)


def test_it_can_be_kept(tmp_path):
    TRUE.save(tmp_path / "draws.json")
    assert DrawModel.load(tmp_path / "draws.json") == TRUE


@pytest.mark.parametrize(("score", "material"), [(0, 78.0), (120, 40.0), (-700, 12.0), (2500, 60.0), (-32000, 5.0)])
def test_outcomes_by_the_formula_of_the_documents(score, material):
    theta = (0.9, -0.7, -0.4, 0.2, 0.03, 0.5)
    x, m = min(abs(score) / 250, 6.0), material / 78
    part = 1 / (1 + math.exp(-sum(t * f for t, f in zip(theta, (1, m, x, m * x, x * x, m * m), strict=True))))
    q = 1 / (1 + math.exp(-max(-3000, min(3000, score)) / 250))
    draw = 2 * min(q, 1 - q) * part
    outcomes = DrawModel(theta).outcomes(np.array([score]), np.array([material]))[0]
    assert outcomes == pytest.approx([q - draw / 2, draw, 1 - q - draw / 2], abs=1e-6)


def test_the_default_model_expects_the_draws_that_the_shipped_net_expects():
    """Its model was fitted to results. A fit from it to data without results must not undo that."""
    net, boards = load_weights().network, [board.copy(stack=False) for board in random_positions(300, seed=3)]
    words, shares = board_words(boards), np.zeros((300, 3), dtype=np.int64)
    values_of(net, new_scratch(net), words, shares)
    win, draw, _ = shares.T / VALUE_UNIT
    q = np.clip(win + draw / 2, 1e-4, 1 - 1e-4)
    expected = DrawModel().outcomes(250 * np.log(q / (1 - q)), material_of(words))
    assert expected.dtype == np.float32
    assert np.abs(expected[:, 1] - draw).mean() < 0.05


def test_material_of_every_piece():
    fens = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
    boards = [Position(f"6k1/8/8/8/3{letter}4/8/8/1K6 w - - 0 1").board for letter in (*fens, *map(str.upper, fens))]
    assert material_of(np.array(boards, dtype=np.uint64)).tolist() == [*fens.values()] * 2


def positions_of(scores, results, extras):
    found = new_positions(len(scores))
    found.boards[:] = np.array(Position().board, dtype=np.uint64)
    found.scores[:], found.results[:], found.extras[:] = scores, results, extras
    return found


def test_results_of_games_with_random_moves_are_not_sound():
    extras = [0, 1, 2, NOISY, VALUE_ONLY, NOISY | 1, VALUE_ONLY | 2, NOISY | VALUE_ONLY]
    assert with_sound_results(positions_of([0] * 8, [1] * 8, extras)).tolist() == [True] * 3 + [False] * 5


@pytest.fixture
def sample():
    rng = np.random.default_rng(5)
    scores = rng.integers(-900, 900, 400)
    return scores, rng.integers(0, 3, 400), terms(scores, rng.uniform(0, 78, 400))


def likelihood_by_hand(theta, phi, scores, results):
    total = 0.0
    for row, score, result in zip(phi.tolist(), scores.tolist(), results.tolist(), strict=True):
        q = 1 / (1 + math.exp(-score / 250))
        draw = 2 * min(q, 1 - q) / (1 + math.exp(-sum(a * b for a, b in zip(theta, row, strict=True))))
        total += math.log([1 - q - draw / 2, draw, q - draw / 2][result])
    return total / len(scores)


def test_the_likelihood_and_its_gradient(sample):
    scores, results, phi = sample
    theta = np.array([0.4, -0.3, 0.2, 0.1, -0.05, 0.6])
    likelihood, gradient, information = log_likelihood(theta, phi, scores, results)
    assert likelihood == pytest.approx(likelihood_by_hand(theta, phi, scores, results), abs=1e-9)
    step = 1e-5
    for index in range(6):
        moved = [theta + sign * step * np.eye(6)[index] for sign in (1, -1)]
        up, down = (likelihood_by_hand(one, phi, scores, results) for one in moved)
        assert gradient[index] == pytest.approx((up - down) / (2 * step), abs=1e-6)
    assert np.allclose(information, information.T)
    assert np.linalg.eigvalsh(information).min() > 0
    q = chances(scores)
    expected = np.zeros((6, 6))
    for row, one in zip(phi, q.tolist(), strict=True):
        s, m = 1 / (1 + math.exp(-row @ theta)), 2 * min(one, 1 - one)
        slope = m * s * (1 - s)
        outcomes = (m * s, one - m * s / 2, 1 - one - m * s / 2)
        expected += slope**2 * (1 / outcomes[0] + 0.25 / outcomes[1] + 0.25 / outcomes[2]) * np.outer(row, row)
    assert information == pytest.approx(expected / len(scores), abs=1e-6)


def test_the_fit_ends_at_the_maximum():
    rng = np.random.default_rng(6)
    scores = rng.integers(-600, 600, 4000)
    shares = DrawModel((0.5, 0.0, -0.3, 0.0, 0.0, 0.0)).outcomes(scores, np.full(4000, 78.0)).astype(float)
    samples = rng.random(4000)
    results = np.where(samples < shares[:, 0], 2, np.where(samples < shares[:, :2].sum(axis=1), 1, 0))
    positions = positions_of(scores, results, [0] * 4000)
    theta = np.array(fit_draw_model(positions).theta)
    phi = terms(scores, np.full(4000, 78.0))
    _, gradient, _ = log_likelihood(theta, phi, scores, results)
    assert np.abs(gradient).max() < 1e-4
    assert fit_draw_model(positions, rounds=0).theta == (0.0,) * 6


def test_calibration_row_by_row():
    draws = np.array([0.0, 0.1, 0.124, 0.125, 0.5, 0.874, 0.876, 1.0])
    results = np.array([1, 0, 2, 1, 1, 0, 1, 1])
    assert calibration(draws, results) == [
        {"positions": 3, "expected": pytest.approx(0.224 / 3), "real": pytest.approx(1 / 3)},
        {"positions": 1, "expected": 0.125, "real": 1.0},
        {"positions": 1, "expected": 0.5, "real": 1.0},
        {"positions": 1, "expected": 0.874, "real": 0.0},
        {"positions": 2, "expected": pytest.approx(0.938), "real": 1.0},
    ]
    assert [row["positions"] for row in calibration(draws, results, bins=2)] == [4, 4]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"theta": 5}', '{"theta": [1, 2, 3, 4, 5]}', '{"theta": [1,2,3,4,5,6,7]}']
)
def test_damaged_models_are_not_loaded(tmp_path, text):
    path = tmp_path / "draws.json"
    assert DrawModel.load(path) is None
    path.write_text(text)
    assert DrawModel.load(path) is None
    path.write_text(json.dumps({"theta": [1, 2, 3, 4, 5, 6]}))
    assert DrawModel.load(path) == DrawModel((1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
