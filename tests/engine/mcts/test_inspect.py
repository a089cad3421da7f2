"""Reading kernels at the limits of their space."""

import numpy as np
import pytest

from engine.mcts import inspect
from movegen.bits import U64
from tests.engine.report.searches import MIDDLEGAME, searched

SENTINEL = -77


@pytest.mark.jit  # thousands of visits
@pytest.mark.parametrize("least", [1, 20, 150])
def test_an_icicle_never_writes_behind_its_table(least):
    """Also if the table is exactly full and there is a node left whose moves would all be merged."""
    tree = searched(MIDDLEGAME, 3000).tree
    was_full = False
    for rows in range(1, 120):
        memory = np.full((rows + 4, inspect.ICICLE_COLUMNS), SENTINEL, dtype=np.int64)
        used = int(inspect.icicle(tree, U64(0), np.int64(least), np.int64(6), memory[:rows]))
        was_full |= used == rows
        assert 1 <= used <= rows
        assert (memory[rows:] == SENTINEL).all(), rows
        assert (memory[1:used, inspect.PARENT] < np.arange(1, used)).all()
    assert was_full
