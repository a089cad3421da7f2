"""The only module that configures numba: how functions become machine code.

    kernel          a function that Python calls; compiled at its first call, cached on disk
    float_kernel    the same, but sums of floats may be reordered: faster, but the last bits depend on the CPU
    inlined         a helper that LLVM inlines into its callers: no cost for the call
    inlined_source  a large step of a kernel, with one caller: numba inlines its source, so it is not compiled twice
    instruction     a single machine instruction that Python has no name for
    lookup          a read-only table of 64-bit words, shared by all kernels

With NUMBA_DISABLE_JIT=1 all of these are plain Python, for coverage and readable tracebacks.
"""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any, TypeVar

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from movegen.compiler.cache import cached_on_disk

Function = TypeVar("Function", bound=Callable[..., Any])

JIT_DISABLED: bool = bool(numba.config.DISABLE_JIT)

if JIT_DISABLED:
    np.seterr(over="ignore")  # 64-bit words wrap around in kernels, with the JIT and without

u64 = types.uint64
WORD = ir.IntType(64)

# error_model: integer division does not test for zero. boundscheck is left to NUMBA_BOUNDSCHECK.
COMMON_OPTIONS = {"nogil": True, "error_model": "numpy"}
# Kernels allocate nothing, and their arrays belong to the caller. So references need no counting, which would be an
# atomic instruction for each view of a row and take more than half of the search's time.
KERNEL_OPTIONS = {**COMMON_OPTIONS, "_nrt": False}
# Helpers are not called from Python. Without the wrappers for that, compiling takes a fifth less time.
HELPER_OPTIONS = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that is called from Python, and cache the machine code on disk."""
    compiled = numba.njit(**KERNEL_OPTIONS)(function)
    return cached_on_disk(compiled, function, needs_runtime=False)  # type: ignore[no-any-return]  # no hints


def float_kernel(function: Function) -> Function:
    """A kernel in which sums of floats may be reordered, and which may allocate arrays."""
    compiled = numba.njit(fastmath=True, **COMMON_OPTIONS)(function)
    return cached_on_disk(compiled, function, needs_runtime=True)  # type: ignore[no-any-return]  # no hints


def inlined(function: Function) -> Function:
    """Compile a helper into each of its callers. Only kernels can call it."""
    return numba.njit(**HELPER_OPTIONS, **KERNEL_OPTIONS)(function)  # type: ignore[no-any-return]  # no hints


def inlined_source(function: Function) -> Function:
    """Inline a large step into the source of its only caller. (For small helpers `inlined` compiles faster.)"""
    return numba.njit(inline="always", **KERNEL_OPTIONS)(function)  # type: ignore[no-any-return]  # no hints


def instruction(signature: Any, build: Callable[..., Any]) -> Callable[[Function], Function]:
    """Make a function compile to what `build(builder, *arguments)` emits.

    The decorated Python body defines the result, and runs where the JIT is off.
    """

    def decorate(body: Function) -> Function:
        if JIT_DISABLED:
            return body

        def define(_typing_context: Any, *_arguments: Any) -> tuple[Any, Any]:
            def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                return build(builder, *arguments)

            return signature, emit

        return defined_as(body, define)

    return decorate


def defined_as(body: Function, define: Callable[..., tuple[Any, Any]]) -> Function:
    """A numba intrinsic with the name and parameters of a Python function.

    `define(typing context, types of the arguments …)` -> signature, code builder.
    """
    parameters = [Parameter("typing_context", Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += inspect.signature(body).parameters.values()
    define.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # numba counts them
    define.__name__ = body.__name__
    return intrinsic(define)  # type: ignore[no-any-return]  # numba has no type hints


def lookup(name: str, words: np.ndarray) -> Callable[[np.uint64], np.uint64]:
    """Give a table of 64-bit words a name that kernels can load from: table(index) -> word.

    The words stay outside the machine code (an external symbol), so the cached kernels are small
    and share one copy. The table lives as long as the process; no reference needs to be kept.
    """
    table = np.ascontiguousarray(words, dtype=np.uint64)
    table.setflags(write=False)
    _LIVING_TABLES.append(table)
    symbol = f"teresa_{name}"
    llvm.add_symbol(symbol, table.ctypes.data)

    def load(builder: Any, index: Any) -> Any:
        module = builder.module
        words = module.globals.get(symbol)
        if words is None:
            words = ir.GlobalVariable(module, ir.ArrayType(WORD, table.size), symbol)
        word = builder.load(builder.gep(words, [WORD(0), index], inbounds=True))
        word.set_metadata("invariant.load", module.add_metadata([]))
        return word

    @instruction(u64(u64), load)
    def table_lookup(index: np.uint64) -> np.uint64:
        word: np.uint64 = table[index]
        return word

    return table_lookup


_LIVING_TABLES: list[np.ndarray] = []
