"""The one loop for a number of visits."""

import pytest

from engine.mcts.fixed_visits import VISITS_AT_ONCE, SearchTask, expand_root, make_visits
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, edges_of, new_tree
from engine.network.weights_file import load_weights
from movegen import Position
from movegen.bits import U64

NET = load_weights().network
PARAMS = SearchParams(PUCT, NETWORK, 1.0)
MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"


def task_of(fen=None, params=PARAMS):
    position = Position(fen) if fen else Position()
    return SearchTask(new_tree(4), root_of(position), NET, params)


LARGE = [pytest.param(visits, marks=pytest.mark.jit) for visits in (VISITS_AT_ONCE, VISITS_AT_ONCE + 1)]


@pytest.mark.parametrize("visits", [0, 1, 7, *LARGE])
def test_all_visits_are_made(visits):
    task = task_of()
    assert make_visits(task, new_worker(1, NET), visits) == visits
    assert task.tree.visits[int(ROOT)] == visits


@pytest.mark.jit
def test_chunks_change_nothing():
    at_once, in_parts, worker = task_of(), task_of(), new_worker(1, NET)
    make_visits(at_once, new_worker(1, NET), 1700)
    for part in (300, 900, 500):
        make_visits(in_parts, worker, part, at_once=170)
    for field, other in zip(at_once.tree.fields, in_parts.tree.fields, strict=True):
        assert (field == other).all()


@pytest.mark.jit
def test_a_proven_root_ends_it():
    task = task_of(MATE_IN_1)
    made = make_visits(task, new_worker(1, NET), 100_000)
    assert made == task.tree.visits[int(ROOT)] < 100_000
    assert task.tree.proven[int(ROOT)]


@pytest.mark.jit
def test_it_can_be_stopped_between_two_chunks():
    answers = iter([False, False, True])
    assert make_visits(task_of(), new_worker(1, NET), 10**9, lambda: next(answers)) == 2 * VISITS_AT_ONCE


@pytest.mark.parametrize("batch", [1, 8])
def test_the_root_is_expanded_by_two_visits_with_any_batch(batch):
    task = task_of(params=PARAMS._replace(batch=U64(batch)))
    expand_root(task, new_worker(1, NET))
    assert len(edges_of(task.tree, int(ROOT))) == 20
    assert task.tree.visits[int(ROOT)] == 2
