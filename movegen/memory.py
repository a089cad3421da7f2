"""Large arrays of words: what threads that share them need, and a hint for the memory system.

A plain load or store may be moved or kept back by the compiler; `exchange` and `publish` may not.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from movegen.bits import U64
from movegen.jit import WORD, instruction, u64

_words = types.Array(u64, 1, "C")
_DATA = 4  # where numba's array structure has the pointer to its data


def _place(builder: Any, array: Any, index: Any) -> Any:
    return builder.gep(builder.extract_value(array, _DATA), [index], inbounds=True)


def _exchange(builder: Any, array: Any, index: Any, word: Any) -> Any:
    return builder.atomic_rmw("xchg", _place(builder, array, index), word, "acquire")


def _publish(builder: Any, array: Any, index: Any, word: Any) -> Any:
    builder.store_atomic(word, _place(builder, array, index), "release", 8)
    return word


def _prefetch(builder: Any, array: Any, index: Any) -> Any:
    number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
    signature = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    place = builder.bitcast(_place(builder, array, index), pointer)
    for_writing, keep_close, data = number(1), number(3), number(1)
    builder.call(function, [place, for_writing, keep_close, data])
    return WORD(0)


@instruction(u64(_words, u64, u64), _exchange)
def exchange(array: np.ndarray, index: np.uint64, word: np.uint64) -> np.uint64:
    """Put a word into an array and take out what was there; later reads happen after it."""
    before = U64(array[index])
    array[index] = word
    return before


@instruction(u64(_words, u64, u64), _publish)
def publish(array: np.ndarray, index: np.uint64, word: np.uint64) -> np.uint64:
    """Put a word into an array; earlier writes happen before it."""
    array[index] = word
    return word


@instruction(u64(_words, u64), _prefetch)
def prefetch(_array: np.ndarray, _index: np.uint64) -> np.uint64:
    """Say that this place of an array will be needed soon. Changes nothing."""
    return U64(0)
