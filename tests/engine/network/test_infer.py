import math

import chess
import numba
import numpy as np
import pytest

from engine.network.architecture import LOGIT_BITS, PRIOR_UNIT, VALUE_UNIT, new_scratch
from engine.network.batch import move_logits_of, moves_of, values_of
from engine.network.infer import ONE_EXP, PLAIN_SHARPNESS, exp_of_minus, sharpness
from engine.training.fit.quantise import quantise
from movegen.moves import MAX_MOVES
from tests.engine.network import nets, reference
from tests.engine.network.boards import board_words, code_to_move
from tests.engine.network.compiled import outcome_logits_of, priors_of
from tests.positions import random_positions

UNIT = 1 << LOGIT_BITS


@pytest.fixture(scope="module")
def boards(scaled):
    return [board.copy(stack=False) for board in random_positions(scaled(2000), seed=8)]


@pytest.fixture(scope="module")
def words(boards):
    return board_words(boards)


@pytest.fixture(scope="module")
def floats():
    return nets.random_floats()


@pytest.fixture(scope="module")
def network(floats):
    return quantise(*floats)


def values(network, words):
    shares = np.zeros((len(words), 3), dtype=np.int64)
    values_of(network, new_scratch(network), words, shares)
    return shares


def priors(network, words, how_sharp=PLAIN_SHARPNESS):
    moves = np.zeros((len(words), MAX_MOVES), dtype=np.uint16)
    found, counts = np.zeros_like(moves), np.zeros(len(words), dtype=np.int64)
    priors_of(network, new_scratch(network), words, how_sharp, moves, found, counts)
    return moves, found, counts


@pytest.mark.thorough
def test_outcome_logits_are_those_of_the_float_reference(network, boards, words):
    logits = np.zeros((len(words), 3), dtype=np.int64)
    outcome_logits_of(network, new_scratch(network), words, logits)
    weights, _ = nets.as_floats(network)
    expected = [nets.outcome_logits(weights, reference.inputs(board)) for board in boards]
    assert np.abs(logits / UNIT - expected).max() < 2 / UNIT  # whole numbers throughout: only the last shift rounds


def test_move_logits_are_those_of_the_float_reference(network, boards, words):
    moves = np.zeros((len(words), MAX_MOVES), dtype=np.uint16)
    logits, counts = np.zeros(moves.shape, dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    move_logits_of(network, new_scratch(network), words, moves, logits, counts)
    rows, starts = np.zeros((moves.size, 4), dtype=np.uint16), np.zeros(len(words) + 1, dtype=np.int64)
    found = np.zeros(MAX_MOVES, dtype=np.uint16)
    moves_of(words, np.arange(len(words)), found, np.zeros(moves.size, dtype=np.uint16), rows, starts)
    _, weights = nets.as_floats(network)
    for line, board in enumerate(boards):
        if counts[line]:
            expected = nets.move_logits(weights, reference.inputs(board), rows[starts[line] : starts[line + 1]])
            assert np.abs(logits[line, : counts[line]] / UNIT - expected).max() < 0.15, board.fen()


def test_quantisation_changes_little(floats, network, boards, words):
    weights = floats[0]
    shares = values(network, words) / VALUE_UNIT
    expected = [nets.softmax(nets.outcome_logits(weights, reference.inputs(board))) for board in boards]
    assert np.abs(shares - expected).max() < 0.05
    assert np.abs(shares - expected).mean() < 0.005


def test_shares_add_up_and_follow_the_logits(network, words):
    shares = values(network, words)
    assert (shares.sum(axis=1) == VALUE_UNIT).all()
    assert (shares >= 0).all()
    logits = np.zeros((len(words), 3), dtype=np.int64)
    outcome_logits_of(network, new_scratch(network), words, logits)
    expected = np.array([nets.softmax(line / UNIT) for line in logits])
    assert np.abs(shares / VALUE_UNIT - expected).max() < 4e-6


@pytest.mark.thorough
def test_priors_are_over_exactly_the_legal_moves(network, boards, words):
    moves, found, counts = priors(network, words)
    for line, board in enumerate(boards):
        copy = board.copy(stack=False)
        copy.chess960 = True
        actual = {code_to_move(code, copy) for code in moves[line, : counts[line]]}
        assert actual == set(copy.legal_moves)
        assert not found[line, counts[line] :].any()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_priors_are_a_softmax_of_the_logits(network, words, temperature):
    _, found, counts = priors(network, words, sharpness(temperature))
    moves = np.zeros((len(words), MAX_MOVES), dtype=np.uint16)
    logits = np.zeros(moves.shape, dtype=np.int64)
    move_logits_of(network, new_scratch(network), words, moves, logits, np.zeros(len(words), dtype=np.int64))
    for line, count in enumerate(counts):
        if count:
            actual = found[line, :count].astype(np.int64)
            assert actual.min() >= 1
            assert PRIOR_UNIT - count <= actual.sum() <= PRIOR_UNIT
            expected = nets.softmax(logits[line, :count] / UNIT / temperature)
            assert np.abs(actual / PRIOR_UNIT - expected).max() < 0.002


def test_colours_and_wings_do_not_matter(network, boards):
    """A position, the same with colours exchanged, and (without castling) its image in a mirror."""
    plain = [board for board in boards if not board.castling_rights]
    shares = values(network, board_words(plain))
    assert (values(network, board_words([board.mirror() for board in plain])) == shares).all()
    images = [board.transform(chess.flip_horizontal) for board in plain]
    assert (values(network, board_words(images)) == shares).all()


def test_mirrored_positions_have_the_same_priors(network, boards):
    plain = [board for board in boards if not board.castling_rights and board.king(board.turn) is not None]
    images = [board.transform(chess.flip_horizontal) for board in plain]
    here, there = priors(network, board_words(plain)), priors(network, board_words(images))
    for line in range(len(plain)):
        count = here[2][line]
        expected = dict(
            zip((here[0][line, :count] ^ (7 | 7 << 6)).tolist(), here[1][line, :count].tolist(), strict=True)
        )
        actual = dict(zip(there[0][line, :count].tolist(), there[1][line, :count].tolist(), strict=True))
        assert actual == expected


def test_nothing_of_one_position_is_left_for_the_next(network, words):
    scratch, shares = new_scratch(network), np.zeros((1, 3), dtype=np.int64)
    expected = values(network, words)
    for line in range(0, len(words), 50):
        values_of(network, scratch, words[line : line + 1], shares)
        assert (shares[0] == expected[line]).all()


@numba.njit
def exp_of_all(distances, results):
    for place in range(distances.size):
        results[place] = exp_of_minus(distances[place])


def test_exp_is_right_to_nine_digits():
    distances = np.concatenate((np.arange(0, 1 << 18, 37), [1 << 17, (1 << 17) - 1, 1 << 40])).astype(np.uint64)
    results = np.zeros_like(distances)
    exp_of_all(distances, results)
    expected = [math.exp(-float(distance) / (1 << LOGIT_BITS)) for distance in distances]
    assert np.abs(results / float(ONE_EXP) - expected).max() < 3e-9
    assert results[0] == ONE_EXP
    assert results[-1] == 0
