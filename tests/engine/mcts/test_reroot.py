"""Changes of a whole tree, against copies of it and plain sums."""

import numpy as np
import pytest

from engine.mcts import reroot
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.reroot import halve, new_root, restrict_root, take_back, temper_root
from engine.mcts.tree import LIVE, RECYCLED, ROOT, SCORE_UNIT, clear, edges_of, new_tree
from engine.network.architecture import PRIOR_UNIT
from engine.network.weights_file import load_weights
from movegen import Position
from tests.engine.mcts.invariants import check_invariants

pytestmark = pytest.mark.jit  # dozens of visits for each test

NET = load_weights().network
START = Position()
E4 = START.code("e2e4")


@pytest.fixture
def tree():
    tree = new_tree(1)
    search(tree, START, 120)
    return tree


def search(tree, position, visits):
    task = SearchTask(tree, root_of(position), NET, SearchParams(PUCT, NETWORK, 1.0))
    make_visits(task, new_worker(1, NET), visits)


def lines_below(tree, slot):
    """All that is known below an edge: moves and statistics, whatever slots they are in."""
    return {
        int(tree.move[edge]): (
            *(int(array[edge]) for array in (tree.visits, tree.wins, tree.draws, tree.prior, tree.proven)),
            lines_below(tree, edge),
        )
        for edge in edges_of(tree, slot)
    }


def slot_of(tree, move):
    return next(slot for slot in edges_of(tree, int(ROOT)) if tree.move[slot] == move)


def test_a_move_becomes_the_root_with_all_below_it(tree):
    slot = slot_of(tree, E4)
    before, numbers = lines_below(tree, slot), [int(array[slot]) for array in (tree.visits, tree.wins, tree.draws)]
    tree.proven[int(ROOT)], tree.kept[0] = 5, 3
    new_root(tree, E4)
    assert lines_below(tree, int(ROOT)) == before
    assert [int(array[int(ROOT)]) for array in (tree.visits, tree.wins, tree.draws)] == numbers
    assert (tree.proven[int(ROOT)], tree.kept[0]) == (0, 0)
    assert len(edges_of(tree, slot)) == 0  # the node has one edge above it
    check_invariants(tree)


@pytest.mark.parametrize("move", ["unknown", "not expanded"])
def test_a_move_without_a_node_empties_the_tree(tree, move):
    codes = {"unknown": 12_345}
    codes["not expanded"] = next(int(tree.move[slot]) for slot in edges_of(tree, int(ROOT)) if not edges_of(tree, slot))
    new_root(tree, codes[move])
    assert tree.visits[int(ROOT)] == 0
    assert len(edges_of(tree, int(ROOT))) == 0


def test_after_another_move_was_expected_the_tree_below_the_one_played_is_there(tree):
    """As if the expected move had not been searched; and again, for a third move."""
    others = [move for move, line in lines_below(tree, int(ROOT)).items() if line[-1] and move != E4]
    before = {move: lines_below(tree, slot_of(tree, move)) for move in others}
    numbers = {move: int(tree.visits[slot_of(tree, move)]) for move in others}
    played = E4
    for move in others[:3]:
        new_root(tree, played)
        search(tree, START.play(played), 200)
        take_back(tree)
        check_invariants(tree)
        assert tree.visits[int(ROOT)] == sum(int(tree.visits[edge]) for edge in edges_of(tree, int(ROOT)))
        assert lines_below(tree, slot_of(tree, move)) == before[move]
        assert tree.visits[slot_of(tree, move)] == numbers[move]
        assert len(edges_of(tree, slot_of(tree, played))) == 0
        played = move
    assert len(others) >= 3


@pytest.mark.parametrize("make", [lambda _tree: None, lambda tree: new_root(tree, 12_345), clear])
def test_nothing_to_take_back_empties_the_tree(tree, make):
    make(tree)
    take_back(tree)
    assert tree.visits[int(ROOT)] == 0
    assert len(edges_of(tree, int(ROOT))) == 0


def test_a_full_tree_keeps_the_root_before(tree):
    """Its node stays while all below its other moves is recycled; they keep their statistics."""
    before = {int(tree.move[slot]): int(tree.visits[slot]) for slot in edges_of(tree, int(ROOT))}
    new_root(tree, E4)
    search(tree, START.play(E4), 10_000)
    assert tree.control[int(RECYCLED)] > 100
    take_back(tree)
    check_invariants(tree)
    assert {int(tree.move[slot]): int(tree.visits[slot]) for slot in edges_of(tree, int(ROOT))} == before
    search(tree, START, 10_000)
    check_invariants(tree)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
def test_priors_are_raised_to_a_power(tree, exponent):
    before = [int(tree.prior[slot]) for slot in edges_of(tree, int(ROOT))]
    below = lines_below(tree, slot_of(tree, E4))
    temper_root(tree, exponent)
    powers = [prior**exponent for prior in before]
    expected = [max(1, int(PRIOR_UNIT * power / sum(powers))) for power in powers]
    assert [int(tree.prior[slot]) for slot in edges_of(tree, int(ROOT))] == pytest.approx(expected, abs=1)
    assert lines_below(tree, slot_of(tree, E4)) == below


def test_priors_never_fall_to_nothing_and_no_node_is_no_error(tree):
    temper_root(tree, 9.0)
    assert min(int(tree.prior[slot]) for slot in edges_of(tree, int(ROOT))) == 1
    temper_root(new_tree(1), 2.0)


def test_a_root_with_fewer_moves_keeps_what_is_known_of_them(tree):
    wanted = {E4, START.code("d2d4"), START.code("a2a3")}
    before = {code: line for code, line in lines_below(tree, int(ROOT)).items() if code in wanted}
    tree.kept[0] = 3
    restrict_root(tree, wanted)
    assert lines_below(tree, int(ROOT)) == before
    visits = sum(line[0] for line in before.values())
    assert tree.visits[int(ROOT)] == visits
    assert tree.wins[int(ROOT)] == visits * SCORE_UNIT - sum(line[1] for line in before.values())
    assert tree.draws[int(ROOT)] == sum(line[2] for line in before.values())
    assert (tree.proven[int(ROOT)], tree.kept[0]) == (0, 0)
    check_invariants(tree)


@pytest.mark.parametrize("at_once", [64, 1000, 1 << 20])
def test_halves(tree, monkeypatch, at_once):
    """Of all edges, in blocks of any size; means stay, headers stay."""
    monkeypatch.setattr(reroot, "SLOTS_AT_ONCE", at_once)
    is_edge = tree.move < LIVE
    before = [array.copy() for array in (tree.visits, tree.wins, tree.draws, tree.link, tree.prior, tree.proven)]
    halve(tree)
    visits, wins, draws, *others = before
    assert (tree.visits[is_edge] == visits[is_edge] // 2).all()
    assert (tree.visits[~is_edge] == visits[~is_edge]).all()
    assert (tree.wins[~is_edge] == wins[~is_edge]).all()
    for sums, old in ((tree.wins, wins), (tree.draws, draws)):
        for slot in np.flatnonzero(is_edge & (visits > 1))[:200].tolist():
            exact = int(old[slot]) * (int(visits[slot]) // 2) // int(visits[slot])
            assert abs(int(sums[slot]) - exact) <= int(visits[slot])
    for array, old in zip((tree.link, tree.prior, tree.proven), others, strict=True):
        assert (array == old).all()
    check_invariants(tree)
