"""Time for a move; when a search must stop, may stop and may answer, at made-up moments."""

import itertools
import threading
import time

import pytest

from engine.report.effort import StopReason
from engine.report.move_stats import LOSS, WIN
from engine.search.clock import (
    SHORT_SECONDS,
    Budget,
    Course,
    Delay,
    DelayMeter,
    Limits,
    OverheadMeter,
    SearchControl,
    StopRules,
    budget,
    has_thought_enough,
    in_reserve,
    limits_of,
)
from tests.engine.report.moves import move

STARTED = 100.0
BUDGET = Budget(soft=1.0, hard=3.0)


@pytest.mark.parametrize("left", [1, 10, 50, 100, 1000, 10_000, 3_600_000])
@pytest.mark.parametrize("increment", [0, 10, 100, 10_000])
@pytest.mark.parametrize("moves_to_go", [None, 1, 2, 40])
def test_no_budget_passes_the_clock(left, increment, moves_to_go):
    planned = budget(Limits(time_left=left, increment=increment, moves_to_go=moves_to_go), overhead=30)
    assert 0 < planned.soft <= planned.hard
    assert planned.hard <= max(0.001, (left - 30) / 1000)


@pytest.mark.parametrize("left", [0, -1, -100_000])
def test_a_clock_that_has_run_out_means_move_at_once(left):
    assert budget(Limits(time_left=left), overhead=30).hard <= 0.001


def test_a_fixed_time_is_used_less_the_overhead():
    assert budget(Limits(move_time=100), overhead=30).hard == pytest.approx(0.07)
    assert budget(Limits(move_time=5), overhead=30).hard == pytest.approx(0.001)


@pytest.mark.parametrize(
    ("left", "increment", "moves_to_go", "overhead", "soft", "hard"),
    [
        (60_000, 0, None, 30, 59_250 / 24, 59_250 / 8),  # (60,000 − 25·30) / 24, and three times that
        (60_000, 1000, None, 30, 82_250 / 24, 82_250 / 8),  # 23 increments are still to come
        (1000, 10, None, 30, 20, 60),
        (544, 10, None, 30, 1, 1),  # the overhead of 25 moves leaves just the least for each
        (550, 10, None, 30, 1.25, 3.75),
        (100, 10, None, 30, 1, 1),  # it is more than there is
        (1, 0, None, 30, 1, 1),
        (-50, 0, None, 30, 1, 1),
        (5000, 0, 1, 30, 4473, 4473),  # nine tenths of what the overhead leaves
        (5000, 0, 2, 0, 1250, 1250),  # a quarter
        (3000, 2000, 10, 50, 2045, 2237.5),  # a quarter, and three quarters of the increment
        (3000, 2000, 1, 50, 2655, 2655),  # no increment comes before the control
        (9000, -5, -3, 0, 375, 1125),  # what makes no sense counts as not said
        (9000, 0, 0, 0, 375, 1125),
    ],
)
def test_budgets(left, increment, moves_to_go, overhead, soft, hard):
    planned = budget(Limits(time_left=left, increment=increment, moves_to_go=moves_to_go), overhead)
    assert 1000 * planned.soft == pytest.approx(soft)
    assert 1000 * planned.hard == pytest.approx(hard)


