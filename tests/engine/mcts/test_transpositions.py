"""The tables by position: what is found is what was kept, and it changes nothing but the time."""

import threading

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mcts import transpositions
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.reroot import new_root, temper_root
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import RECYCLED, SCORE_UNIT, VALUE_ENTRIES, clear, edges_of, new_tree
from engine.network.architecture import new_scratch
from engine.network.batch import values_of
from engine.network.infer import sharpness
from engine.network.weights_file import load_weights
from movegen import Position
from movegen.bits import ONE, U64
from tests.engine.mcts.invariants import check_invariants
from tests.engine.network.compiled import priors_of

KEYS, PARTS = st.integers(0, 2**64 - 1), st.integers(0, SCORE_UNIT)
WORDS = 2 * VALUE_ENTRIES
NET = load_weights().network
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@numba.njit
def look_up(values, key):
    """-> is something known? score, draw share."""
    known = transpositions.known_value(values, key)
    return known != 0, transpositions.score_in(known), transpositions.draw_share_in(known)


@numba.njit
def keep(values, key, score, draw_share):
    transpositions.keep_value(values, key, score, draw_share)


@pytest.mark.thorough
@given(st.lists(st.tuples(KEYS, PARTS, PARTS), min_size=1, max_size=30))
def test_the_last_value_of_a_position_is_found(entries):
    values, kept = np.zeros(WORDS, dtype=np.uint64), {}
    for key, score, draw_share in entries:
        is_known, *before = look_up(values, U64(key))
        assert not is_known or tuple(before) == kept[key]
        keep(values, U64(key), score, draw_share)
        kept[key] = score, draw_share
        assert look_up(values, U64(key)) == (True, score, draw_share)


@pytest.mark.thorough
@given(KEYS, PARTS, PARTS, PARTS, PARTS)
def test_words_that_do_not_belong_together_are_no_value(key, score, draw_share, other_score, other_share):
    """As two threads leave them that write at once."""
    values, other = np.zeros(WORDS, dtype=np.uint64), np.zeros(WORDS, dtype=np.uint64)
    keep(values, U64(key), score, draw_share)
    keep(other, U64(key), other_score, other_share)
    values[0::2] = other[0::2]
    assert look_up(values, U64(key))[0] == ((score, draw_share) == (other_score, other_share))


def test_an_empty_table_knows_nothing_not_even_of_key_zero():
    assert not look_up(np.zeros(WORDS, dtype=np.uint64), U64(0))[0]


