import random
from collections import Counter

import pytest

from engine.config.strength import Level
from engine.report.move_stats import DRAW, LOSS, WIN
from engine.search.choose import sample_by_visits, weight_of
from tests.engine.report.moves import move, ranked


def samples(moves, temperature, count=2000):
    rng = random.Random(5)
    return Counter(sample_by_visits(ranked(*moves), temperature, rng).code for _ in range(count))


def test_temperature_samples_by_visits():
    moves = (move(1, 300, 0.5), move(2, 100, 0.5), move(3, 0))
    assert samples(moves, 0) == {1: 2000}
    by_visits = samples(moves, 1.0)
    assert by_visits[1] == pytest.approx(1500, abs=80)
    assert by_visits[3] == 0
    assert samples(moves, 0.5)[1] == pytest.approx(1800, abs=60)


def test_chance_decides_only_what_no_proof_decides():
    win, lost, drawn = (
        move(1, 2, result=WIN, distance=3),
        move(2, 900, result=LOSS, distance=2),
        move(3, 50, result=DRAW, distance=2),
    )
    assert samples((win, lost, move(4, 500, 0.7)), 5.0) == {1: 2000}
    assert set(samples((lost, move(4, 500, 0.7), move(5, 400, 0.1)), 5.0)) == {4, 5}
    assert set(samples((lost, drawn, move(4, 500, 0.4)), 5.0)) == {3}
    assert set(samples((drawn, move(4, 500, 0.6), move(5, 400, 0.1)), 5.0)) == {3, 4}
    assert samples((lost, move(6, 3, result=LOSS, distance=8)), 5.0) == {6: 2000}


@pytest.mark.parametrize("temperature", [-1.0, 0.0, 1.0])
def test_moves_that_were_not_visited_are_played_in_their_order(temperature):
    assert samples((move(1), move(2), move(3)), temperature, count=50) == {1: 50}


@pytest.mark.parametrize("temperature", [0.25, 0.5, 2.0])
def test_the_shares_of_each_move(temperature):
    visits = {1: 400, 2: 200, 3: 100, 4: 0}
    found = samples([move(code, count, 0.5) for code, count in visits.items()], temperature, count=20_000)
    powers = {code: count ** (1 / temperature) for code, count in visits.items()}
    for code, power in powers.items():
        assert found[code] / 20_000 == pytest.approx(power / sum(powers.values()), abs=0.015)


def test_huge_counts_and_low_temperatures_do_not_overflow():
    assert samples((move(1, 4_000_000_000, 0.5), move(2, 3_000_000_000, 0.5)), 0.001, count=20) == {1: 20}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (Level(1, 1.0), 0.1),
        (Level(2, 1.0), 7.1),
        (Level(2, 0.5), 7.1**2),
        (Level(99, 2.0), 7.1**0.5),
        (Level(1, 0.5), 0.01),
    ],
)
def test_the_weight_of_a_move_by_level(level, expected):
    assert weight_of(move(1, 7), level) == pytest.approx(expected)
