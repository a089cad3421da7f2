"""How long a run still takes, by recorded runs: two threads, other work at the same time."""

import time
from types import SimpleNamespace

import pytest

from movegen import Position
from perft import counter as run
from perft.counter import Counter, CountProgress
from perft.display import seconds_left, seconds_left_of_run

# End of the run; seconds since its start, seconds of counting, share of the work.
RECORDED = {
    "perft 8 --hash 1024": (
        37.9,
        [(16.2, 0.1, 0.0028), (17.1, 1.0, 0.0457), (19.8, 3.6, 0.1772), (25.2, 9.1, 0.3921), (32.9, 16.7, 0.75)],
    ),
    "perft 8 --hash 64": (
        57.1,
        [(0.4, 0.1, 0.0008), (1.3, 1.0, 0.0087), (3.9, 3.6, 0.0349), (12.6, 12.3, 0.1387), (41.7, 41.4, 0.689)],
    ),
    "perft 6 --hash 512 of a middlegame": (
        8.1,
        [(2.4, 0.1, 0.0119), (3.3, 1.0, 0.182), (4.2, 1.9, 0.3338), (5.8, 3.6, 0.6187), (7.2, 4.9, 0.8422)],
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_estimates_are_right_within_a_factor_of_four_from_the_start(name):
    end, rows = RECORDED[name]
    for seconds, counting, share in rows:
        estimate = seconds_left_of_run(CountProgress(0, share, counting))
        assert (end - seconds) / 4 < estimate < (end - seconds) * 4


def test_nothing_is_known_before_anything_is_counted():
    assert seconds_left_of_run(CountProgress(0, 0.0, 0.0)) is None
    assert seconds_left(CountProgress(0, 0.0, 0.0), 9.0, 0.5, 0.1) is None


def test_a_run_alone_is_the_whole():
    progress = CountProgress(0, 0.25, 10.0)
    assert seconds_left(progress, 20.0, 0.0, 1.0) == seconds_left_of_run(progress) == pytest.approx(30.0)
    assert seconds_left(CountProgress(0, 1.0, 10.0), 20.0, 0.0, 1.0) == 0


def test_coming_parts_take_as_long_as_those_before():
    """Three of ten parts took 30 seconds; the fourth has counted 2 of 8 seconds, after 2 of getting ready."""
    progress = CountProgress(0, 0.25, 2.0)
    assert seconds_left(progress, 34.0, 0.3, 0.1) == pytest.approx(6 + 40 * 0.6 / 0.4)


def test_time_of_merging_is_not_time_of_counting(monkeypatch):
    """A clock that is put forward while positions are merged."""
    clock, real = [0.0], run.merged_frontier

    def merge_slowly(*arguments):
        clock[0] += 100.0
        return real(*arguments)

    seen = []
    monkeypatch.setattr("perft.counter.merged_frontier", merge_slowly)
    monkeypatch.setattr(
        "perft.counter.time", SimpleNamespace(monotonic=lambda: clock[0], perf_counter=time.perf_counter)
    )
    assert Counter(1, 1, seen.append).perft(Position(), 3) == 8902
    assert (seen[-1].counting_seconds, seen[-1].share) == (0.0, 1.0)
