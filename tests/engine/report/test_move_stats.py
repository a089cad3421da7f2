from engine.report.move_stats import DRAW, LOSS, WIN, allowed, best_of
from tests.engine.report.moves import move, ranked


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


def test_the_best_is_the_first_of_the_allowed():
    moves = ranked(move(1, 10, 0.4), move(2, 20, 0.45), move(3, 5, result=DRAW, distance=2))
    assert best_of(moves) == allowed(moves)[0]
