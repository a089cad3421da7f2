"""Simultaneous perturbation stochastic approximation (Spall): all constants move at once, by the results of games.

In trial k each constant is c_k to one side for the first player and to the other side for the second one; after it each
moves by a_k / c_k · points · side, where points are won minus lost games. a_k = a / (A + k)^0.602, c_k = c / k^0.101,
A = a tenth of the trials, as in fishtest. c is such that the last step is a twentieth of the range, a such that chance
alone moves a constant by about one such step in all trials together.

Values are whole numbers. A step is at least 1/2, and fractions are rounded at random, for both players by the same
random number: so values differ between them however small they are, and are right in the mean.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.tune.plan import Constant

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
LAST_STEP = 1 / 20  # c of the last trial, by the width of the range
Sides = Mapping[str, int]
Place = Mapping[str, float]  # coordinates of all constants, by name
Rounding = Mapping[str, float]  # the share of fractions that are rounded up, by name


@dataclass(frozen=True)
class Schedule:
    """The steps of a constant, over all trials."""

    last_step: float
    trials: int

    def step(self, trial: int) -> float:
        """The step c_k of a trial, from the place to either setting; trials are counted from 1."""
        return self.last_step * math.pow(self.trials / trial, GAMMA)

    def rate(self, trial: int) -> float:
        """The factor a_k of a trial, as texts on SPSA call it."""
        stability = STABILITY * self.trials
        last = self.last_step**2 / math.sqrt(self.trials)
        return last * math.pow((stability + self.trials) / (stability + trial), ALPHA)

    def gain(self, trial: int) -> float:
        """How far the constant moves for a point in a trial."""
        return self.rate(trial) / self.step(trial)


def schedule_of(constant: Constant, trials: int) -> Schedule:
    """The steps of a constant by its range."""
    low, high = constant.bounds
    return Schedule(max(constant.half_unit, LAST_STEP * (high - low)), trials)


def random_sides(constants: Sequence[Constant], rng: random.Random) -> dict[str, int]:
    """To which side each constant goes for the first player."""
    return {constant.name: rng.choice((-1, 1)) for constant in constants}


def random_rounding(constants: Sequence[Constant], rng: random.Random) -> dict[str, float]:
    """The share of fractions that is rounded up, for each constant; the same for both players of a trial."""
    return {constant.name: rng.random() for constant in constants}


def perturbed(
    constants: Sequence[Constant], place: Place, sides: Sides, rounding: Rounding, trial: int, trials: int
) -> dict[str, int]:
    """The setting of the first player in a trial; with all sides reversed that of the second one."""
    setting = {}
    for constant in constants:
        name, step = constant.name, schedule_of(constant, trials).step(trial)
        setting[name] = constant.rounded(place[name] + sides[name] * step, rounding[name])
    return setting


def next_place(
    constants: Sequence[Constant], place: Place, sides: Sides, points: float, trial: int, trials: int
) -> dict[str, float]:
    """The coordinates after a trial, within the ranges."""
    after = {}
    for constant in constants:
        low, high = constant.bounds
        by = schedule_of(constant, trials).gain(trial) * points * sides[constant.name]
        after[constant.name] = min(high, max(low, place[constant.name] + by))
    return after
