"""Quiescence against a search without cut-offs: the network's values, exchanges played out with python-chess."""

import chess
import numpy as np
import pytest

from engine.network.architecture import VALUE_UNIT, new_scratch
from engine.network.batch import quiet_values_of, values_of
from engine.network.weights_file import load_weights
from tests.engine.network.boards import board_words
from tests.engine.network.test_captures import RARE, winning
from tests.positions import random_positions

NET = load_weights().network
PLIES = 2


def shares_of(kernel, boards):
    shares = np.zeros((len(boards), 3), dtype=np.int64)
    kernel(NET, new_scratch(NET), board_words(boards), shares)
    return [tuple(row) for row in shares.tolist()]


def slow_quiet_points(board, plies, known):
    """Two for a win and one for a draw, for the player to move: the value, or the best winning capture."""
    best = known[board.fen()]
    for move in board.legal_moves if plies else ():
        if winning(board, move):
            after = board.copy(stack=False)
            after.push(move)
            best = max(best, 2 * VALUE_UNIT - slow_quiet_points(after, plies - 1, known))
    return best


def all_positions(board, plies):
    """The position and those after winning captures."""
    yield board
    for move in board.legal_moves if plies else ():
        if winning(board, move):
            after = board.copy(stack=False)
            after.push(move)
            yield from all_positions(after, plies - 1)


@pytest.mark.thorough
def test_quiet_values_are_those_of_a_search_without_cut_offs(scaled):
    boards = [board.copy(stack=False) for board in random_positions(scaled(1500, plain=25), seed=16)]
    boards += [chess.Board(fen) for fen in RARE]
    everything = [position for board in boards for position in all_positions(board, PLIES)]
    plain = shares_of(values_of, everything)
    known = {board.fen(): 2 * win + draw for board, (win, draw, _) in zip(everything, plain, strict=True)}
    changed = 0
    for board, (win, draw, loss) in zip(boards, shares_of(quiet_values_of, boards), strict=True):
        assert win + draw + loss == VALUE_UNIT
        assert 2 * win + draw == slow_quiet_points(board, PLIES, known), board.fen()
        changed += 2 * win + draw != known[board.fen()]
    assert changed > len(boards) // 10


def test_a_queen_that_hangs_is_taken():
    hangs, defended = (
        chess.Board("3q2k1/8/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
        chess.Board("8/8/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    )
    defended.set_piece_at(chess.G8, chess.Piece.from_symbol("k"))
    taken = hangs.copy()
    taken.push_uci("d1d8")
    (quiet,), (plain,), (after,) = (
        shares_of(quiet_values_of, [hangs]),
        shares_of(values_of, [hangs]),
        shares_of(values_of, [taken]),
    )
    assert quiet == max(plain, after[::-1], key=lambda shares: 2 * shares[0] + shares[1])
    (same,), (before,) = shares_of(quiet_values_of, [defended]), shares_of(values_of, [defended])
    assert same == before
