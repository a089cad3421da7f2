"""A cache of the network's values: two move orders to the same position need one evaluation.

It holds only the network's own values. They depend on the position alone, not on the moves before it; repetition and
the 50-move rule are handled elsewhere. So a search with the table is the same as without it.

An entry is two words: the value, and the key of the position xor the value. If two threads write at once, the words
do not fit together, and the entry counts as empty.
"""

import numpy as np

from movegen.bits import ONE, U64, ZERO, multiply_high
from movegen.compiler.jit import inlined

ENTRIES = 1 << 18
WORDS = 2 * ENTRIES
# A value: score and draw share, each from 0 to 2²⁰, and a bit that says that there is one.
DRAWS_SHIFT, PRESENT, PART = U64(21), U64(1) << U64(63), U64((1 << 21) - 1)


@inlined
def index_of(key: np.uint64) -> np.uint64:
    """The index of the first word of a position's entry."""
    return multiply_high(key, U64(ENTRIES)) << ONE


@inlined
def known_value(values: np.ndarray, key: np.uint64) -> np.uint64:
    """The value of a position; 0 if it is not in the table."""
    index = index_of(key)
    value = values[index]
    return value if value ^ values[index + ONE] == key else ZERO


@inlined
def keep_value(values: np.ndarray, key: np.uint64, score: int, draw_share: int) -> None:
    """Store the network's value of a position."""
    index = index_of(key)
    value = U64(score) | U64(draw_share) << DRAWS_SHIFT | PRESENT
    values[index], values[index + ONE] = value, value ^ key


@inlined
def score_in(value: np.uint64) -> int:
    """The score of a value."""
    return int(value & PART)


@inlined
def draw_share_in(value: np.uint64) -> int:
    """The draw share of a value."""
    return int(value >> DRAWS_SHIFT & PART)