OVERHEADS = {  # of each move to come, and of a single one
    "nothing is lost": [((10_000, 0, 2.0), 30, 30), ((8000, 0, 1.0), 30, 30), ((7000, 0, 1.0), 30, 30)],
    "less than the option says": [((10_000, 0, 2.0), 30, 30), ((7980, 0, 1.0), 30, 30)],
    "a single loss is kept in reserve once, and forgotten": [
        ((10_000, 100, 2.0), 30, 30),
        ((7900, 100, 1.0), 30, 200),
        ((7000, 100, 1.0), 30, 160),
        ((6100, 100, 1.0), 30, 128),
        ((5200, 100, 1.0), 30, 102),
        ((4000, 100, 1.0), 30, 300),  # a larger one is learnt at once
    ],
    "what two moves have lost is usual, and forgotten": [
        ((10_000, 0, 2.0), 30, 30),
        ((7800, 0, 1.0), 30, 200),
        ((6500, 0, 1.0), 200, 300),
        ((5500, 0, 1.0), 160, 240),
        ((4300, 0, 1.0), 128, 200),
    ],
    "more than a second is another game": [
        ((10_000, 0, 2.0), 30, 30),
        ((6000, 0, 1.0), 30, 30),
        ((5000, 0, 1.0), 30, 30),
    ],
    "just a second is not": [((10_000, 0, 2.0), 30, 30), ((7000, 0, 1.0), 30, 1000)],
    "time was given": [((10_000, 0, 2.0), 30, 30), ((9000, 0, 1.0), 30, 30)],
    "the clock did not run": [
        ((10_000, 1000, None), 30, 30),
        ((10_700, 1000, 1.0), 30, 30),
        ((10_700, 1000, None), 30, 30),
    ],
    "learnt before the clock did not run": [
        ((10_000, 0, 2.0), 30, 30),
        ((7500, 0, None), 30, 500),
        ((7400, 0, 1.0), 30, 500),
        ((6400, 0, 1.0), 30, 400),
    ],
    "no clock between": [((10_000, 0, 2.0), 30, 30), ((None, 0, 5.0), 30, 30), ((7500, 0, 1.0), 30, 30)],
}


@pytest.mark.parametrize("case", OVERHEADS)
def test_learnt_overheads(case):
    """Each move: the clock, the increment and the seconds used by it; what is expected to be lost."""
    meter = OverheadMeter()
    for (left, increment, seconds), usual, longest in OVERHEADS[case]:
        limits = Limits(time_left=left, increment=increment)
        assert meter.expect(limits, 30) == Delay(usual, longest)
        meter.note(limits, seconds)


def test_one_long_loss_does_not_shorten_all_moves_to_come():
    """A stall of 900 ms on the way to the GUI costs each of the next moves a tenth, not nearly all of their time."""
    meter, limits = OverheadMeter(), Limits(time_left=9000, increment=100)
    meter.note(limits, 0.4)
    after = Limits(time_left=7800, increment=100)
    overhead = meter.expect(after, 30)
    planned = budget(after, overhead.usual, in_reserve(overhead, Delay()))
    assert 0.8 < planned.soft / budget(after, 30).soft < 0.95
    assert 1000 * planned.hard < after.time_left - 900


def test_a_learnt_loss_does_not_shorten_a_fixed_time():
    meter, limits = OverheadMeter(), Limits(time_left=6000)
    meter.note(limits, 0.1)
    assert meter.expect(Limits(time_left=5000), 30) == Delay(30, 900)
    assert meter.expect(Limits(move_time=300), 30) == Delay(30, 30)


def test_learnt_delays():
    meter, expected = DelayMeter(), []
    for delays in ([], [0.02, 0.1, 0.05], [], [0.07], [0.2], [5.0], [-1.0]):
        for seconds in delays:
            meter.note(seconds)
        expected.append(meter.expect())
    assert [delay.longest for delay in expected] == [0, 100, 80, 70, 200, 1000, 800]
    assert [delay.usual for delay in expected] == [0, 20, 16, 27, 61, 249, 199]  # a fifth of each, and forgotten


def test_delays_that_last_come_to_be_usual():
    meter = DelayMeter()
    for _ in range(30):
        meter.note(0.1)
        expected = meter.expect()
    assert expected == Delay(usual=100, longest=100)


@pytest.mark.parametrize(
    ("left", "delay", "soft", "hard"),
    [
        (20_000, Delay(0, 1000), 18_250 / 24, 18_250 / 8),  # one long wait is kept in reserve once
        (20_000, Delay(200, 1000), 13_250 / 24, 13_250 / 8),  # the usual one for each of 25 moves
        (5000, Delay(0, 400), 3850 / 24, 3850 / 8),
        (1000, Delay(0, 100), 6.25, 18.75),
        (500, Delay(100, 600), 1, 1),
    ],
)
def test_delays_are_kept_in_reserve(left, delay, soft, hard):
    planned = budget(Limits(time_left=left), 30, delay)
    assert 1000 * planned.soft == pytest.approx(soft)
    assert 1000 * planned.hard == pytest.approx(hard)
    assert budget(Limits(move_time=left), 30, delay) == budget(Limits(move_time=left), 30)


