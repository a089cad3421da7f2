"""Trials: pairs of games between two settings, as units of work."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.match.adjudication import Adjudication
from engine.match.openings import Opening
from engine.match.pairs import Table, opening_of
from engine.match.play import choose_openings
from engine.match.player import PlayerSpec, TimeControl
from engine.match.statistics import PAIR_SCORES
from engine.tune.plan import Constant, TunePlan
from perft.runner.units import Unit, UnitAnswer

PLAY_TRIALS = "engine.tune.trials:play_trials"
VISITS_A_UNIT = 1600  # times the moves of a pair: a unit then takes some seconds
MOST_A_UNIT = 16  # trials
FEWEST_UNITS = 8  # of a list that has as many trials: so that several workers have something to do
Setting = Mapping[str, int]


@dataclass(frozen=True)
class Trial:
    """A pair of games between two settings."""

    number: int  # in the tuning: it decides the seeds
    opening: Opening
    first: Setting
    second: Setting


def random_setting(constants: Sequence[Constant], rng: random.Random) -> dict[str, int]:
    """A setting with each constant anywhere in its range, on its scale."""
    return {constant.name: constant.value(rng.uniform(*constant.bounds)) for constant in constants}


def random_trials(plan: TunePlan) -> list[Trial]:
    """All trials of the method with random settings."""
    trials = []
    for number, opening in enumerate(trial_openings(plan)):
        rng = random.Random(f"{plan.seed} settings {number}")
        first, second = (random_setting(plan.constants, rng) for _ in range(2))
        trials.append(Trial(number, opening, first, second))
    return trials


def trial_openings(plan: TunePlan) -> list[Opening]:
    """An opening for each trial; settings differ, so one may come again."""
    return choose_openings(plan.book or None, plan.pairs, plan.seed, is_repeatable=False)


def trial_units(plan: TunePlan, trials: Sequence[Trial]) -> list[Unit]:
    """The trials in units, in their order."""
    size = max(1, min(MOST_A_UNIT, VISITS_A_UNIT // plan.visits, len(trials) // FEWEST_UNITS))
    player = plan.player("", {})
    shared = {"player": player.data(), "control": asdict(TimeControl(plan.visits)), "rules": asdict(rules_of(plan))}
    rows = [asdict(trial) for trial in trials]
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [Unit(PLAY_TRIALS, {**shared, "seed": plan.seed, "trials": part}, player.is_repeatable) for part in parts]


def check_trials(unit: Unit, answer: UnitAnswer) -> None:
    """`ValueError` unless the answer of a worker has a possible result for each trial. Their games are not sent."""
    if not isinstance(answer.value, list):
        raise ValueError("no list of results")  # noqa: TRY004  (wrong input)
    if len(answer.value) != len(unit.input["trials"]):
        raise ValueError(f"{len(answer.value)} results of {len(unit.input['trials'])} trials")
    for share in answer.value:
        if share not in PAIR_SCORES:
            raise ValueError(f"{share} is no result of two games")


def rules_of(plan: TunePlan) -> Adjudication:
    """The adjudication of a plan: when games end before the rules end them."""
    (resign_score, resign_moves), (draw_from, draw_score, draw_moves) = plan.resign, plan.draw
    return Adjudication(resign_score, resign_moves, draw_score, draw_moves, draw_from)


# On the worker


def play_trials(
    player: Mapping[str, Any],
    control: Mapping[str, Any],
    rules: Mapping[str, Any],
    trials: Sequence[Mapping[str, Any]],
    seed: int,
) -> list[float]:
    """Play some trials; -> for each the mean points of the first setting in a game."""
    shares = []
    for trial in trials:
        specs = [_with_setting(player, trial[side]) for side in ("first", "second")]
        with (table := Table(specs, TimeControl(**control), Adjudication(**rules))):
            table.play_pair(opening_of(trial["opening"]), trial["number"], seed)
        shares.append(sum(table.rows[0]["points"]) / 2)
    return shares


def _with_setting(player: Mapping[str, Any], setting: Setting) -> PlayerSpec:
    values = {name: str(value) for name, value in setting.items()}
    return PlayerSpec(**{**player, "options": {**player["options"], **values}})
