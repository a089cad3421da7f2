import random
from collections import Counter

import pytest

from engine.choice import allowed, best_of, draw_move
from engine.stats import DRAW, LOSS, WIN, rank
from tests.engine.moves import move


def ranked(*moves):
    return sorted(moves, key=rank, reverse=True)


def choose(*moves):
    return best_of(ranked(*moves)).code


def test_most_visits_win_and_ties_go_by_score():
    assert choose(move(1, 10, 0.9), move(2, 50, 0.4), move(3, 20, 0.8)) == 2
    assert choose(move(1, 50, 0.4), move(2, 50, 0.6)) == 2


def test_the_shortest_proven_win_comes_first():
    assert choose(move(1, 9999, 0.99), move(2, 3, result=WIN, distance=5), move(3, 2, result=WIN, distance=3)) == 3


def test_a_proven_loss_is_played_only_if_there_is_nothing_else_and_then_the_longest():
    assert choose(move(1, 500, result=LOSS, distance=8), move(2, 1, 0.01)) == 2
    assert choose(move(1, 500, result=LOSS, distance=4), move(2, 1, result=LOSS, distance=10)) == 2


def test_a_proven_draw_counts_as_half():
    assert choose(move(1, 500, 0.4), move(2, 3, result=DRAW, distance=1)) == 2
    assert choose(move(1, 500, 0.6), move(2, 3, result=DRAW, distance=1)) == 1
    assert choose(move(1, 20, 0.6), move(2, 300, result=DRAW, distance=1)) == 1
    assert choose(move(1, 500, 0.5), move(2, 3, result=DRAW, distance=1)) == 1


def test_a_move_without_visits_is_no_rival_of_a_proven_draw():
    assert choose(move(1, 0), move(2, 3, result=DRAW, distance=1)) == 2


def test_without_any_visit_there_is_still_a_move():
    assert choose(move(1), move(2)) in (1, 2)


def draws(moves, temperature, count=2000):
    rng = random.Random(5)
    return Counter(draw_move(ranked(*moves), temperature, rng).code for _ in range(count))


def test_temperature_draws_by_visits():
    moves = (move(1, 300, 0.5), move(2, 100, 0.5), move(3, 0))
    assert draws(moves, 0) == {1: 2000}
    by_visits = draws(moves, 1.0)
    assert by_visits[1] == pytest.approx(1500, abs=80)
    assert by_visits[3] == 0
    assert draws(moves, 0.5)[1] == pytest.approx(1800, abs=60)


def test_chance_decides_only_what_no_proof_decides():
    win, lost, drawn = (
        move(1, 2, result=WIN, distance=3),
        move(2, 900, result=LOSS, distance=2),
        move(3, 50, result=DRAW, distance=2),
    )
    assert draws((win, lost, move(4, 500, 0.7)), 5.0) == {1: 2000}
    assert set(draws((lost, move(4, 500, 0.7), move(5, 400, 0.1)), 5.0)) == {4, 5}
    assert set(draws((lost, drawn, move(4, 500, 0.4)), 5.0)) == {3}
    assert set(draws((drawn, move(4, 500, 0.6), move(5, 400, 0.1)), 5.0)) == {3, 4}
    assert draws((lost, move(6, 3, result=LOSS, distance=8)), 5.0) == {6: 2000}


def test_the_best_is_the_first_of_the_allowed():
    moves = ranked(move(1, 10, 0.4), move(2, 20, 0.45), move(3, 5, result=DRAW, distance=2))
    assert best_of(moves) == allowed(moves)[0]