@pytest.mark.parametrize(
    ("visits", "scores", "elapsed", "speed", "expected"),
    [
        ((), (), 0.9, 100, False),
        ((), (), 1.0, 100, True),
        ((10,), (0.5,), 0.0, 100, True),  # the only one
        ((900, 100), (0.5, 0.5), 0.2, 1000, False),  # 800 visits are to come: as many as it needs
        ((901, 100), (0.5, 0.5), 0.2, 1000, True),
        ((900, 101), (0.5, 0.5), 0.2, 1000, False),
        ((901, 100), (0.5, 0.5), 0.1, 10, False),  # too early
        ((901, 100), (0.5, 0.5), 0.11, 10, True),
        ((100, 69), (0.4, 0.6), 1.0, 10, True),  # the other is far behind
        ((100, 70), (0.4, 0.6), 1.0, 10, False),  # a rival that promises more
        ((100, 70), (0.6, 0.6), 1.0, 10, True),
    ],
)
def test_when_it_is_enough(visits, scores, elapsed, speed, expected):
    moves = [move(code, *pair) for code, pair in enumerate(zip(visits, scores, strict=True))]
    assert has_thought_enough(moves, 1.0, elapsed, speed) is expected


def test_without_a_clock_there_is_no_limit():
    assert budget(Limits(infinite=True), overhead=30).hard is None
    assert budget(Limits(nodes=100), overhead=30).soft is None


def test_a_game_can_be_played_to_its_end():
    """Sixty moves at the hard limit each, 100 ms left at the start and 20 ms for each move."""
    left = 100.0
    for _ in range(60):
        used = budget(Limits(time_left=int(left), increment=20), overhead=5).hard * 1000 + 5
        left += 20 - used
        assert left > 0


def test_more_time_and_fewer_moves_mean_longer_thought():
    def soft(**limits):
        return budget(Limits(**limits), overhead=30).soft

    assert soft(time_left=60_000) > soft(time_left=30_000)
    assert soft(time_left=60_000, moves_to_go=5) > soft(time_left=60_000)
    assert soft(time_left=60_000, increment=1000) > soft(time_left=60_000)


def slow_budget(left, increment, moves_to_go, overhead, usual, longest):
    """The rules of the budget again, in milliseconds and in words."""
    moves = moves_to_go if moves_to_go is not None and moves_to_go > 0 else 24
    increment = max(increment, 0)
    lost_by_all = (moves + 1) * overhead + (moves + 1) * usual + longest
    all_moves = left + (moves - 1) * increment - lost_by_all
    usable = max(1.0, left - overhead - longest)
    if all_moves <= moves:
        return 1.0, 1.0
    soft = all_moves / moves
    share = usable if moves == 1 else usable / 4 + increment * 3 / 4
    hard = max(1.0, min([share, 3 * soft, 9 * usable / 10]))
    return min(soft, hard), hard


@pytest.mark.parametrize("left", [-7, 0, 50, 999, 20_000, 7_200_000])
@pytest.mark.parametrize("increment", [-5, 0, 30, 3000])
@pytest.mark.parametrize("moves_to_go", [None, -2, 0, 1, 2, 40])
def test_budgets_by_a_second_calculation(left, increment, moves_to_go):
    limits = Limits(time_left=left, increment=increment, moves_to_go=moves_to_go)
    for overhead, usual, longest in [(0, 0, 0), (30, 0, 0), (30, 20, 150), (500, 0, 1000)]:
        planned = budget(limits, overhead, Delay(usual, longest))
        expected = slow_budget(left, increment, moves_to_go, overhead, usual, longest)
        assert (1000 * planned.soft, 1000 * planned.hard) == pytest.approx(expected)


