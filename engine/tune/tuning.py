"""Plays the trials of a plan on workers, and proposes a setting."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain

import numpy as np

from engine.match.openings import Opening
from engine.match.pairs import MatchPlan
from engine.match.play import choose_openings
from engine.match.player import TimeControl
from engine.tune.model import Array, best_value, fit_elo
from engine.tune.plan import PRESENT_NAME, PROPOSED_NAME, SPSA, TunePlan
from engine.tune.spsa import Place, next_place, perturbed, random_rounding, random_sides
from engine.tune.trials import Setting, Trial, random_trials, rules_of, trial_openings, trial_units
from engine.tune.tune_outcome import ConstantRow, TuneOutcome
from perft.runner.runner import Runner, results_in_order

NewRunner = Callable[[], Runner]  # each list of units has its own
GATE_PAIRS_PER_UNIT = 4
LAST_PART = 4  # the last quarter of the rounds shows how far SPSA still wanders


def tune(plan: TunePlan, new_runner: NewRunner) -> TuneOutcome:
    """Play all trials; -> the curves, and a setting."""
    return _by_spsa(plan, new_runner) if plan.method == SPSA else _by_random_settings(plan, new_runner)


def play_trial_list(plan: TunePlan, trials: Sequence[Trial], runner: Runner) -> list[float]:
    """The share of the points that the first setting got, for each trial."""
    units = trial_units(plan, trials)
    with closing(runner.run(units)) as results:
        return list(chain.from_iterable(result.value for _, result in results_in_order(units, results)))


def coordinates_of(plan: TunePlan, settings: Sequence[Setting]) -> Array:
    """A row for each setting."""
    return np.array([[constant.coordinate(each[constant.name]) for constant in plan.constants] for each in settings])


def outcome_of(plan: TunePlan, trials: Sequence[Trial], shares: Sequence[float]) -> TuneOutcome:
    """The model of all trials, and its best setting."""
    first, second = ([getattr(trial, side) for trial in trials] for side in ("first", "second"))
    found = fit_elo(coordinates_of(plan, first), coordinates_of(plan, second), np.array(shares))
    rows = []
    for index, constant in enumerate(plan.constants):
        best = best_value(found, index, constant)
        rows.append(ConstantRow(constant, found.slope(index), found.curvature(index), best.coordinate, best.error))
    return TuneOutcome(plan, found, tuple(rows))


def _by_random_settings(plan: TunePlan, new_runner: NewRunner) -> TuneOutcome:
    trials = random_trials(plan)
    return outcome_of(plan, trials, play_trial_list(plan, trials, new_runner()))


# SPSA


def _by_spsa(plan: TunePlan, new_runner: NewRunner) -> TuneOutcome:
    """Rounds of trials, each from the place that the rounds before led to. The model fits the trials of all."""
    openings = trial_openings(plan)
    place: Place = dict.fromkeys(plan.present, 0.0)
    trials, shares, places = list[Trial](), list[float](), [place]
    for numbers in _rounds(plan):
        new = [_spsa_trial(plan, place, number, openings[number]) for number in numbers]
        results = play_trial_list(plan, new, new_runner())
        for trial, share in zip(new, results, strict=True):
            sides, points = _sides(plan, trial.number), 4 * share - 2  # won minus lost games of a pair
            place = next_place(plan.constants, place, sides, points, trial.number + 1, plan.pairs)
        trials, shares = trials + new, shares + results
        places.append(place)
    return _at_place(outcome_of(plan, trials, shares), place, places[-max(2, len(places) // LAST_PART) :])


def _rounds(plan: TunePlan) -> Iterator[range]:
    for start in range(0, plan.pairs, plan.round):
        yield range(start, min(start + plan.round, plan.pairs))


def _sides(plan: TunePlan, number: int) -> dict[str, int]:
    return random_sides(plan.constants, random.Random(f"{plan.seed} sides {number}"))


def _spsa_trial(plan: TunePlan, place: Place, number: int, opening: Opening) -> Trial:
    sides = _sides(plan, number)
    opposite = {name: -side for name, side in sides.items()}
    rounding = random_rounding(plan.constants, random.Random(f"{plan.seed} rounding {number}"))
    first, second = (
        perturbed(plan.constants, place, each, rounding, number + 1, plan.pairs) for each in (sides, opposite)
    )
    return Trial(number, opening, first, second)


def _at_place(outcome: TuneOutcome, place: Place, last: Sequence[Place]) -> TuneOutcome:
    """With the setting that SPSA ended at; its error is how far it moved in the last rounds."""
    rows = []
    for row in outcome.rows:
        spread = float(np.std([each[row.constant.name] for each in last]))
        rows.append(ConstantRow(row.constant, row.slope, row.curvature, place[row.constant.name], spread))
    return TuneOutcome(outcome.plan, outcome.fit, tuple(rows))


# The gate


def gate_plan(outcome: TuneOutcome, games: int) -> MatchPlan:
    """A match of the proposed setting against the present one."""
    plan = outcome.plan
    players = plan.player(PROPOSED_NAME, outcome.proposed), plan.player(PRESENT_NAME, plan.present)
    chosen = choose_openings(plan.book or None, -(-games // 2), plan.seed + 1, is_repeatable=True)
    return MatchPlan(
        players, TimeControl(visits=plan.visits), rules_of(plan), tuple(chosen), plan.seed + 1, GATE_PAIRS_PER_UNIT
    )
