"""The model of Elo against results of known slopes and curvatures."""

import numpy as np
import pytest

from engine.tune.model import best_value, features, fit_elo
from engine.tune.plan import LINEAR, Constant
from tests.engine.tune.simulated import CONSTANTS, CURVATURES, SLOPES, simulated_shares, true_elo


def random_places(pairs, rng):
    return np.array([[rng.uniform(*constant.bounds) for constant in CONSTANTS] for _ in range(pairs)])


def fitted(pairs, draws, seed):
    rng = np.random.default_rng(seed)
    first, second = random_places(pairs, rng), random_places(pairs, rng)
    return fit_elo(first, second, simulated_shares(first, second, draws, rng), CONSTANTS)


@pytest.mark.thorough
@pytest.mark.parametrize("draws", [0.0, 0.6])
def test_error_bars_are_honest(draws):
    """In 200 simulated tunings each coefficient lies within 1 and 2 standard errors as often as a normal variable."""
    truth = np.concatenate([SLOPES, CURVATURES])
    deviations = []
    for seed in range(200):
        found = fitted(400, draws, seed)
        deviations.append((found.coefficients - truth) / np.sqrt(np.diag(found.covariance)))
    deviations = np.abs(np.array(deviations))
    assert np.mean(deviations < 1) == pytest.approx(0.683, abs=0.05)
    assert np.mean(deviations < 2) == pytest.approx(0.954, abs=0.02)


def test_draws_make_errors_smaller():
    without, with_draws = fitted(2000, 0.0, 1), fitted(2000, 0.6, 1)
    assert without.dispersion == pytest.approx(1.0, abs=0.1)
    assert with_draws.dispersion == pytest.approx(0.4, abs=0.05)
    assert with_draws.slope(0)[1] < without.slope(0)[1]


@pytest.mark.thorough
def test_many_games_find_the_truth():
    found = fitted(40_000, 0.3, 5)
    assert [found.slope(index)[0] for index in range(3)] == pytest.approx(SLOPES, abs=8)
    assert [found.curvature(index)[0] for index in range(3)] == pytest.approx(CURVATURES, abs=8)


@pytest.mark.thorough
def test_elo_of_a_setting():
    found = fitted(40_000, 0.3, 6)
    place = [0.25, -1.0, 0.1]
    elo, error = found.elo(place)
    assert abs(elo - float(true_elo(np.array(place)))) < 3 * error
    assert found.elo([0.0, 0.0, 0.0]) == (0.0, 0.0)


def test_results_that_say_nothing_keep_coefficients_finite():
    places = np.zeros((5, 2))
    found = fit_elo(places, places, np.full(5, 0.5), CONSTANTS[:2])
    assert np.all(found.coefficients == 0)
    always = fit_elo(np.ones((50, 1)), np.zeros((50, 1)), np.ones(50), CONSTANTS[:1])
    assert np.all(np.isfinite(always.coefficients))
    assert 0 < always.slope(0)[0] < 1000


def test_features():
    assert features(np.array([[2.0, -3.0]])).tolist() == [[2.0, -3.0, 4.0, 9.0]]


@pytest.mark.thorough
def test_the_top_of_a_curve():
    """−slope / (2 · curvature): 40 / 160, −60 / 60 → −1, and the better end where the curve has no top."""
    found = fitted(40_000, 0.3, 7)
    first, second, third = (best_value(found, index, constant) for index, constant in enumerate(CONSTANTS))
    assert abs(first.coordinate - 0.25) < 3 * first.error
    assert abs(second.coordinate + 1.0) < 3 * second.error
    low, high = CONSTANTS[2].bounds
    assert third.error is None
    assert third.coordinate == (low if abs(low) > abs(high) else high)


@pytest.mark.thorough
def test_the_error_of_the_top_is_honest():
    tops = [best_value(fitted(400, 0.3, seed), 0, CONSTANTS[0]) for seed in range(100)]
    inner = [(top.coordinate - 0.25) / top.error for top in tops if top.error is not None]
    assert len(inner) > 90
    assert np.mean(np.abs(inner) < 1) == pytest.approx(0.683, abs=0.12)


def test_coordinates_and_values():
    constant = CONSTANTS[0]
    assert (constant.coordinate(550), constant.coordinate(1100), constant.value(1.0)) == (0.0, 1.0, 1100)
    assert constant.value(9.0) == 2000
    linear = Constant("First Play", -200, 400, 180, LINEAR, 300.0)
    assert (linear.coordinate(480), linear.value(-1.0), linear.bounds[0]) == (1.0, -120, pytest.approx(-380 / 300))
    assert (constant.unit, linear.unit) == ("for a doubling", "for 300 more")
