"""The search with the teacher's values: the same tree as the reference."""

import math

import numpy as np
import pytest

from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.tree import new_tree
from engine.network.infer import sharpness
from engine.training.teacher.nnue_file import SCALES, TeacherNet
from engine.training.teacher.quiet import new_quiet_scratch
from engine.training.teacher.simulate import simulate_with_teacher
from movegen.bits import U64
from tests import reference
from tests.engine.mcts.invariants import check_invariants
from tests.engine.mcts.test_simulate import NET, POSITIONS, assert_same_tree, network_priors
from tests.engine.training.teacher.compiled import quiet_teacher_values, scores_of
from tests.engine.training.teacher.made_up_nets import made_up_net
from tests.engine.training.teacher.test_nnue import net_of

TEACHER: TeacherNet = net_of(made_up_net(seed=11))
UNIT = 1 << 20


def score_of(value):
    scores = np.zeros(1, dtype=np.int64)
    scores_of(np.array([value]), TEACHER.scale[0], scores)
    return int(scores[0])


def by_teacher(position):
    """The teacher's score for the player who moved to a position, and no draw share."""
    boards, (plain, quiet) = np.array([position.board], dtype=np.uint64), np.zeros((2, 1), dtype=np.int64)
    quiet_teacher_values(TEACHER, new_quiet_scratch(TEACHER), boards, plain, quiet)
    return UNIT - score_of(int(quiet[0])), 0


def test_scores_are_those_of_the_logistic_function():
    for value in (-11_000, -3000, -700, -1, 0, 1, 50, 656, 2000, 11_000):
        expected = 1 / (1 + math.exp(-value / 744))
        assert score_of(value) / UNIT == pytest.approx(
            expected, abs=1 / 4 / 4096
        )  # the distance is rounded down to 1/4096
    assert [score_of(value) + score_of(-value) for value in (1, 900, 20_000)] == [UNIT] * 3
    assert int(TEACHER.scale[0]) == SCALES[3072] == 744


@pytest.mark.thorough
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("name", POSITIONS)
def test_the_kernel_builds_the_tree_of_the_reference(name, transpositions):
    position, constants = POSITIONS[name], {"exploration": 0.9, "first_play": 0.1, "growth": 2.0}
    expected = reference.Reference(
        position, "puct", by_teacher, network_priors, transpositions=transpositions, **constants
    ).run(300)
    params = SearchParams(PUCT, NETWORK, **constants, root_sharpness=sharpness(1.5), transpositions=U64(transpositions))
    tree = new_tree(16)
    own = tree, root_of(position), NET, params, new_worker(1, NET)
    made = simulate_with_teacher(*own, TEACHER, new_quiet_scratch(TEACHER), U64(300))
    assert made == tree.visits[0]
    assert_same_tree(tree, 0, expected.root)
    check_invariants(tree)
