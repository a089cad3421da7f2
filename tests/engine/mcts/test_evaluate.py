"""The table of values: what is found is what was kept, and it changes nothing but the time."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.mcts import evaluate
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import SCORE_UNIT, VALUE_ENTRIES, clear, new_tree
from engine.network.architecture import new_scratch
from engine.network.batch import values_of
from engine.network.weights_file import load_weights
from movegen import Position
from movegen.bits import U64

KEYS, PARTS = st.integers(0, 2**64 - 1), st.integers(0, SCORE_UNIT)
WORDS = 2 * VALUE_ENTRIES
NET = load_weights().network


@numba.njit
def look_up(values, key):
    """-> is something known? score, draw share."""
    known = evaluate.known_value(values, key)
    return known != 0, evaluate.score_in(known), evaluate.draw_share_in(known)


@numba.njit
def keep(values, key, score, draw_share):
    evaluate.keep_value(values, key, score, draw_share)


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
