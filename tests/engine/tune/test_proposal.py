"""What is proposed, and the gain that is expected of it, in many simulated tunings whose truth is known."""

import numpy as np
import pytest

from engine.match.openings import Opening
from engine.tune.model import PRIOR_ELOS, fit_elo
from engine.tune.plan import LINEAR, Constant, TunePlan
from engine.tune.trials import Trial, random_setting
from engine.tune.tuning import coordinates_of, outcome_of
from tests.engine.tune.simulated import CONSTANTS, shares_by_elo

PAIRS, RUNS = 220, 150
PLAN = TunePlan(CONSTANTS, pairs=PAIRS)


class Uniform:
    """The generator that settings are drawn by."""

    def __init__(self, rng):
        self.uniform = rng.uniform


def elo_by(coefficients, coordinates):
    slopes, curvatures = np.split(coefficients, 2)
    return coordinates @ slopes + coordinates**2 @ curvatures


def drawn_effects(rng, elo):
    """Coefficients whose part at the farther end of the range has this standard deviation."""
    ends = np.array([max(abs(bound) for bound in constant.bounds) for constant in CONSTANTS])
    return rng.normal(0, elo, 6) / np.concatenate([ends, ends**2]) if elo else np.zeros(6)


def simulated(effects, rng):
    settings = [[random_setting(CONSTANTS, Uniform(rng)) for _ in range(PAIRS)] for _ in range(2)]
    first, second = (coordinates_of(PLAN, each) for each in settings)
    shares = shares_by_elo(elo_by(effects, first) - elo_by(effects, second), 0.3, rng)
    trials = [Trial(number, Opening(""), *pair) for number, pair in enumerate(zip(*settings, strict=True))]
    return outcome_of(PLAN, trials, shares)


def gains(elos):
    """-> the expected and the true gain of each proposal, and the share of constants that are changed."""
    expected, true, changed = [], [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        effects = drawn_effects(rng, rng.choice(elos))
        outcome = simulated(effects, rng)
        expected.append(outcome.gain[0])
        true.append(float(elo_by(effects, coordinates_of(PLAN, [outcome.proposed])[0])))
        changed += [not row.is_kept for row in outcome.rows]
    return np.array(expected), np.array(true), float(np.mean(changed))


@pytest.mark.thorough
def test_without_an_effect_nothing_is_gained():
    expected, _, changed = gains([0.0])
    assert np.mean(expected) < 2
    assert changed < 0.03


@pytest.mark.thorough
@pytest.mark.parametrize("elos", [PRIOR_ELOS, (20.0,), (60.0,)], ids=["any size", "small", "large"])
def test_the_expected_gain_is_the_true_one_in_the_mean(elos):
    expected, true, _ = gains(elos)
    errors = expected - true
    assert np.mean(true) > 0
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(RUNS) + 0.02 * np.mean(true)


@pytest.mark.thorough
def test_large_effects_are_found():
    _, true, changed = gains([160.0])
    assert changed > 0.5
    assert np.mean(true) > 200
    assert np.mean(true > 0) > 0.95


@pytest.mark.parametrize("step", [1.0, 1000.0, 100_000.0])
def test_the_unit_of_a_slope_changes_nothing_else(step):
    """The same games; coordinates are the values less the present one, by the step."""
    rng = np.random.default_rng(7)
    first, second = (rng.integers(0, 4001, (300, 1)) - 1000.0 for _ in range(2))
    shares = shares_by_elo((60e-3 * (first - second) - 10e-6 * (first**2 - second**2))[:, 0], 0.3, rng)
    by_one, by_step = (Constant("PUCT Growth", 0, 4000, 1000, LINEAR, each) for each in (1.0, step))
    reference = fit_elo(first, second, shares, [by_one])
    found = fit_elo(first / step, second / step, shares, [by_step])
    for value in (0, 2500, 4000):
        expected = reference.elo([by_one.coordinate(value)])
        assert found.elo([by_step.coordinate(value)]) == pytest.approx(expected, rel=1e-6)


def test_what_is_kept_is_said():
    rng = np.random.default_rng(1)
    outcome = simulated(np.zeros(6), rng)
    assert outcome.proposed == PLAN.present
    assert (outcome.is_new, outcome.gain) == (False, (0.0, 0.0))
    assert all(text.endswith(" (kept)") for text in outcome.columns["proposed"])
    assert any(note.startswith("kept: ") for note in outcome.notes())
    assert all(row["kept"] for row in outcome.data()["constants"])
