import random

import chess
import numpy as np
import pytest

from movegen.compiler.cpu import has_fast_pext
from movegen.geometry import DIAGONALS, STRAIGHTS, attacks
from tests.conftest import JIT_DISABLED
from tests.movegen import compiled

BY_PEXT = pytest.mark.skipif(not has_fast_pext() and not JIT_DISABLED, reason="this CPU has no PEXT")
EDGES = chess.BB_BACKRANKS | chess.BB_FILE_A | chess.BB_FILE_H
WAYS = [
    pytest.param(compiled.bishop_by_pext, compiled.rook_by_pext, marks=BY_PEXT, id="pext"),
    pytest.param(compiled.bishop_by_lines, compiled.rook_by_lines, id="lines"),
]


@pytest.mark.parametrize(("bishop", "rook"), WAYS)
def test_every_square_with_random_pieces(bishop, rook, scaled):
    rng = random.Random(5)
    for _ in range(scaled(300)):
        occupied = rng.getrandbits(64) & rng.getrandbits(64)
        for square in range(64):
            arguments = np.uint64(square), np.uint64(occupied)
            assert bishop(*arguments) == attacks(square, DIAGONALS, occupied)
            assert rook(*arguments) == attacks(square, STRAIGHTS, occupied)


@pytest.mark.parametrize(("bishop", "rook"), WAYS)
@pytest.mark.parametrize("occupied", [0, 2**64 - 1, EDGES, ~EDGES & 2**64 - 1])
def test_empty_full_and_edges_against_python_chess(bishop, rook, occupied):
    for square in range(64):
        queen = chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
        straight = chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        straight |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
        assert bishop(np.uint64(square), np.uint64(occupied)) == queen
        assert rook(np.uint64(square), np.uint64(occupied)) == straight
