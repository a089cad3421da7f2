"""Whole tunings with simulated games."""

import random
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from engine.match.openings import Opening
from engine.match.statistics import share_of_elo
from engine.tune.picture import curves_svg, is_picture
from engine.tune.plan import TunePlan
from engine.tune.trials import random_trials, trial_units
from engine.tune.tuning import check_gate_book, gate_plan, tune
from movegen.fen import START_FEN
from perft.runner.journal import Memory
from perft.runner.pool import UnitReport
from perft.runner.runner import Runner
from perft.runner.units import UnitAnswer
from tests.engine.tune.simulated import CONSTANTS, true_elo


class SimulatedPool:
    """Answers trials by the true Elo of the settings, in random order."""

    workers, lost, notes = 4, 0, ()

    def __init__(self, order=0):
        self._rng, self._jobs = random.Random(order), []

    def send(self, job):
        self._jobs.append(job)

    def receive(self, _seconds):
        self._rng.shuffle(self._jobs)
        job = self._jobs.pop()
        return [UnitReport(job, UnitAnswer("here:1", 0.1, [self._share(trial) for trial in job.unit.input["trials"]]))]

    def _share(self, trial):
        first, second = (
            np.array([constant.coordinate(trial[side][constant.name]) for constant in CONSTANTS])
            for side in ("first", "second")
        )
        expected = share_of_elo(float(true_elo(first) - true_elo(second)))
        rng = np.random.default_rng(trial["number"])
        return float(rng.binomial(2, expected)) / 2

    def recall(self):
        return []

    def close(self):
        pass


def plan(**changes):
    return TunePlan(CONSTANTS, visits=100, **{"pairs": 600, **changes})


def test_random_settings_cover_the_ranges():
    trials = random_trials(plan(pairs=400))
    for constant in CONSTANTS:
        values = [trial.first[constant.name] for trial in trials]
        assert constant.low <= min(values) < constant.value(0.9 * constant.bounds[0])
        assert constant.high >= max(values) > constant.value(0.9 * constant.bounds[1])
    assert len({trial.opening for trial in trials}) == 400
    assert trials[:5] == random_trials(plan(pairs=400))[:5]


def test_units_hold_all_trials():
    trials = random_trials(plan(pairs=33))
    units = trial_units(plan(pairs=33), trials)
    numbers = [trial["number"] for unit in units for trial in unit.input["trials"]]
    assert numbers == list(range(33))


@pytest.mark.parametrize(
    ("pairs", "visits", "units"),
    [(16, 10, 8), (4, 10, 4), (16, 400, 8), (16, 2000, 16), (640, 10, 40), (640, 400, 160)],
)
def test_a_round_has_units_for_several_workers(pairs, visits, units):
    small = TunePlan(CONSTANTS, visits=visits, pairs=pairs)
    assert len(trial_units(small, random_trials(small))) == units


@pytest.mark.parametrize(("options", "is_repeatable"), [((), True), ((("Threads", "2"),), False)])
def test_units_of_several_threads_are_not_compared(options, is_repeatable):
    changed = plan(pairs=10, options=options)
    assert {unit.is_repeatable for unit in trial_units(changed, random_trials(changed))} == {is_repeatable}


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["random", "spsa"])
def test_the_order_of_workers_does_not_matter(method):
    first = tune(plan(method=method), lambda: Runner(SimulatedPool(1), Memory()))
    second = tune(plan(method=method), lambda: Runner(SimulatedPool(2), Memory()))
    assert first.data() == second.data()


def test_a_simulated_tuning_finds_a_better_setting():
    outcome = tune(plan(), lambda: Runner(SimulatedPool(), Memory()))
    places = np.array([row.constant.coordinate(row.value) for row in outcome.rows])
    assert true_elo(places) > 20
    assert abs(outcome.rows[0].coordinate - 0.25) < 3 * outcome.rows[0].error
    gain, error = outcome.gain
    assert abs(gain - true_elo(places)) < 3 * error
    assert "1200 games with 100 visits" in outcome.headline
    assert "for a doubling" in outcome.columns["slope"][0]


@pytest.mark.thorough
def test_spsa_finds_a_better_setting():
    outcome = tune(plan(method="spsa", pairs=2000), lambda: Runner(SimulatedPool(), Memory()))
    places = np.array([row.constant.coordinate(row.value) for row in outcome.rows])
    assert true_elo(places) > 15
    assert all(row.error is not None for row in outcome.rows)
    assert outcome.notes()[-1] == "SPSA gives no estimate of the gain: --gate decides whether there is one"
    assert "gain" not in {*outcome.data(), *outcome.columns, *outcome.data()["constants"][0]}


def test_the_gate_is_a_match_against_the_present_setting():
    outcome = tune(plan(pairs=50), lambda: Runner(SimulatedPool(), Memory()))
    match = gate_plan(outcome, 21)
    proposed, present = match.players
    assert proposed.options == {name: str(value) for name, value in outcome.proposed.items()}
    assert present.options == {"PUCT C": "550", "First Play": "180", "Policy Temperature": "2400"}
    assert (len(match.openings), match.is_repeatable) == (11, True)


def test_the_book_of_the_gate_is_large_enough():
    book = tuple(Opening(START_FEN, (move,)) for move in ("e2e4", "d2d4", "c2c4"))
    check_gate_book(plan(book=book), 6)
    check_gate_book(plan(), 10_000)
    with pytest.raises(ValueError, match="--gate-games 7: the book has 3 different openings, enough for 6 games"):
        check_gate_book(plan(book=book), 7)
    check_gate_book(plan(book=book, options=(("Threads", "2"),)), 7)  # games differ each time


def test_the_picture():
    outcome = tune(plan(pairs=50), lambda: Runner(SimulatedPool(), Memory()))
    text = curves_svg(outcome)
    assert is_picture(text.encode())
    root = ET.fromstring(text)  # noqa: S314  (made here)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}g")) == 3
    titles = [element.text for element in root.iter(f"{space}text") if element.get("font-weight") == "bold"]
    assert titles == [constant.name for constant in CONSTANTS]
    for circle in root.iter(f"{space}circle"):
        assert 0 <= float(circle.get("cx")) <= 640