def test_fixed_times_exactly():
    for move_time, overhead, expected in [
        (1000, 30, 0.97),
        (31, 30, 0.001),
        (30, 30, 0.001),
        (0, 0, 0.001),
        (5, 0, 0.005),
    ]:
        assert budget(Limits(move_time=move_time, time_left=9), overhead) == Budget(expected, expected)


def test_limits_that_are_not_given():
    assert Limits() == Limits(None, 0, None, None, None, None, None, infinite=False, ponder=False)
    assert [Limits(time_left=0).has_clock, Limits(move_time=5).has_clock, Limits().has_clock] == [True, False, False]
    assert Delay() == Delay(usual=0, longest=0)


def test_without_a_soft_limit_its_time_is_over():
    for moves in ([], [move(1, 100, 0.6), move(2, 99, 0.5)]):
        assert rules(budget=Budget(None, None)).reason_to_move(STARTED, moves, 10) == StopReason.TIME


@pytest.mark.parametrize(
    ("seconds", "visits", "expected"),
    [
        (None, None, Limits(infinite=True)),
        (None, 300, Limits(nodes=300)),
        (2.0, None, Limits(move_time=2000)),
        (0.0126, 7, Limits(move_time=13, nodes=7)),
        (0.0, None, Limits(move_time=1)),
        (0.0004, None, Limits(move_time=1)),
        (1e12, None, Limits(move_time=10**9)),
        (10**6, 1, Limits(move_time=10**9, nodes=1)),
    ],
)
def test_limits_of_a_search_that_is_not_by_uci(seconds, visits, expected):
    assert limits_of(seconds, visits) == expected


# The rules of one search


def rules(limits=None, budget=BUDGET, hit=None):
    control = SearchControl()
    if hit is not None:
        control.ponder_hit(hit)
    return StopRules(limits or Limits(time_left=60_000), budget, control, STARTED)


@pytest.mark.parametrize(
    ("limits", "hit", "is_pondering", "clock_started", "deadline"),
    [
        (Limits(time_left=60_000), None, False, 100.0, 103.0),
        (Limits(move_time=500), None, False, 100.0, 103.0),
        (Limits(time_left=60_000), 107.0, False, 100.0, 103.0),  # a hit means nothing to a search that does not ponder
        (Limits(time_left=60_000, ponder=True), None, True, 100.0, None),
        (Limits(time_left=60_000, ponder=True), 107.0, False, 107.0, 110.0),
        (Limits(infinite=True), None, False, 100.0, None),
        (Limits(infinite=True, ponder=True), None, True, 100.0, None),
        (Limits(infinite=True, ponder=True), 107.0, False, 107.0, None),
    ],
)
def test_the_clock_of_each_kind_of_search(monkeypatch, limits, hit, is_pondering, clock_started, deadline):
    found = rules(limits, hit=hit)
    assert (found.is_pondering, found.clock_started, found.deadline) == (is_pondering, clock_started, deadline)
    monkeypatch.setattr(time, "perf_counter", lambda: 109.5)
    assert found.seconds_on_clock == (None if is_pondering else 109.5 - clock_started)
    assert rules(limits, Budget(None, None), hit).deadline is None


@pytest.mark.parametrize("hard", [None, 0.001, 0.0199, SHORT_SECONDS, 0.0201, 3.0])
@pytest.mark.parametrize(("infinite", "ponder"), list(itertools.product([False, True], repeat=2)))
def test_a_search_is_short_if_it_ends_by_itself_within_20_milliseconds(hard, infinite, ponder):
    found = rules(Limits(time_left=100, infinite=infinite, ponder=ponder), Budget(hard, hard)).is_short
    assert found == (hard is not None and hard <= 0.02 and not infinite and not ponder)