@pytest.mark.jit  # minutes without machine code
def test_a_search_keeps_what_the_network_says_and_clearing_forgets_it():
    tree, worker, root = new_tree(16), new_worker(1, NET), Position()
    simulate_many(tree, root_of(root), NET, SearchParams(PUCT, NETWORK, 3.0), worker, U64(400))
    found = 0
    for move in root.legal_moves:
        position = root.play(move)
        is_known, *kept = look_up(tree.values, U64(position.key))
        if is_known:
            shares = np.zeros((1, 3), dtype=np.int64)
            values_of(NET, new_scratch(NET), np.array([position.board], dtype=np.uint64), shares)
            _, draws, losses = shares[0].tolist()
            assert kept == [losses + draws // 2, draws]
            found += 1
    assert found > 10
    clear(tree)
    assert not tree.values.any()


def nodes_with_positions(tree, position, edge=0, depth=0):
    """Each expanded edge with its depth and the position there."""
    edges = edges_of(tree, edge)
    if not edges:
        return
    yield edge, depth, position
    for below in edges:
        if tree.link[below]:
            yield from nodes_with_positions(tree, position.play(int(tree.move[below])), below, depth + 1)


def check_priors(tree, root, params):
    """Each node has the legal moves of its position, with the network's priors; -> how many are transpositions."""
    seen, shared = set(), 0
    for edge, depth, position in nodes_with_positions(tree, root):
        own = slice(edges_of(tree, edge).start, edges_of(tree, edge).stop)
        moves, priors = np.zeros((1, 256), dtype=np.uint16), np.zeros((1, 256), dtype=np.uint16)
        board, counts = np.array([position.board], dtype=np.uint64), np.zeros(1, dtype=np.int64)
        priors_of(
            NET, new_scratch(NET), board, params.sharpness if depth else params.root_sharpness, moves, priors, counts
        )
        order = np.argsort(-priors[0, : counts[0]].astype(int), kind="stable")
        assert tree.move[own].tolist() == moves[0, order].tolist()
        assert tree.prior[own].tolist() == priors[0, order].tolist()
        shared += position.key in seen
        seen.add(position.key)
    return shared


SHARPER = SearchParams(PUCT, NETWORK, 1.0, sharpness=sharpness(2.4), root_sharpness=sharpness(5.8))


@pytest.mark.jit
@pytest.mark.parametrize(("megabytes", "visits"), [(16, 3000), (1, 40_000)])
def test_nodes_of_one_position_share_priors_that_are_right(megabytes, visits):
    """Also in a full tree, where nodes are recycled."""
    root = Position("8/2k5/3p4/p2P1p2/P2P1P2/2K5/8/8 w - - 0 1")
    tree, worker = new_tree(megabytes), new_worker(1, NET)
    simulate_many(tree, root_of(root), NET, SHARPER, worker, U64(visits))
    assert megabytes > 1 or tree.control[int(RECYCLED)] > 0
    assert check_priors(tree, root, SHARPER) > 50


@pytest.mark.jit
def test_a_node_that_becomes_the_root_is_not_shared_any_more():
    """Its priors get another temperature."""
    root = Position("8/2k5/3p4/p2P1p2/P2P1P2/2K5/8/8 w - - 0 1")
    tree, worker = new_tree(16), new_worker(1, NET)
    simulate_many(tree, root_of(root), NET, SHARPER, worker, U64(2000))
    move = max(edges_of(tree, 0), key=lambda edge: tree.visits[edge])
    header, code = int(tree.link[move]), int(tree.move[move])
    assert tree.draws[header] == root.play(code).key >> 1
    new_root(tree, code)
    temper_root(tree, 2.4 / 5.8)
    assert (tree.link[0], tree.draws[header]) == (header, 0)
    simulate_many(tree, root_of(root.play(code)), NET, SHARPER, worker, U64(1000))
    assert tree.draws[header] == 0


@pytest.mark.jit
@pytest.mark.parametrize("root", ["8/2k5/3p4/p2P1p2/P2P1P2/2K5/8/8 w - - 0 1", KIWIPETE])
def test_threads_that_recycle_nodes_leave_right_priors(root):
    """Means and priors are read from nodes that other threads use again at the same moment."""
    tree, position, params = new_tree(1), Position(root), SHARPER._replace(transpositions=ONE, quiescence=ONE)
    workers = [
        threading.Thread(
            target=simulate_many, args=(tree, root_of(position), NET, params, new_worker(seed, NET), U64(20_000))
        )
        for seed in range(1, 9)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert tree.visits[0] == 160_000
    assert tree.control[int(RECYCLED)] > 1000
    check_invariants(tree)
    check_priors(tree, position, params)


@numba.njit
def look_elsewhere(tree, key):
    return transpositions.mean_elsewhere(tree, key)


@pytest.mark.jit
def test_a_node_that_was_cut_off_has_no_mean():
    """The slot of the edge above it may be used for another edge, or a header."""
    root, tree = Position(), new_tree(16)
    simulate_many(tree, root_of(root), NET, SHARPER, new_worker(1, NET), U64(500))
    edge = max(edges_of(tree, 0), key=lambda one: tree.visits[one])
    key = U64(root.play(int(tree.move[edge])).key)
    visits, score, _ = look_elsewhere(tree, key)
    assert (visits, score) == (int(tree.visits[edge]), int(tree.wins[edge]) // int(tree.visits[edge]))
    tree.link[edge] = 0
    assert look_elsewhere(tree, key) == (0, 0, 0)


@pytest.mark.jit
@pytest.mark.parametrize("above", [1 << 40, -(1 << 40)])
def test_a_header_that_became_an_edge_meanwhile_has_no_mean(above):
    """What was the edge above it is then a sum of scores, far outside the tree."""
    root, tree = Position(), new_tree(16)
    simulate_many(tree, root_of(root), NET, SHARPER, new_worker(1, NET), U64(500))
    edge = max(edges_of(tree, 0), key=lambda one: tree.visits[one])
    tree.wins[int(tree.link[edge])] = above
    assert look_elsewhere(tree, U64(root.play(int(tree.move[edge])).key)) == (0, 0, 0)


@numba.njit
def take_priors(tree, worker, board, key, count):
    return transpositions.take_known_priors(tree, worker, board, key, count)


@pytest.mark.jit
def test_moves_of_another_node_are_not_taken():
    """As if its memory was used again while it was read."""
    root, tree, worker = Position(), new_tree(16), new_worker(1, NET)
    simulate_many(tree, root_of(root), NET, SHARPER, worker, U64(500))
    edge = max(edges_of(tree, 0), key=lambda one: tree.visits[one])
    after = root.play(int(tree.move[edge]))
    moves = np.array(after.move_codes, dtype=np.uint16)
    count = moves.size
    worker.moves[:count] = moves
    assert take_priors(tree, worker, after.board, U64(after.key), U64(count))
    below = int(tree.link[edge])
    assert sorted(worker.moves[:count]) == sorted(moves)
    assert worker.priors[:count].tolist() == tree.prior[below + 1 : below + 1 + count].tolist()
    tree.move[below + 1] ^= 1
    assert not take_priors(tree, worker, after.board, U64(after.key), U64(count))
    assert worker.moves[:count].tolist() == moves.tolist()  # as the generator gives them
