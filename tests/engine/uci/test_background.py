"""What runs besides commands: its states, and jobs that end, fail or are stopped."""

import threading
import time

import pytest

from engine.search.clock import Limits
from engine.uci.background import Background


class Watched:
    """Background work, what it prints, and how often a job has ended."""

    def __init__(self):
        self.said, self.ended = [], threading.Semaphore(0)
        self.background = Background(self.said.append, self.ended.release)

    def wait(self, jobs=1):
        for _ in range(jobs):
            assert self.ended.acquire(timeout=60)


@pytest.fixture
def watched():
    return Watched()


@pytest.mark.parametrize(
    ("limits", "waits", "endless"),
    [
        (Limits(infinite=True), True, True),
        (Limits(ponder=True, time_left=1000), True, True),
        (Limits(depth=3), False, False),
        (Limits(mate=2), False, True),
        (Limits(mate=2, nodes=0), False, False),
        (Limits(mate=2, depth=0), False, True),  # no deeper than the mate is looked for: not every depth is reached
        (Limits(nodes=5), False, False),
        (Limits(move_time=5), False, False),
        (Limits(time_left=5), False, False),
    ],
)
def test_the_states_of_a_search(watched, limits, waits, endless):
    background, stops = watched.background, []
    assert (background.is_busy, background.is_idle, background.may_be_endless) == (False, True, False)
    background.begin_search(limits, lambda: stops.append("stop"))
    assert (background.is_busy, background.is_idle) == (True, False)
    assert (background.waits_for_stop, background.may_be_endless) == (waits, endless)
    background.stop_search()
    assert stops == ["stop"]
    with background.answering():  # another `go` may come, but not all is said
        assert (background.is_busy, background.is_idle) == (False, False)
    assert background.is_idle
    assert not background.waits_for_stop


def test_a_ponder_hit_ends_the_wait(watched):
    watched.background.ponder_hit()
    watched.background.begin_search(Limits(ponder=True, time_left=1000), lambda: None)
    watched.background.ponder_hit()
    assert not watched.background.waits_for_stop
    assert not watched.background.may_be_endless
    watched.background.cancel_search()
    assert watched.background.is_idle


def test_a_job_prints_ends_and_may_fail(watched):
    watched.background.start_job(lambda say, _should_stop: say("done"))
    watched.wait()
    assert watched.background.is_idle
    watched.background.start_job(lambda _say, _should_stop: 1 / 0)
    watched.wait()
    assert watched.said == ["done", "info string failed (ZeroDivisionError('division by zero'))"]
    assert not watched.background.is_busy


def test_everything_is_stopped_and_extra_jobs_keep_their_order(watched):
    def until_stopped(name):
        def work(say, should_stop):
            while not should_stop():
                time.sleep(0.002)
            say(name)

        return work

    background = watched.background
    background.start_job(until_stopped("job"))
    for name in ("first", "second", "third"):
        background.start_extra(until_stopped(name))
    assert background.is_busy
    background.stop()
    watched.wait(jobs=4)
    assert [name for name in watched.said if name != "job"] == ["first", "second", "third"]
    assert background.is_idle


def test_extra_jobs_do_not_keep_commands_waiting(watched):
    may_end = threading.Event()
    watched.background.start_extra(lambda _say, _should_stop: may_end.wait(60))
    assert (watched.background.is_busy, watched.background.is_idle) == (False, False)
    may_end.set()
    watched.wait()
    assert watched.background.is_idle


def test_a_job_keeps_commands_waiting(watched):
    may_end = threading.Event()
    watched.background.start_job(lambda _say, _should_stop: may_end.wait(60))
    assert (watched.background.is_busy, watched.background.is_idle) == (True, False)
    may_end.set()
    watched.wait()
    assert (watched.background.is_busy, watched.background.is_idle) == (False, True)
