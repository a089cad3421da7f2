"""Large arrays: where they begin, what threads that share them need, and a hint for the memory system.

A plain load or store may be moved or kept back by the compiler; these may not. Each works on arrays of integers
of any size: (array, index, words …) -> what was there before.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from movegen.compiler.jit import JIT_DISABLED, Function, defined_as

CACHE_LINE_BYTES = 64  # of a cache line
_DATA, _STRIDES = 4, 6  # where numba's array structure has the pointer to its data, and its strides


def aligned_zeros(count: int, kind: type) -> np.ndarray:
    """So many zeros from the begin of a cache line on: what fits into a line does not straddle two."""
    size = count * np.dtype(kind).itemsize
    room = np.zeros(size + CACHE_LINE_BYTES, dtype=np.uint8)
    skip = -room.ctypes.data % CACHE_LINE_BYTES
    return room[skip : skip + size].view(kind)


def _array_instruction(build: Callable[..., Any]) -> Callable[[Function], Function]:
    """Make a function of (array, index, words …) compile to what `build(builder, place, *words)` emits."""

    def decorate(body: Function) -> Function:
        if JIT_DISABLED:
            return body

        def define(_typing_context: Any, array: Any, _index: Any, *words: Any) -> tuple[Any, Any]:
            def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                return build(builder, _place(builder, array, arguments[0], arguments[1]), *arguments[2:])

            return array.dtype(array, types.uint64, *(array.dtype for _ in words)), emit

        return defined_as(body, define)

    return decorate


def _place(builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an element; of arrays that are every n-th element of another, too."""
    data = builder.extract_value(array, _DATA)
    if kind.layout == "C":
        return builder.gep(data, [index], inbounds=True)
    stride = builder.extract_value(builder.extract_value(array, _STRIDES), 0)
    first = builder.bitcast(data, ir.PointerType(ir.IntType(8)))
    return builder.bitcast(builder.gep(first, [builder.mul(index, stride)], inbounds=True), data.type)


def _size(place: Any) -> int:
    return int(place.type.pointee.width) // 8


def _publish(builder: Any, place: Any, word: Any) -> Any:
    builder.store_atomic(word, place, "seq_cst", _size(place))
    return word


def _swap_if(builder: Any, place: Any, expected: Any, word: Any) -> Any:
    return builder.extract_value(builder.cmpxchg(place, expected, word, "seq_cst", "seq_cst"), 0)


def _prefetch(builder: Any, place: Any) -> Any:
    number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
    signature = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    for_writing, keep_close, data = number(1), number(3), number(1)
    builder.call(function, [builder.bitcast(place, pointer), for_writing, keep_close, data])
    return place.type.pointee(0)


@_array_instruction(lambda builder, place: builder.load_atomic(place, "seq_cst", _size(place)))
def read(array: np.ndarray, index: np.uint64) -> Any:
    """What is there now, however often it was read before."""
    return array[index]


@_array_instruction(_publish)
def publish(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Put a word into an array; earlier writes happen before it. -> the word."""
    array[index] = word
    return word


@_array_instruction(lambda builder, place, word: builder.atomic_rmw("xchg", place, word, "seq_cst"))
def exchange(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Put a word into an array and take out what was there; later reads happen after it."""
    before = array[index]
    array[index] = word
    return before


@_array_instruction(lambda builder, place, word: builder.atomic_rmw("add", place, word, "seq_cst"))
def add_to(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Add to a word of an array; nothing that another thread adds is lost."""
    before = array[index]
    array[index] = before + word
    return before


@_array_instruction(_swap_if)
def swap_if(array: np.ndarray, index: np.uint64, expected: Any, word: Any) -> Any:
    """Put a word into an array if the expected one is there. -> what was there before."""
    before = array[index]
    if before == expected:
        array[index] = word
    return before


@_array_instruction(_prefetch)
def prefetch(array: np.ndarray, _index: np.uint64) -> Any:
    """Say that this place of an array will be needed soon. Changes nothing, means nothing."""
    return array.dtype.type(0)