@pytest.mark.parametrize(
    ("limits", "now", "depth", "expected"),
    [
        (Limits(time_left=1), 102.999, 99, StopReason.SEARCHING),
        (Limits(time_left=1), 103.0, 1, StopReason.TIME),
        (Limits(time_left=1, ponder=True), 999.0, 1, StopReason.SEARCHING),
        (Limits(infinite=True), 999.0, 99, StopReason.SEARCHING),
        (Limits(depth=5), 100.0, 4, StopReason.SEARCHING),
        (Limits(depth=5), 100.0, 5, StopReason.DEPTH),
        (Limits(depth=5), 100.0, 6, StopReason.DEPTH),
        (Limits(depth=5, move_time=3), 103.0, 5, StopReason.DEPTH),
        (Limits(depth=5, move_time=3), 103.0, 4, StopReason.TIME),
        (Limits(depth=5, infinite=True), 100.0, 5, StopReason.DEPTH),  # `infinite` keeps the answer back, no more
    ],
)
def test_what_a_search_must_stop_for(limits, now, depth, expected):
    assert rules(limits).reason_to_stop(now, depth) == expected


CLEAR = (move(1, 9000, 0.6), move(2, 10, 0.5))
CLOSE = (move(1, 500, 0.5), move(2, 490, 0.6))  # the rival promises more
GAME = Limits(time_left=60_000)


@pytest.mark.parametrize(
    ("limits", "hit", "now", "moves", "nodes", "expected"),
    [
        (GAME, None, 100.05, CLEAR, 100, StopReason.SEARCHING),  # a tenth of the time is used in any case
        (GAME, None, 100.5, CLEAR, 100, StopReason.SETTLED),  # 200 a second: 100 more are not 8,990
        (GAME, None, 100.5, CLEAR, 8990, StopReason.SEARCHING),  # just as many as are missing
        (GAME, None, 100.5, CLEAR, 8989, StopReason.SETTLED),
        (GAME, None, 100.999, CLOSE, 20_000, StopReason.SEARCHING),
        (GAME, None, 101.0, CLEAR, 10**6, StopReason.TIME),
        (GAME, None, 101.0, CLOSE, 100, StopReason.SEARCHING),
        (GAME, None, 101.0, CLOSE[:1], 100, StopReason.TIME),
        (GAME, None, 100.1, CLOSE[:1], 100, StopReason.SETTLED),
        (GAME, None, 100.5, (), 100, StopReason.SEARCHING),
        (GAME, None, 101.0, (), 100, StopReason.TIME),
        (GAME, None, 100.1, (move(1, 10), move(2, 9, result=LOSS, distance=2)), 100, StopReason.SETTLED),
        (GAME, None, 100.1, (move(2, 9, result=WIN, distance=2), move(1, 10)), 100, StopReason.SEARCHING),
        (Limits(move_time=5), None, 200.0, CLEAR, 100, StopReason.SEARCHING),  # that time is used up
        (Limits(move_time=5, time_left=60_000), None, 100.9, CLEAR, 100, StopReason.SEARCHING),  # also beside a clock
        (Limits(nodes=5), None, 200.0, CLEAR, 100, StopReason.SEARCHING),
        (Limits(time_left=60_000, infinite=True), None, 200.0, CLEAR, 100, StopReason.SEARCHING),
        (Limits(time_left=60_000, ponder=True), None, 200.0, CLEAR, 100, StopReason.SEARCHING),
        # After a hit the clock counts from there, but the speed is that of the whole search.
        (Limits(time_left=60_000, ponder=True), 109.5, 110.0, CLEAR, 100_000, StopReason.SETTLED),
        (Limits(time_left=60_000, ponder=True), 109.5, 110.0, CLEAR, 200_000, StopReason.SEARCHING),
        (Limits(time_left=60_000, ponder=True), 109.0, 110.0, CLEAR, 200_000, StopReason.TIME),
    ],
)
def test_what_a_search_on_the_clock_may_stop_for(limits, hit, now, moves, nodes, expected):
    assert rules(limits, hit=hit).reason_to_move(now, moves, nodes) == expected


