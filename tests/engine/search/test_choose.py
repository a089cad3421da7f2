import random
from collections import Counter

import pytest

from engine.report.move_stats import DRAW, LOSS, WIN
from engine.search.choose import sample_move
from tests.engine.report.moves import move, ranked


def samples(moves, temperature, count=2000):
    rng = random.Random(5)
    return Counter(sample_move(ranked(*moves), temperature, rng).code for _ in range(count))


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
