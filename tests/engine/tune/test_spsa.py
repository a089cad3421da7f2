"""SPSA on a simulated quadratic, and its schedule against the formulas."""

import random

import numpy as np
import pytest

from engine.tune.plan import LOG, Constant
from engine.tune.spsa import Schedule, next_place, perturbed, random_sides
from tests.engine.tune.simulated import share_of_elo

CONSTANTS = (Constant("PUCT C", 100, 4000, 550, LOG), Constant("Root Temperature", 1000, 10_000, 5800, LOG))
BEST = {"PUCT C": 1.2, "Root Temperature": -0.8}


def elo(values):
    return -sum(80 * (constant.coordinate(values[constant.name]) - BEST[constant.name]) ** 2 for constant in CONSTANTS)


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
    first = perturbed(CONSTANTS, place, sides, 500, 500)
    second = perturbed(CONSTANTS, place, {name: -side for name, side in sides.items()}, 500, 500)
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
    rng, noise, trials = random.Random(seed), np.random.default_rng(seed), 3000
    place = dict.fromkeys(BEST, 0.0)
    for trial in range(1, trials + 1):
        sides = random_sides(CONSTANTS, rng)
        first = perturbed(CONSTANTS, place, sides, trial, trials)
        second = perturbed(CONSTANTS, place, {name: -side for name, side in sides.items()}, trial, trials)
        won = noise.binomial(2, share_of_elo(elo(first) - elo(second)))
        place = next_place(CONSTANTS, place, sides, 2 * won - 2, trial, trials)
    assert place == pytest.approx(BEST, abs=0.35)
