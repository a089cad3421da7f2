"""What the lines of a journal say: rounds, the best net, its strength, processor time."""

import math
import random
from dataclasses import replace

import pytest

from engine.match.statistics import Counts, elo_interval
from engine.training.loop.loop_journal import LoopJournal
from engine.training.loop.net_strength import MOST_ELO, Strength, gain_of
from engine.training.loop.rounds import read_state
from tests.engine.training.loop.fake_work import LOST, SETTINGS, TWO_GATES, WON, FakeWork, begun, run


def state_after(folder, rounds, passes, settings=SETTINGS):
    begun(folder, settings)
    return run(folder, FakeWork(folder, passes), rounds)


def test_strength_is_the_sum_of_the_last_gates_of_what_was_kept(tmp_path):
    """Bounds add up in squares, below and above apart."""
    state = state_after(tmp_path / "loop", 5, lambda number, _: number in (1, 3, 4))
    gained = elo_interval(Counts(*WON))
    assert state.strength.elo == pytest.approx(3 * gained.value)
    assert state.strength.low == pytest.approx(3 * gained.value - math.sqrt(3) * (gained.value - gained.low))
    assert state.strength.high == pytest.approx(3 * gained.value + math.sqrt(3) * (gained.high - gained.value))
    assert state.rounds[1].gain == gain_of(LOST)
    assert state.rounds[1].gain.elo < 0


def test_with_two_gates_the_last_one_counts(tmp_path):
    state = state_after(tmp_path / "loop", 1, lambda *_: True, TWO_GATES)
    (one,) = state.rounds
    one.gates[-1]["pairs"][:] = LOST
    assert one.gain == gain_of(LOST)


def test_the_bounds_of_a_sum_hold_as_often_as_they_say():
    """Chains of ten matches of 200 pairs between nets 20 Elo apart: about 95 % of the sums are within."""
    rng, inside, shares = random.Random(5), 0, (0.06, 0.2, 0.42, 0.24, 0.08)
    mean = sum(share * number / 4 for number, share in enumerate(shares))
    truth = 10 * -400 * math.log10(1 / mean - 1)
    for _ in range(400):
        total = Strength()
        for _ in range(10):
            drawn = rng.choices(range(5), shares, k=200)
            total = total.plus(gain_of([drawn.count(number) for number in range(5)]))
        inside += total.low <= truth <= total.high
    assert 0.91 < inside / 400 < 0.985


def test_games_that_are_all_won_show_a_limited_elo():
    assert gain_of([0, 0, 0, 0, 30]).elo == MOST_ELO
    assert gain_of([30, 0, 0, 0, 0]) == Strength(-MOST_ELO, -MOST_ELO, gain_of([30, 0, 0, 0, 0]).high)
    assert gain_of([0] * 5) == Strength()


def test_processor_time_of_rounds(tmp_path):
    state = state_after(tmp_path / "loop", 2, lambda *_: False)
    assert [one.cpu_seconds for one in state.rounds] == [210.0, 210.0]
    assert state.cpu_seconds == 420.0


def test_settings_hold_for_the_rounds_after_them(tmp_path):
    begun(tmp_path / "loop")
    run(tmp_path / "loop", FakeWork(tmp_path / "loop"), 1)
    journal, other = LoopJournal(tmp_path / "loop"), replace(SETTINGS, games=5)
    with journal.held():
        journal.add("settings", settings=other.data())
    state = run(tmp_path / "loop", FakeWork(tmp_path / "loop"), 2)
    assert [one.settings for one in state.rounds] == [SETTINGS, other]
    assert state.settings == other


def test_lines_and_settings_of_another_version_are_refused(tmp_path):
    journal = begun(tmp_path / "loop")
    with journal.held():
        journal.add("dream", round=1)
    with pytest.raises(ValueError, match=r"a line that this version of Teresa does not know \('dream'\)"):
        read_state(journal.entries)
    header = {**journal.entries[0], "settings": {**SETTINGS.data(), "momentum": 1}}
    with pytest.raises(ValueError, match="the settings of this loop are those of another version of Teresa"):
        read_state([header])
