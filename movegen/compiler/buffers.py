"""Memory on the stack of a kernel, so that kernels need not allocate.

A buffer is an address inside kernels, and a numpy array where the JIT is off. Its items are 16-bit or 64-bit words.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types

from movegen.compiler.jit import WORD, Function, instruction, u64

Buffer: TypeAlias = Any

_WORD_16 = ir.IntType(16)
_DATA = 4  # index of the data pointer in numba's array structure


def stack_buffer(kind: type[np.unsignedinteger], count: int) -> Callable[[Function], Function]:
    """Make a function reserve memory for `count` items, valid until the calling kernel returns; not zeroed."""
    item = ir.IntType(8 * np.dtype(kind).itemsize)

    def build(builder: Any) -> Any:
        with builder.goto_entry_block():
            room = builder.alloca(ir.ArrayType(item, count))
        return builder.ptrtoint(room, WORD)

    return instruction(u64(), build)


def _address(builder: Any, item: Any, buffer: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(buffer, item.as_pointer()), [index], inbounds=True)


def _load_16(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.zext(builder.load(_address(builder, _WORD_16, buffer, index)), WORD)


def _store_16(builder: Any, buffer: Any, index: Any, word: Any) -> Any:
    builder.store(builder.trunc(word, _WORD_16), _address(builder, _WORD_16, buffer, index))
    return WORD(0)


def _load_64(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.load(_address(builder, WORD, buffer, index))


def _store_64(builder: Any, buffer: Any, index: Any, word: Any) -> Any:
    builder.store(word, _address(builder, WORD, buffer, index))
    return WORD(0)


@instruction(u64(u64, u64), _load_16)
def load_16(buffer: Buffer, index: np.uint64 | int) -> np.uint64:
    """The 16-bit word at an index of a buffer."""
    return np.uint64(buffer[index])


@instruction(u64(u64, u64, u64), _store_16)
def store_16(buffer: Buffer, index: np.uint64, word: np.uint64) -> None:
    """Write a 16-bit word into a buffer."""
    buffer[index] = word


@instruction(u64(u64, u64), _load_64)
def load_64(buffer: Buffer, index: np.uint64) -> np.uint64:
    """The 64-bit word at an index of a buffer."""
    return np.uint64(buffer[index])


@instruction(u64(u64, u64, u64), _store_64)
def store_64(buffer: Buffer, index: np.uint64, word: np.uint64) -> None:
    """Write a 64-bit word into a buffer."""
    buffer[index] = word


@instruction(
    u64(types.Array(types.uint16, 1, "C")),
    lambda builder, array: builder.ptrtoint(builder.extract_value(array, _DATA), WORD),
)
def buffer_of(array: np.ndarray) -> Buffer:
    """A numpy array of 16-bit words as a buffer."""
    return array
