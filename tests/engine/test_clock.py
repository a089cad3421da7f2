import pytest

from engine.clock import Limits, budget


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
