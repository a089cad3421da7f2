"""The order of moves, against digests of the tables in lc0's sources."""

import hashlib

import chess
import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra `lc0`")

from engine.lc0.heads import attention_places, convolution_places
from engine.lc0.moves import MOVES, all_moves, table_of_moves
from movegen import Position

LETTERS = {0: "", 5: "b", 6: "r", 7: "q"}


def digest(words):
    return hashlib.sha256(" ".join(map(str, words)).encode()).hexdigest()


def test_the_order_is_that_of_lc0():
    names = [
        chess.SQUARE_NAMES[origin] + chess.SQUARE_NAMES[target] + LETTERS[piece]
        for origin, target, piece in all_moves()
    ]
    assert len(names) == MOVES
    assert digest(names) == "c4c47aca96e213995c772d1aab24498e3ad9c91209d3467889f20fa1a10678dd"


def test_places_in_convolution_and_attention_policies_are_those_of_lc0():
    assert digest(convolution_places()) == "90ac6847581b31a9f0dcd0f63bddf63e7be23f92fbb359a7f0beb5679d6c718c"
    assert digest(attention_places()) == "b3129ec3962d1bfc8ac72b115fe774eb2f120a9774c5268c7cdbcdbe319e4bdc"


def test_every_kind_of_move_has_its_place():
    fen = "r3k3/1P5p/8/3pP3/8/8/8/R3K2R w KQq d6 0 2"
    position, table = Position(fen), table_of_moves()
    moves = all_moves()
    for code in position.move_codes:
        uci = position.uci(code).replace("e1g1", "e1h1").replace("e1c1", "e1a1").removesuffix("n")
        origin, target, piece = moves[table[code]]
        assert uci == chess.SQUARE_NAMES[origin] + chess.SQUARE_NAMES[target] + LETTERS[piece]
    assert len(np.unique(table[table >= 0])) == MOVES
