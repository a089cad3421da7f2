"""Room for moves on the stack of a kernel, so that no kernel allocates memory.

A buffer is an address inside kernels and a numpy array where the JIT is off.
"""

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types

from movegen.compiler.jit import WORD, instruction, u64
from movegen.moves import MAX_MOVES, Move

Buffer: TypeAlias = Any

# The most sets of moves with one origin: 16 pieces, both castlings, and what pawns do by direction:
# pushes, double pushes, two captures, three times four promotions, two ways en passant.
MAX_SETS = 16 + 2 + 4 + 12 + 2

_MOVE = ir.IntType(16)


def _reserve(item: Any, count: int) -> Any:
    def build(builder: Any) -> Any:
        with builder.goto_entry_block():
            room = builder.alloca(ir.ArrayType(item, count))
        return builder.ptrtoint(room, WORD)

    return build


def _place(builder: Any, item: Any, buffer: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(buffer, item.as_pointer()), [index], inbounds=True)


def _load_move(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.zext(builder.load(_place(builder, _MOVE, buffer, index)), WORD)


def _store_move(builder: Any, buffer: Any, index: Any, move: Any) -> Any:
    builder.store(builder.trunc(move, _MOVE), _place(builder, _MOVE, buffer, index))
    return WORD(0)


def _load_word(builder: Any, buffer: Any, index: Any) -> Any:
    return builder.load(_place(builder, WORD, buffer, index))


def _store_word(builder: Any, buffer: Any, index: Any, word: Any) -> Any:
    builder.store(word, _place(builder, WORD, buffer, index))
    return WORD(0)


@instruction(u64(), _reserve(_MOVE, MAX_MOVES))
def move_buffer() -> Buffer:
    """Room for all moves of a position, until the calling kernel returns."""
    return np.zeros(MAX_MOVES, dtype=np.uint16)


@instruction(u64(), _reserve(WORD, 2 * MAX_SETS))
def set_buffer() -> Buffer:
    """Room for sets of moves (two words each), until the calling kernel returns."""
    return np.zeros(2 * MAX_SETS, dtype=np.uint64)


@instruction(u64(u64, u64), _load_move)
def load_move(buffer: Buffer, index: np.uint64 | int) -> Move:
    """The move at a place of a buffer."""
    return np.uint64(buffer[index])


@instruction(u64(u64, u64, u64), _store_move)
def store_move(buffer: Buffer, index: np.uint64, move: Move) -> None:
    """Put a move into a buffer."""
    buffer[index] = move


@instruction(u64(u64, u64), _load_word)
def load_word(buffer: Buffer, index: np.uint64) -> np.uint64:
    """The word at a place of a buffer."""
    return np.uint64(buffer[index])


@instruction(u64(u64, u64, u64), _store_word)
def store_word(buffer: Buffer, index: np.uint64, word: np.uint64) -> None:
    """Put a word into a buffer."""
    buffer[index] = word


@instruction(
    u64(types.Array(types.uint16, 1, "C")),
    lambda builder, array: builder.ptrtoint(builder.extract_value(array, 4), WORD),
)
def buffer_of(array: np.ndarray) -> Buffer:
    """The moves of a numpy array as a buffer."""
    return array
