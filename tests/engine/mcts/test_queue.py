"""The queue of a network outside the kernels: the tree of the reference, exact counts, what the network saw."""

import pytest

from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import NETWORK, PUCT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.queue import NetQueue
from engine.mcts.tree import SCORE_UNIT, new_tree
from engine.network.architecture import PRIOR_UNIT
from tests import reference
from tests.engine.mcts.invariants import edges_below
from tests.engine.mcts.outside import NET, Scattered
from tests.engine.mcts.test_simulate import POSITIONS, proof

CONSTANTS = {"exploration": 0.9, "first_play": 0.1, "growth": 2.0}
PLAIN = SearchParams(PUCT, NETWORK, **CONSTANTS)


def new_task(position, net, params=PLAIN, megabytes=16):
    return SearchTask(new_tree(megabytes), root_of(position), NET, params, NetQueue(net))


def searched(position, net, visits, params=PLAIN, megabytes=16):
    task = new_task(position, net, params, megabytes)
    made = make_visits(task, new_worker(7, NET), visits)
    assert made == task.tree.visits[0]
    return task


# The oracle: the slow search of `tests.reference`, asked for the same values and priors


def slow_value(position):
    value, _ = Scattered.judge(position.board, position.move_codes)
    score = int((1.0 - float(value)) * SCORE_UNIT + 0.5)
    return score, min(SCORE_UNIT // 4, 2 * score, 2 * (SCORE_UNIT - score))


def slow_priors(position, _depth):
    _, priors = Scattered.judge(position.board, position.move_codes)
    weights = [float(prior) / float(priors.max()) for prior in priors]
    ordered = sorted(weights, reverse=True)
    total = 0.0
    for weight in ordered:
        total += weight
    return [1 + int(weight * (PRIOR_UNIT - len(priors)) / total) for weight in weights]


def assert_same_tree(tree, slot, edge):
    actual = int(tree.visits[slot]), int(tree.wins[slot]), int(tree.draws[slot]), proof(tree, slot)
    assert actual == (edge.visits, edge.wins, edge.draws, edge.proof)
    slots = list(edges_below(tree, slot))
    if edge.replies is None:  # it makes a node at the second visit, the queue at the first
        assert not any(tree.visits[below] for below in slots)
        return
    assert [int(tree.move[below]) for below in slots] == [reply.code for reply in edge.replies]
    for below, reply in zip(slots, edge.replies, strict=True):
        assert_same_tree(tree, below, reply)


@pytest.mark.parametrize("formula", ["puct", "ucb1"])
@pytest.mark.parametrize("name", POSITIONS)
def test_a_batch_of_one_builds_the_tree_of_the_reference(name, formula, scaled):
    visits = scaled(300)
    expected = reference.Reference(POSITIONS[name], formula, slow_value, slow_priors, seed=7, **CONSTANTS).run(visits)
    params = PLAIN._replace(formula={"puct": PUCT, "ucb1": UCB1}[formula])
    task = searched(POSITIONS[name], Scattered(), visits, params)
    assert_same_tree(task.tree, 0, expected.root)