@pytest.mark.parametrize(
    ("now", "stretch", "expected"),
    [
        (100.9, 0.5, StopReason.TIME),
        (100.4, 0.5, StopReason.SEARCHING),
        (101.9, 2.0, StopReason.SEARCHING),
        (102.0, 2.0, StopReason.TIME),
        (102.9, 9.0, StopReason.SEARCHING),
        (103.0, 9.0, StopReason.TIME),  # never past the hard limit
    ],
)
def test_the_soft_limit_is_stretched(now, stretch, expected):
    moves = (move(1, 10_000, 0.6), move(2, 9000, 0.5))
    assert rules().reason_to_move(now, moves, 10**6, stretch) == expected


def course_of(*notes):
    found = Course()
    for code, score in notes:
        found.note(code, score)
    return found


@pytest.mark.parametrize(
    ("notes", "visits", "expected"),
    [
        ([(1, 0.5)], (68, 32), 1.0),
        ([(1, 0.5)], (100,), 0.5552),
        ([(1, 0.5)], (30, 25, 25, 20), 1.5282),
        ([(1, 0.5), (1, 0.45)], (68, 32), 1.2),  # the score has fallen
        ([(1, 0.5), (1, 0.3)], (68, 32), 1.5),
        ([(1, 0.5), (1, 0.7)], (68, 32), 1.0),  # no less for a score that rises
        ([(1, 0.5), (2, 0.5), (1, 0.5)], (68, 32), 1.3),  # another move was the best for a while
        ([(1, 0.5), (2, 0.4)], (30, 25, 25, 20), 1.5282 * 1.4 * 1.15),
        ([], (), 1.0),
        ([(1, 0.0)], (0, 0), 1.9452),
    ],
)
def test_how_far_the_soft_limit_is_stretched(notes, visits, expected):
    moves = [move(code, count) for code, count in enumerate(visits)]
    assert course_of(*notes).stretch(moves) == pytest.approx(expected)


def test_there_is_a_speed_at_the_first_moment():
    assert rules(budget=Budget(0.0, 0.0)).reason_to_move(STARTED, CLEAR, 5) == StopReason.TIME


# Messages from other threads


def is_over_after(act, limits):
    """Whether the search may answer at first, and after `act`."""
    found = rules(limits)
    thread = threading.Thread(target=found.wait_until_allowed, daemon=True)
    thread.start()
    thread.join(0.05)
    before = not thread.is_alive()
    act(found.control)
    thread.join(10 if act is not nothing else 0.05)
    after = not thread.is_alive()
    found.control.stop()
    thread.join(10)
    assert not thread.is_alive()
    return before, after


def nothing(_control):
    pass


def hit(control):
    control.ponder_hit(1.0)


def stop(control):
    control.stop()


@pytest.mark.parametrize(
    ("limits", "act", "expected"),
    [
        (Limits(nodes=1), nothing, (True, True)),
        (Limits(infinite=True), nothing, (False, False)),
        (Limits(infinite=True), stop, (False, True)),
        (Limits(ponder=True, time_left=1), nothing, (False, False)),
        (Limits(ponder=True, time_left=1), hit, (False, True)),
        (Limits(ponder=True, time_left=1), stop, (False, True)),
        (Limits(ponder=True, infinite=True), stop, (False, True)),
    ],
)
def test_when_the_answer_may_be_given(limits, act, expected):
    assert is_over_after(act, limits) == expected


def test_a_wait_ends_with_a_message_and_reports_whether_there_was_one():
    control = SearchControl()
    assert (control.is_stopped, control.ponder_hit_at) == (False, None)
    assert control.wait(0.0) is False
    for act in (control.wake, lambda: control.ponder_hit(7.5), control.stop):
        act()
        assert control.wait(0.0) is True
        assert control.wait(0.0) is False  # each message is heard once
    assert (control.is_stopped, control.ponder_hit_at) == (True, 7.5)
    begin = time.perf_counter()
    assert control.wait(0.05) is False
    assert time.perf_counter() - begin >= 0.04


def test_a_message_is_complete_before_anybody_is_woken():
    control, seen = SearchControl(), []

    class Event:
        def set(self):
            seen.append((control.is_stopped, control.ponder_hit_at))

    control._changed = Event()
    control.ponder_hit(7.5)
    control.stop()
    control.wake()
    assert seen == [(False, 7.5), (True, 7.5), (True, 7.5)]
