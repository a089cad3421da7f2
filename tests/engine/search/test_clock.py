import pytest

from engine.search.clock import Budget, Delay, DelayMeter, Limits, OverheadMeter, budget, has_thought_enough
from tests.engine.report.moves import move


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
        (60_000, 0, None, 30, 1969, 5907),  # (60,000 − 31·30) / 30, and three times that
        (60_000, 1000, None, 30, 88_070 / 30, 8807),  # 29 increments are still to come
        (1000, 10, None, 30, 12, 36),
        (670, 10, None, 30, 1, 1),  # the overhead of 31 moves leaves just the least for each
        (673, 10, None, 30, 1.1, 3.3),
        (100, 10, None, 30, 1, 1),  # it is more than there is
        (1, 0, None, 30, 1, 1),
        (-50, 0, None, 30, 1, 1),
        (5000, 0, 1, 30, 4473, 4473),  # nine tenths of what the overhead leaves
        (5000, 0, 2, 0, 1250, 1250),  # a quarter
        (3000, 2000, 10, 50, 2045, 2237.5),  # a quarter, and three quarters of the increment
        (3000, 2000, 1, 50, 2655, 2655),  # no increment comes before the control
        (9000, -5, -3, 0, 300, 900),  # what makes no sense counts as not said
        (9000, 0, 0, 0, 300, 900),
    ],
)
def test_budgets(left, increment, moves_to_go, overhead, soft, hard):
    planned = budget(Limits(time_left=left, increment=increment, moves_to_go=moves_to_go), overhead)
    assert 1000 * planned.soft == pytest.approx(soft)
    assert 1000 * planned.hard == pytest.approx(hard)


OVERHEADS = {
    "nothing is lost": [((10_000, 0, 2.0), 30), ((8000, 0, 1.0), 30), ((7000, 0, 1.0), 30)],
    "less than the option says": [((10_000, 0, 2.0), 30), ((7980, 0, 1.0), 30)],
    "a loss is learnt and forgotten": [
        ((10_000, 100, 2.0), 30),
        ((7900, 100, 1.0), 200),
        ((7000, 100, 1.0), 160),
        ((6100, 100, 1.0), 128),
        ((5200, 100, 1.0), 102),
        ((4000, 100, 1.0), 300),  # a larger one is learnt at once
    ],
    "more than a second is another game": [((10_000, 0, 2.0), 30), ((6000, 0, 1.0), 30), ((5000, 0, 1.0), 30)],
    "just a second is not": [((10_000, 0, 2.0), 30), ((7000, 0, 1.0), 1000)],
    "time was given": [((10_000, 0, 2.0), 30), ((9000, 0, 1.0), 30)],
    "the clock did not run": [((10_000, 1000, None), 30), ((10_700, 1000, 1.0), 30), ((10_700, 1000, None), 30)],
    "learnt before the clock did not run": [
        ((10_000, 0, 2.0), 30),
        ((7500, 0, None), 500),
        ((7400, 0, 1.0), 500),
        ((6400, 0, 1.0), 400),
    ],
    "no clock between": [((10_000, 0, 2.0), 30), ((None, 0, 5.0), 30), ((7500, 0, 1.0), 30)],
}


@pytest.mark.parametrize("case", OVERHEADS)
def test_learnt_overheads(case):
    """Each move: the clock, the increment and the seconds used by it; what is expected to be lost."""
    meter = OverheadMeter()
    for (left, increment, seconds), expected in OVERHEADS[case]:
        limits = Limits(time_left=left, increment=increment)
        assert meter.expect(limits, 30) == expected
        meter.note(limits, seconds)


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
        (20_000, Delay(0, 1000), 18_070 / 30, 1807),  # one long wait is kept in reserve once
        (20_000, Delay(200, 1000), 11_870 / 30, 1187),  # the usual one for each of 31 moves
        (5000, Delay(0, 400), 3670 / 30, 367),
        (1000, Delay(0, 100), 1, 1),
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
    assert has_thought_enough(moves, Budget(1.0, 3.0), elapsed, speed) is expected


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
