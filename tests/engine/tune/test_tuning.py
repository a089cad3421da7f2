"""Whole tunings: with simulated games, and tiny ones with real games, broken off and continued."""

import json
import random
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from engine.__main__ import main
from engine.match.statistics import share_of_elo
from engine.tune.picture import curves_svg, is_picture
from engine.tune.plan import TunePlan
from engine.tune.trials import random_trials, trial_units
from engine.tune.tuning import gate_plan, tune
from perft.runner.journal import Memory
from perft.runner.runner import Runner, UnitReport
from perft.runner.units import UnitAnswer
from tests.engine.tune.simulated import CONSTANTS, true_elo

FILE = """
visits = 8
games = 24
[[constant]]
name = "PUCT C"
low = 200
high = 2000
[[constant]]
name = "First Play"
low = -200
high = 400
"""


class SimulatedPool:
    """Answers trials by the true Elo of the settings, in random order."""

    workers, lost = 4, 0

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
    text = "\n".join(outcome.lines())
    assert "1200 games with 100 visits" in text
    assert "for a doubling" in text


def test_spsa_finds_a_better_setting():
    outcome = tune(plan(method="spsa", pairs=2000), lambda: Runner(SimulatedPool(), Memory()))
    places = np.array([row.constant.coordinate(row.value) for row in outcome.rows])
    assert true_elo(places) > 15
    assert all(row.error is not None for row in outcome.rows)
    assert "SPSA" in "\n".join(outcome.lines())


def test_the_gate_is_a_match_against_the_present_setting():
    outcome = tune(plan(pairs=50), lambda: Runner(SimulatedPool(), Memory()))
    match = gate_plan(outcome, 21)
    proposed, present = match.players
    assert proposed.options == {name: str(value) for name, value in outcome.proposed.items()}
    assert present.options == {"PUCT C": "550", "First Play": "180", "Policy Temperature": "2400"}
    assert (len(match.openings), match.is_repeatable) == (11, True)


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


# With real games


def run(capsys, *arguments):
    status = main(["tune", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("method", ["random", "spsa"])
def test_a_tiny_tuning_is_continued(capsys, tmp_path, method):
    """The journal is cut to its first two units, in the middle of a line; the rest is played again."""
    file, folder = tmp_path / "constants.toml", tmp_path / "run"
    file.write_text(f'method = "{method}"\nround = 4\n{FILE}')
    gate = ["--gate", "0", "200", "--gate-games", "4", "--json", "--workers", "2"]
    status, output, _ = run(capsys, file, "--run", folder, "--picture", tmp_path / "curves.svg", *gate)
    assert status == 0
    data = json.loads(output)
    assert (data["games"], data["gate"]["games"]) == (24, 4)
    assert (tmp_path / "curves.svg").is_file()
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:2]) + b"\n" + lines[2][:40])
    file.unlink()
    status, again, _ = run(capsys, "--resume", folder, "--json", "--workers", "1")
    assert (status, json.loads(again)) == (0, data)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "name a file"),
        (["/nowhere/x.toml"], "No such file"),
        (["x.toml", "--gate", "5", "0"], "the second Elo must be larger"),
        (["--resume", "/nowhere"], "not the folder of a run"),
    ],
)
def test_bad_input(capsys, arguments, reason):
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert reason in errors
