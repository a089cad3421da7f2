"""Labels of self-play by a second implementation: scores, the order of moves, noise."""

import hashlib
import random
import sys

import numpy as np
import pytest

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import new_worker, root_of
from engine.mcts.tree import ROOT, edges_of, new_tree
from engine.network.architecture import PRIOR_UNIT
from engine.network.weights_file import SHIPPED, load_weights
from engine.report.move_stats import DRAW, LOSS, WIN, best_of, moves_below
from engine.training.generate.teachers import (
    LabelRequest,
    SelfPlay,
    SelfTeacher,
    add_noise,
    by_visits,
    label_score,
    self_play,
)
from movegen import Position
from tests.conftest import JIT_DISABLED
from tests.engine.report.moves import move, ranked

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")
module = sys.modules[SelfTeacher.__module__]


@pytest.fixture(scope="module")
def network():
    return load_weights().network


@pytest.mark.parametrize(
    ("stats", "score"),
    [
        (move(1, 9, result=WIN, distance=1), 31999),
        (move(1, 9, result=WIN, distance=3), 31998),
        (move(1, 9, result=WIN, distance=9), 31995),
        (move(1, 9, result=LOSS, distance=2), -31999),
        (move(1, 9, result=LOSS, distance=4), -31998),
        (move(1, 9, result=DRAW, distance=4), 0),
        (move(1, 100, 0.75), 275),
        (move(1, 100, 0.25), -275),
        (move(1, 100, 0.5), 0),
    ],
)
def test_scores_of_moves(stats, score):
    """Mate in n moves is 32000 − n; a move of the winner is the first of n, the loser's comes before the n-th."""
    assert label_score(stats) == score


def test_moves_by_their_visits_without_those_that_a_proof_rules_out():
    moves = ranked(move(1, 5, 0.6), move(2, 50, 0.4), move(3, 20, 0.9), move(4, 99, result=LOSS, distance=2), move(5))
    assert [one.code for one in by_visits(moves)] == [2, 3, 1]
    drawn = ranked(move(1, 5, 0.6), move(2, 9, result=DRAW, distance=1))
    assert [one.code for one in by_visits(drawn)] == [2, 1]
    won = ranked(move(1, 50, 0.9), move(2, 1, result=WIN, distance=3), move(3, 2, result=WIN, distance=1))
    assert [one.code for one in by_visits(won)] == [3]
    lost = ranked(move(1, 50, result=LOSS, distance=2), move(2, 1, result=LOSS, distance=4))
    assert [one.code for one in by_visits(lost)] == [2]


def expanded(network, fen):
    tree, position = new_tree(1), Position(fen)
    task = SearchTask(tree, root_of(position), network, search_params(Options()))
    worker = new_worker(1, network)
    make_visits(task, worker, 2)
    return tree, task, worker


FEN = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"


def test_noise_by_its_formula(network):
    """A tenth of the priors is a sample of Dirichlet(10 / moves, …), made of gamma variates."""
    tree, *_ = expanded(network, FEN)
    edges = edges_of(tree, int(ROOT))
    before = [(int(tree.move[slot]), int(tree.prior[slot])) for slot in edges]
    rng = random.Random(3)
    noise = [rng.gammavariate(10 / len(before), 1.0) for _ in before]
    total = sum(prior for _, prior in before)
    mixed = {
        code: 0.9 * prior / total + 0.1 * part / sum(noise) for (code, prior), part in zip(before, noise, strict=True)
    }
    add_noise(tree, random.Random(3))
    after = [(int(tree.move[slot]), int(tree.prior[slot])) for slot in edges]
    order = sorted(mixed, key=mixed.__getitem__, reverse=True)
    assert [code for code, _ in after] == order
    assert [prior for _, prior in after] == [int(1 + (PRIOR_UNIT - len(before)) * mixed[code]) for code in order]


def test_a_label_is_that_of_a_search_with_noise(network):
    """The same loop, step by step: two visits, noise, the other visits."""
    teacher, position = SelfTeacher(network, 60), Position(FEN, chess960=True)
    (answer,) = teacher.ask([LabelRequest(position, "", random.Random(9))])
    tree, task, worker = expanded(network, FEN)
    add_noise(tree, random.Random(9))
    make_visits(task, worker, 58)
    moves = moves_below(tree, int(ROOT))
    expected = [(one.code, one.visits) for one in moves if one.visits]
    assert dict(answer.visits) == dict(expected)
    best = best_of(moves)
    assert (answer.move, answer.visits[0]) == (position.uci(best.code), (best.code, best.visits))
    assert answer.score == label_score(best)
    assert int(tree.visits[int(ROOT)]) == 60


def test_what_is_proven_at_once_gets_no_noise(network, monkeypatch):
    monkeypatch.setattr(module, "add_noise", lambda *_: pytest.fail("noise"))
    position = Position("k7/8/8/8/8/8/6q1/7K w - - 0 1", chess960=True)
    (answer,) = SelfTeacher(network, 40).ask([LabelRequest(position, "", random.Random(1))])
    assert (answer.score, answer.move) == (0, "h1g2")


@pytest.mark.parametrize(("visits", "megabytes"), [(2, 1), (511, 1), (512, 2), (800, 2), (5120, 11)])
def test_the_tree_has_room_for_all_visits(network, monkeypatch, visits, megabytes):
    asked = []
    monkeypatch.setattr(module, "new_tree", asked.append)
    SelfTeacher(network, visits)
    assert asked == [megabytes]


def test_the_network_of_a_plan(tmp_path):
    copy = tmp_path / "copy.net"
    copy.write_bytes(SHIPPED.read_bytes())
    teacher = self_play(copy, 40)
    assert teacher == SelfPlay(str(copy), hashlib.sha256(SHIPPED.read_bytes()).hexdigest(), 40)
    teacher.check()
    with teacher.open() as opened:
        assert opened._visits == 40
        for mine, shipped in zip(opened._network, load_weights().network, strict=True):
            assert np.array_equal(mine, shipped)
    copy.write_bytes(copy.read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match=r"copy\.net has changed meanwhile$"):
        teacher.check()
    copy.write_bytes(b"no net")
    with pytest.raises(ValueError, match="not a weights file"):
        self_play(copy, 40)
