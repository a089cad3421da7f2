"""SPSA on a simulated quadratic, and its schedule against the formulas."""

import random

import numpy as np
import pytest

from engine.tune import tuning
from engine.tune.plan import LINEAR, LOG, SPSA, Constant, TunePlan
from engine.tune.spsa import Schedule, next_place, perturbed, random_rounding, random_sides, schedule_of
from tests.engine.tune.simulated import share_of_elo

CONSTANTS = (Constant("PUCT C", 100, 4000, 550, LOG), Constant("Root Temperature", 1000, 10_000, 5800, LOG))
BEST = {"PUCT C": 1.2, "Root Temperature": -0.8}


def elo(values):
    return -sum(80 * (constant.coordinate(values[constant.name]) - BEST[constant.name]) ** 2 for constant in CONSTANTS)


def both_settings(constants, place, sides, rounding, trial, trials):
    opposite = {name: -side for name, side in sides.items()}
    return [perturbed(constants, place, each, rounding, trial, trials) for each in (sides, opposite)]


def tuned(constants, elo, trials, seed):
    """-> the places before each trial and at the end, and the settings of each trial."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    places, settings = [{constant.name: 0.0 for constant in constants}], []
    for trial in range(1, trials + 1):
        sides, rounding = random_sides(constants, rng), random_rounding(constants, rng)
        first, second = both_settings(constants, places[-1], sides, rounding, trial, trials)
        won = noise.binomial(2, share_of_elo(elo(first) - elo(second)))
        places.append(next_place(constants, places[-1], sides, 2 * won - 2, trial, trials))
        settings.append((first, second))
    return places, settings


def test_the_schedule():
    """c_k = c / k^0.101 and a_k = a / (A + k)^0.602, with c_N and a_N / c_N² as wanted."""
    schedule = Schedule(0.2, 1000)
    assert schedule.step(1000) == 0.2
    assert schedule.step(1) == pytest.approx(0.2 * 1000**0.101)
    assert schedule.rate(1000) == pytest.approx(0.2**2 / 1000**0.5)
    assert schedule.rate(1) / schedule.rate(1000) == pytest.approx((1100 / 101) ** 0.602)
    assert schedule.gain(7) == schedule.rate(7) / schedule.step(7)


def test_both_players_lie_on_opposite_sides():
    place, sides = {"PUCT C": 0.0, "Root Temperature": 0.0}, {"PUCT C": 1, "Root Temperature": -1}
    first, second = both_settings(CONSTANTS, place, sides, dict.fromkeys(sides, 0.5), 500, 500)
    assert first["PUCT C"] > 550 > second["PUCT C"]
    assert first["Root Temperature"] < 5800 < second["Root Temperature"]
    assert first["PUCT C"] * second["PUCT C"] == pytest.approx(550**2, rel=0.01)


def test_a_won_pair_moves_towards_the_winner():
    place, sides = {"PUCT C": 0.0, "Root Temperature": 0.0}, {"PUCT C": 1, "Root Temperature": -1}
    after = next_place(CONSTANTS, place, sides, 2.0, 10, 500)
    assert after["PUCT C"] > 0 > after["Root Temperature"]
    assert next_place(CONSTANTS, place, sides, 0.0, 10, 500) == place


def test_ranges_are_kept():
    place = {"PUCT C": CONSTANTS[0].bounds[1], "Root Temperature": CONSTANTS[1].bounds[0]}
    after = next_place(CONSTANTS, place, {"PUCT C": 1, "Root Temperature": -1}, 2.0, 1, 10)
    assert after == place


@pytest.mark.parametrize("seed", range(3))
def test_it_converges(seed):
    places, _ = tuned(CONSTANTS, elo, 3000, seed)
    assert places[-1] == pytest.approx(BEST, abs=0.35)


# Small whole numbers

BATCH = Constant("Batch", 1, 4, 1, LOG)
TEMPERATURE = Constant("Temperature", 0, 3, 2, LINEAR, 1.5)


@pytest.mark.parametrize("constant", [BATCH, TEMPERATURE, Constant("Batch", 1, 2, 1, LOG)])
def test_players_differ_in_small_numbers(constant):
    _, settings = tuned([constant], lambda _: 0.0, 400, seed=1)
    differ = [first != second for first, second in settings]
    assert np.mean(differ) > 0.3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("constant", "best"), [(BATCH, 4), (TEMPERATURE, 0), (TEMPERATURE, 3)])
def test_small_numbers_move_to_the_best_one(constant, best, seed):
    name = constant.name
    places, _ = tuned([constant], lambda values: -60.0 * abs(values[name] - best), 1000, seed)
    assert constant.value(places[-1][name]) == best


def test_rounding_is_right_in_the_mean():
    rng = random.Random(3)
    values = [TEMPERATURE.rounded(TEMPERATURE.coordinate(1.3), rng.random()) for _ in range(4000)]
    assert set(values) == {1, 2}
    assert np.mean(values) == pytest.approx(1.3, abs=0.03)


def test_steps_are_at_least_half_a_unit():
    assert schedule_of(TEMPERATURE, 100).last_step * TEMPERATURE.step == pytest.approx(0.5)
    assert BATCH.low * 2 ** schedule_of(BATCH, 100).last_step == pytest.approx(1.5)
    low, high = CONSTANTS[0].bounds
    assert schedule_of(CONSTANTS[0], 100).last_step == pytest.approx((high - low) / 20)


# What its games say of the gain


def test_the_games_of_spsa_promise_too_much(monkeypatch):
    """Without any effect its place gains nothing, but a model of the games that led there says so: none is shown."""
    promised = []
    for seed in range(12):
        plan, rng, games = TunePlan(CONSTANTS, SPSA, pairs=200, seed=seed), np.random.default_rng(seed), []

        def play(_plan, trials, _runner, rng=rng, games=games):
            shares = [float(rng.choice((0.0, 0.25, 0.5, 0.75, 1.0))) for _ in trials]
            games += zip(trials, shares, strict=True)
            return shares

        monkeypatch.setattr(tuning, "play_trial_list", play)
        outcome = tuning.tune(plan, lambda: None)
        model = tuning.outcome_of(plan, *zip(*games, strict=True)).fit
        promised.append(model.elo([row.constant.coordinate(row.value) for row in outcome.rows])[0])
        assert not hasattr(outcome, "gain")
    assert np.mean(promised) > 3
    assert np.mean(np.array(promised) > 0) > 0.8
