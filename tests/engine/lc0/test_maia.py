"""Maia itself, where TERESA_NETS names a folder that has it, against what lc0 0.33 (blas) said of it."""

import os
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.lc0.net import open_net
from movegen import Position
from tests.engine.lc0.games import batch_of

FOLDER = Path(os.environ.get("TERESA_NETS", ""))
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif("TERESA_NETS" not in os.environ, reason="TERESA_NETS names no folder with nets"),
]

POSITIONS = [
    (chess.STARTING_FEN, ""),
    (chess.STARTING_FEN, "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "e1g1 e8c8"),
    ("8/P6k/8/8/8/8/6p1/K7 w - - 3 70", "a1b1 h7h8 b1a1 h8h7"),
]
# For each position: expected score, draw, and the three likeliest moves.
FIGURES = {
    1100: [
        (0.522792, 0.038668, {"e2e4": 0.660562, "d2d4": 0.209769, "e2e3": 0.030096}),
        (0.489733, 0.038226, {"f1c4": 0.267562, "c1g5": 0.20982, "f1d3": 0.129505}),
        (0.628091, 0.023468, {"e2a6": 0.847719, "c3b5": 0.04303, "g2h3": 0.024211}),
        (0.517431, 0.744833, {"a7a8q": 0.677997, "a1b1": 0.24611, "a1b2": 0.037475}),
    ],
    1900: [
        (0.516866, 0.054669, {"e2e4": 0.563879, "d2d4": 0.289113, "c2c4": 0.048685}),
        (0.508693, 0.053315, {"c1g5": 0.225599, "c1e3": 0.189173, "f1e2": 0.167805}),
        (0.694, 0.022693, {"e2a6": 0.982236, "c3b5": 0.008992, "d5d6": 0.001906}),
        (0.522638, 0.833862, {"a7a8q": 0.528495, "a1b1": 0.346439, "a1b2": 0.070202}),
    ],
}


@pytest.mark.parametrize("rating", FIGURES)
def test_maia_says_what_lc0_says_it_says(rating):
    net = open_net(FOLDER / f"maia-{rating}.pb.gz")
    boards = []
    for fen, moves in POSITIONS:
        boards.append(chess.Board(fen))
        for move in moves.split():
            boards[-1].push_uci(move)
    leaves = batch_of(boards)
    net.evaluate(leaves)
    for row, (score, draw, likeliest) in enumerate(FIGURES[rating]):
        assert abs(leaves.values[row] - score) < 1e-5
        assert abs(leaves.draws[row] - draw) < 1e-5
        position = Position(boards[row].fen(en_passant="legal"))
        priors = leaves.priors[row, : leaves.move_count[row]]
        for place, (move, prior) in enumerate(likeliest.items()):
            number = np.argsort(-priors)[place]
            assert position.uci(int(leaves.moves[row, number])) == move
            assert abs(priors[number] - prior) < 1e-5
