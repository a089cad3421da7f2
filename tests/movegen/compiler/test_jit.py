"""How functions become machine code."""

import numba
import numpy as np
import pytest

from movegen.compiler.jit import KERNEL_OPTIONS, inlined, kernel
from tests.conftest import JIT_DISABLED


@inlined
def sum_of(row):
    total = 0
    for number in row:
        total += number
    return total


@kernel
def sum_of_rows(rows):
    total = 0
    for index in range(len(rows)):
        total += sum_of(rows[index])
    return total


@pytest.mark.skipif(JIT_DISABLED, reason="there is no machine code")
def test_kernels_count_no_references():
    compiled = numba.njit(**KERNEL_OPTIONS)(sum_of_rows.py_func)  # what comes from the cache cannot be inspected
    compiled.compile("(int64[:, ::1],)")
    (code,) = compiled.inspect_llvm().values()
    assert "sum_of_rows" in code
    assert "NRT_" not in code


def test_views_belong_to_the_caller():
    rows = np.arange(12, dtype=np.int64).reshape(3, 4)
    assert [int(sum_of_rows(rows[: count + 1])) for count in range(3)] == [6, 28, 66]
