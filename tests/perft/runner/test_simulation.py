"""A thousand workers, simulated: what issue and documents say about them."""

import pytest

from tests.perft.runner.simulation import WORK, Cluster, use_of


def test_one_worker_is_always_busy():
    assert use_of(Cluster(1, 10.0), 2000.0) > 0.99


def test_a_thousand_workers_are_used_well_with_units_of_ten_seconds():
    assert use_of(Cluster(1000, 10.0), 20 * 10.0 * 1000) >= 0.95  # twenty units for each, as `unit_seconds` has it


def test_units_of_a_second_are_too_many_for_the_scheduler():
    assert use_of(Cluster(1000, 1.0), 20_000.0) < 0.9


def test_kills_cost_the_units_under_way():
    work = WORK[11]
    assert use_of(Cluster(100, 10.0, kills=60.0), work) == pytest.approx(1 - 10 / 120 - 5 / 60, abs=0.05)
