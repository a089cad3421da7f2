"""Memory for kernels: aligned arrays in large pages, and buffers on the stack, so that kernels need not allocate.

A buffer is an address inside kernels, and a numpy array where the JIT is off. Its items are 16-bit or 64-bit words.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from movegen.compiler.jit import JIT_DISABLED, WORD, Function, defined_as, instruction, u64

CACHE_LINE_BYTES = 64
_DATA, _STRIDES = 4, 6  # indices of data pointer and strides in numba's array structure
_WORD_16 = ir.IntType(16)

Buffer: TypeAlias = Any


def aligned_zeros(count: int, dtype: type) -> np.ndarray:
    """Zeroed array of `count` items, aligned to a cache line: records of a line's size do not straddle two."""
    size = count * np.dtype(dtype).itemsize
    room = np.zeros(size + CACHE_LINE_BYTES, dtype=np.uint8)
    skip = -room.ctypes.data % CACHE_LINE_BYTES
    return room[skip : skip + size].view(dtype)


def _array_instruction(build: Callable[..., Any]) -> Callable[[Function], Function]:
    """Make a function of (array, index, words …) compile to what `build(builder, address, *words)` emits."""

    def decorate(body: Function) -> Function:
        if JIT_DISABLED:
            return body

        def define(_typing_context: Any, array: Any, _index: Any, *words: Any) -> tuple[Any, Any]:
            def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                return build(builder, _address(builder, array, arguments[0], arguments[1]), *arguments[2:])

            return array.dtype(array, types.uint64, *(array.dtype for _ in words)), emit

        return defined_as(body, define)

    return decorate


def _address(builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an element; also of arrays with strides."""
    data = builder.extract_value(array, _DATA)
    if kind.layout == "C":
        return builder.gep(data, [index], inbounds=True)
    stride = builder.extract_value(builder.extract_value(array, _STRIDES), 0)
    first = builder.bitcast(data, ir.PointerType(ir.IntType(8)))
    return builder.bitcast(builder.gep(first, [builder.mul(index, stride)], inbounds=True), data.type)


def _size(address: Any) -> int:
    return int(address.type.pointee.width) // 8


def _publish(builder: Any, address: Any, word: Any) -> Any:
    builder.store_atomic(word, address, "seq_cst", _size(address))
    return word


def _swap_if(builder: Any, address: Any, expected: Any, word: Any) -> Any:
    return builder.extract_value(builder.cmpxchg(address, expected, word, "seq_cst", "seq_cst"), 0)


def _prefetch(builder: Any, address: Any) -> Any:
    number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
    signature = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    for_writing, keep_close, data = number(1), number(3), number(1)
    builder.call(function, [builder.bitcast(address, pointer), for_writing, keep_close, data])
    return address.type.pointee(0)


@_array_instruction(lambda builder, address: builder.load_atomic(address, "seq_cst", _size(address)))
def read(array: np.ndarray, index: np.uint64) -> Any:
    """The current value, even if the compiler has loaded it before."""
    return array[index]


@_array_instruction(_publish)
def publish(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Write a word into an array, after all earlier writes; -> the word."""
    array[index] = word
    return word


@_array_instruction(lambda builder, address, word: builder.atomic_rmw("xchg", address, word, "seq_cst"))
def exchange(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Write a word into an array and return the previous one, before all later reads."""
    before = array[index]
    array[index] = word
    return before


@_array_instruction(lambda builder, address, word: builder.atomic_rmw("add", address, word, "seq_cst"))
def add_to(array: np.ndarray, index: np.uint64, word: Any) -> Any:
    """Add to a word of an array; no addition of another thread is lost. -> the previous value."""
    before = array[index]
    array[index] = before + word
    return before


@_array_instruction(_swap_if)
def swap_if(array: np.ndarray, index: np.uint64, expected: Any, word: Any) -> Any:
    """Write a word into an array if the expected one is there; -> the previous value."""
    before = array[index]
    if before == expected:
        array[index] = word
    return before


@_array_instruction(_prefetch)
def prefetch(array: np.ndarray, _index: np.uint64) -> Any:
    """Hint that this element of an array will be needed soon; no effect on results. -> 0"""
    return array.dtype.type(0)


def stack_buffer(kind: type[np.unsignedinteger], count: int) -> Callable[[Function], Function]:
    """Make a function reserve memory for `count` items, valid until the calling kernel returns; not zeroed."""
    item = ir.IntType(8 * np.dtype(kind).itemsize)

    def build(builder: Any) -> Any:
        with builder.goto_entry_block():
            room = builder.alloca(ir.ArrayType(item, count))
        return builder.ptrtoint(room, WORD)

    return instruction(u64(), build)


def _item_address(builder: Any, item: Any, buffer: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(buffer, item.as_pointer()), [index], inbounds=True)


def _load_16(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.zext(builder.load(_item_address(builder, _WORD_16, buffer, index)), WORD)


def _store_16(builder: Any, buffer: Any, index: Any, word: Any) -> Any:
    builder.store(builder.trunc(word, _WORD_16), _item_address(builder, _WORD_16, buffer, index))
    return WORD(0)


def _load_64(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.load(_item_address(builder, WORD, buffer, index))


def _store_64(builder: Any, buffer: Any, index: Any, word: Any) -> Any:
    builder.store(word, _item_address(builder, WORD, buffer, index))
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
