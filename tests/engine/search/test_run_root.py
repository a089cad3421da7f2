"""The moves of the root, in small trees that are made by hand or by two visits."""

import pytest

from engine.mcts.fixed_visits import SearchTask, expand_root, make_visits
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.proof import LOSS, RESULT_SHIFT, WIN
from engine.mcts.tree import ROOT, edges_of, new_tree
from engine.network.weights_file import load_weights
from engine.search.run import forget_long_mates, limit_root, present_moves
from movegen import Position
from tests.engine.mcts.invariants import check_invariants

pytestmark = pytest.mark.jit  # dozens of visits for each test

NET = load_weights().network
START = Position()
E4, D4, A3 = (START.code(text) for text in ("e2e4", "d2d4", "a2a3"))


def task_of(visits=0):
    task = SearchTask(new_tree(1), root_of(START), NET, SearchParams(PUCT, NETWORK, 1.0))
    make_visits(task, new_worker(1, NET), visits)
    return task


def everything(wanted):
    return wanted


def test_the_moves_of_a_root():
    assert present_moves(task_of().tree) == set()
    assert present_moves(task_of(1).tree) == set()  # only evaluated
    assert present_moves(task_of(2).tree) == set(START.move_codes)


@pytest.mark.parametrize(
    ("visits", "wanted", "taken", "left"),
    [
        (0, START.move_codes, [2], 2),  # it is made
        (0, (E4, D4), [2], None),
        (1, START.move_codes, [2], 2),  # made again, from nothing
        (1, (E4, D4), [2], None),
        (60, START.move_codes, [], 60),  # as it is
        (60, (E4, D4), [], None),  # only cut
    ],
)
def test_a_root_gets_the_moves_wanted(visits, wanted, taken, left):
    task, asked = task_of(visits), []
    limit_root(task, new_worker(1, NET), wanted, lambda number: asked.append(number) or number)
    assert present_moves(task.tree) == set(wanted)
    assert asked == taken
    if left is not None:
        assert task.tree.visits[int(ROOT)] == left
    check_invariants(task.tree)


def test_what_was_cut_away_comes_back():
    task = task_of(60)
    limit_root(task, new_worker(1, NET), (E4, D4), everything)
    visits = {int(task.tree.move[slot]): int(task.tree.visits[slot]) for slot in edges_of(task.tree, int(ROOT))}
    limit_root(task, new_worker(1, NET), (E4,), everything)
    assert present_moves(task.tree) == {E4}
    assert task.tree.visits[int(ROOT)] == visits[E4]
    limit_root(task, new_worker(1, NET), (E4, A3), everything)
    assert present_moves(task.tree) == {E4, A3}
    assert task.tree.visits[int(ROOT)] < 60


def test_without_visits_left_nothing_is_made():
    task = task_of()
    limit_root(task, new_worker(1, NET), (E4,), lambda _wanted: 0)
    assert present_moves(task.tree) == set()


@pytest.mark.parametrize(
    ("result", "distance", "longest", "codes", "is_kept"),
    [
        (WIN, 3, 2, (E4, D4), True),
        (WIN, 3, 1, (E4, D4), False),
        (WIN, 1, 1, (E4,), True),
        (WIN, 5, 2, (E4,), False),
        (WIN, 5, 3, (E4,), True),
        (WIN, 3, 2, (D4,), False),  # not by a move that may be played
        (LOSS, 2, 5, (E4, D4), False),
        (0, 0, 5, (E4, D4), False),
    ],
)
def test_mates_that_are_too_long_are_forgotten(result, distance, longest, codes, is_kept):
    task = task_of()
    expand_root(task, new_worker(1, NET))
    slot = next(slot for slot in edges_of(task.tree, int(ROOT)) if task.tree.move[slot] == E4)
    task.tree.proven[slot] = int(result) << int(RESULT_SHIFT) | distance
    forget_long_mates(task.tree, longest, codes)
    assert bool(present_moves(task.tree)) == is_kept
