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
from engine.tune.model import Array, Fit, best_value, fit_elo
from engine.tune.plan import PRESENT_NAME, PROPOSED_NAME, SPSA, Constant, TunePlan
from engine.tune.spsa import Place, next_place, perturbed, random_rounding, random_sides
from engine.tune.trials import Setting, Trial, random_trials, rules_of, trial_openings, trial_units
from engine.tune.tune_outcome import SIGNIFICANT, CurveOutcome, CurveRow, SpsaOutcome, SpsaRow, TuneOutcome
from perft.runner.runner import Runner, results_in_order

NewRunner = Callable[[], Runner]  # each list of units has its own
GATE_PAIRS_PER_UNIT = 4
LAST_PART = 4  # the last quarter of the rounds shows how far SPSA still wanders


def tune(plan: TunePlan, new_runner: NewRunner) -> TuneOutcome:
    """Play all trials; -> a setting, and curves unless the method is SPSA."""
    return _by_spsa(plan, new_runner) if plan.method == SPSA else _by_random_settings(plan, new_runner)


def play_trial_list(plan: TunePlan, trials: Sequence[Trial], runner: Runner) -> list[float]:
    """The share of the points that the first setting got, for each trial."""
    units = trial_units(plan, trials)
    with closing(runner.run(units)) as results:
        return list(chain.from_iterable(result.value for _, result in results_in_order(units, results)))


def coordinates_of(plan: TunePlan, settings: Sequence[Setting]) -> Array:
    """The coordinates of settings, a row for each."""
    return np.array([[constant.coordinate(each[constant.name]) for constant in plan.constants] for each in settings])


def outcome_of(plan: TunePlan, trials: Sequence[Trial], shares: Sequence[float]) -> CurveOutcome:
    """The model of all trials, and its best setting."""
    first, second = ([getattr(trial, side) for trial in trials] for side in ("first", "second"))
    found = fit_elo(coordinates_of(plan, first), coordinates_of(plan, second), np.array(shares), plan.constants)
    rows = [_row_of(found, index, constant) for index, constant in enumerate(plan.constants)]
    return CurveOutcome(plan, tuple(rows), found)


def _row_of(found: Fit, index: int, constant: Constant) -> CurveRow:
    best = best_value(found, index, constant)
    gain, error = found.elo_of(index, constant.rounded_coordinate(best.coordinate))
    is_kept = gain <= SIGNIFICANT * error
    curve = found.slope(index), found.curvature(index)
    return CurveRow(constant, best.coordinate, best.error, *curve, (gain, error), is_kept)


def _by_random_settings(plan: TunePlan, new_runner: NewRunner) -> CurveOutcome:
    trials = random_trials(plan)
    return outcome_of(plan, trials, play_trial_list(plan, trials, new_runner()))


# SPSA


def _by_spsa(plan: TunePlan, new_runner: NewRunner) -> SpsaOutcome:
    """Rounds of trials, each from the place that the rounds before led to."""
    openings = trial_openings(plan)
    place: Place = dict.fromkeys(plan.present, 0.0)
    places = [place]
    for numbers in _rounds(plan):
        new = [_spsa_trial(plan, place, number, openings[number]) for number in numbers]
        results = play_trial_list(plan, new, new_runner())
        for trial, share in zip(new, results, strict=True):
            sides, points = _sides(plan, trial.number), 4 * share - 2  # won minus lost games of a pair
            place = next_place(plan.constants, place, sides, points, trial.number + 1, plan.pairs)
        places.append(place)
    last = places[-max(2, len(places) // LAST_PART) :]
    return SpsaOutcome(plan, tuple(_spsa_row(constant, last) for constant in plan.constants))


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


def _spsa_row(constant: Constant, last: Sequence[Place]) -> SpsaRow:
    """The place at the end, and how far it moved in the last rounds."""
    places = [each[constant.name] for each in last]
    return SpsaRow(constant, places[-1], float(np.std(places)))


# The gate


def check_gate_book(plan: TunePlan, games: int) -> None:
    """Raise a `ValueError` if the book has too few openings for the gate."""
    if plan.book:
        try:
            gate_openings(plan, games)
        except ValueError as error:
            raise ValueError(f"--gate-games {games}: {error}") from None


def gate_openings(plan: TunePlan, games: int) -> list[Opening]:
    """The openings of the gate. Their order in the book, or their random moves, are not those of the trials."""
    return choose_openings(plan.book or None, -(-games // 2), plan.seed + 1, is_repeatable=plan.is_repeatable)


def gate_plan(outcome: TuneOutcome, games: int) -> MatchPlan:
    """A match of the proposed setting against the present one."""
    plan = outcome.plan
    players = plan.player(PROPOSED_NAME, outcome.proposed), plan.player(PRESENT_NAME, plan.present)
    openings = tuple(gate_openings(plan, games))
    return MatchPlan(
        players, TimeControl(visits=plan.visits), rules_of(plan), openings, plan.seed + 1, GATE_PAIRS_PER_UNIT
    )
