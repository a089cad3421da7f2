"""Ways into helpers and instructions, which Python itself cannot call once they are compiled."""

import numba

from movegen.attacks import checkers as _checkers
from movegen.bits import (
    flip as _flip,
)
from movegen.bits import (
    fold_product as _fold_product,
)
from movegen.bits import (
    gather as _gather,
)
from movegen.bits import (
    leading_zeros as _leading_zeros,
)
from movegen.bits import (
    lowest_square as _lowest_square,
)
from movegen.bits import (
    multiply_high as _multiply_high,
)
from movegen.bits import (
    nth_square_by_pdep as _nth_square_by_pdep,
)
from movegen.bits import (
    nth_square_by_steps as _nth_square_by_steps,
)
from movegen.bits import (
    popcount as _popcount,
)
from movegen.bits import (
    scatter as _scatter,
)
from movegen.compiler.memory import add_to as _add_to
from movegen.compiler.memory import exchange as _exchange
from movegen.compiler.memory import prefetch as _prefetch
from movegen.compiler.memory import publish as _publish
from movegen.compiler.memory import read as _read
from movegen.compiler.memory import swap_if as _swap_if
from movegen.outcome import is_insufficient as _is_insufficient
from movegen.sliders import (
    bishop_attacks_by_lines as _bishop_by_lines,
)
from movegen.sliders import (
    bishop_attacks_by_pext as _bishop_by_pext,
)
from movegen.sliders import (
    rook_attacks_by_lines as _rook_by_lines,
)
from movegen.sliders import (
    rook_attacks_by_pext as _rook_by_pext,
)


@numba.njit
def popcount(bits):
    return _popcount(bits)


@numba.njit
def lowest_square(bits):
    return _lowest_square(bits)


@numba.njit
def leading_zeros(bits):
    return _leading_zeros(bits)


@numba.njit
def flip(bits):
    return _flip(bits)


@numba.njit
def multiply_high(a, b):
    return _multiply_high(a, b)


@numba.njit
def fold_product(a, b):
    return _fold_product(a, b)


@numba.njit
def gather(word, mask):
    return _gather(word, mask)


@numba.njit
def scatter(word, mask):
    return _scatter(word, mask)


@numba.njit
def nth_square_by_pdep(bits, n):
    return _nth_square_by_pdep(bits, n)


@numba.njit
def nth_square_by_steps(bits, n):
    return _nth_square_by_steps(bits, n)


@numba.njit
def bishop_by_pext(square, occupied):
    return _bishop_by_pext(square, occupied)


@numba.njit
def rook_by_pext(square, occupied):
    return _rook_by_pext(square, occupied)


@numba.njit
def bishop_by_lines(square, occupied):
    return _bishop_by_lines(square, occupied)


@numba.njit
def rook_by_lines(square, occupied):
    return _rook_by_lines(square, occupied)


@numba.njit
def checkers(board):
    return _checkers(board)


@numba.njit
def is_insufficient(board):
    return _is_insufficient(board)


@numba.njit
def read(array, index):
    return _read(array, index)


@numba.njit
def exchange(array, index, word):
    return _exchange(array, index, word)


@numba.njit
def publish(array, index, word):
    return _publish(array, index, word)


@numba.njit
def add_to(array, index, word):
    return _add_to(array, index, word)


@numba.njit
def swap_if(array, index, expected, word):
    return _swap_if(array, index, expected, word)


@numba.njit
def prefetch(array, index):
    return _prefetch(array, index)


@numba.njit(nogil=True)
def add_often(array, times):
    for _ in range(times):
        _add_to(array, 0, 1)
