import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from movegen.compiler.cpu import has_fast_pext
from tests.conftest import JIT_DISABLED
from tests.movegen import compiled

U64 = np.uint64
words = st.integers(0, 2**64 - 1)
nonzero = st.integers(1, 2**64 - 1)
needs_pext = pytest.mark.skipif(not has_fast_pext() and not JIT_DISABLED, reason="this CPU has no PEXT")


def squares(word):
    return [square for square in range(64) if word >> square & 1]


@pytest.mark.thorough
@given(words)
def test_popcount_counts_squares(word):
    assert compiled.popcount(U64(word)) == len(squares(word))


@given(nonzero)
def test_lowest_square_and_leading_zeros(word):
    assert compiled.lowest_square(U64(word)) == squares(word)[0]
    assert compiled.leading_zeros(U64(word)) == 63 - squares(word)[-1]


@given(words)
def test_flip_turns_the_board_upside_down(word):
    assert squares(int(compiled.flip(U64(word)))) == sorted(square ^ 56 for square in squares(word))


@given(words, words)
def test_products(a, b):
    product = a * b
    assert compiled.multiply_high(U64(a), U64(b)) == product >> 64
    assert compiled.fold_product(U64(a), U64(b)) == product >> 64 ^ product & 2**64 - 1


@needs_pext
@given(words, words)
def test_gather_and_scatter_follow_the_mask(word, mask):
    gathered = sum((word >> square & 1) << place for place, square in enumerate(squares(mask)))
    scattered = sum((word >> place & 1) << square for place, square in enumerate(squares(mask)))
    assert compiled.gather(U64(word), U64(mask)) == gathered
    assert compiled.scatter(U64(word), U64(mask)) == scattered


@given(nonzero, st.data())
def test_nth_square_by_steps(word, data):
    n = data.draw(st.integers(0, len(squares(word)) - 1))
    assert compiled.nth_square_by_steps(U64(word), U64(n)) == squares(word)[n]


@needs_pext
@given(nonzero, st.data())
def test_nth_square_by_pdep(word, data):
    n = data.draw(st.integers(0, len(squares(word)) - 1))
    assert compiled.nth_square_by_pdep(U64(word), U64(n)) == squares(word)[n]
