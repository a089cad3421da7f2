"""Words that threads share."""

import threading

import numpy as np
import pytest

from movegen.compiler.memory import CACHE_LINE_BYTES, aligned_zeros
from tests.conftest import JIT_DISABLED
from tests.movegen import compiled

U64 = np.uint64


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [np.uint16, np.uint32, np.uint64, np.int64])
def test_each_instruction_changes_one_word(kind):
    array = np.arange(6, dtype=kind)
    assert compiled.read(array, U64(5)) == 5
    assert compiled.exchange(array, U64(2), kind(99)) == 2
    assert compiled.publish(array, U64(3), kind(77)) == 77
    assert compiled.add_to(array, U64(4), kind(10)) == 4
    assert compiled.swap_if(array, U64(0), kind(0), kind(55)) == 0
    assert compiled.swap_if(array, U64(1), kind(0), kind(55)) == 1
    compiled.prefetch(array, U64(1))
    assert array.tolist() == [55, 1, 99, 77, 14, 5]


@pytest.mark.skipif(JIT_DISABLED, reason="plain Python has no atomic addition")
def test_no_addition_of_another_thread_is_lost():
    array = np.zeros(1, dtype=np.int64)
    threads = [threading.Thread(target=compiled.add_often, args=(array, 200_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert array[0] == 800_000


@pytest.mark.parametrize("kind", [np.uint8, np.uint64])
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_aligned_zeros_begin_with_a_cache_line(kind, count):
    array = aligned_zeros(count, kind)
    assert array.ctypes.data % CACHE_LINE_BYTES == 0
    assert (array.dtype, array.shape, array.any()) == (np.dtype(kind), (count,), False)
