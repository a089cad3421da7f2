"""What `eval` prints, against python-chess and a network in floats, and against the statistics of a sample."""

import math
import re

import chess
import pytest

from engine.network.weights_file import load_weights
from engine.report.move_stats import centipawns
from engine.report.static_eval import EVAL_GAMES, evaluate_by_network, evaluate_by_playouts, without_each_piece
from engine.uci.other_commands import network_lines, playout_lines
from movegen import Position
from tests.engine.network import nets, reference

MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
CASTLING = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"
EXPOSED = "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1"  # without the white rook White is in check, without the black one Black


@pytest.fixture(scope="module")
def network():
    return load_weights().network


def judge_by_network(position, network):
    return network_lines(evaluate_by_network(position, network), position.turn)


def judge_by_playouts(position, network, seed):
    return playout_lines(evaluate_by_playouts(position, network, seed), position.turn)


def score_of(network, board):
    """The score of the player to move, in floats."""
    win, draw, _ = nets.softmax(nets.outcome_logits(nets.as_floats(network)[0], reference.inputs(board)))
    return win + draw / 2


@pytest.mark.parametrize("fen", [MIDDLEGAME, CASTLING])
def test_what_each_piece_adds_is_a_difference_of_scores(network, fen):
    board = chess.Board(fen)
    lines = judge_by_network(Position(fen), network)
    score = score_of(network, board)
    assert float(re.search(r"score (\d\.\d+)", lines[0]).group(1)) == pytest.approx(score, abs=0.01)
    found = dict(
        re.fullmatch(r"(\w on \w\d): ([+-]\d\.\d{3}) score", line).groups() for line in lines if " on " in line
    )
    for square, piece in board.piece_map().items():
        name = f"{piece.symbol()} on {chess.square_name(square)}"
        other = board.copy(stack=False)
        other.remove_piece_at(square)
        other.castling_rights = chess.BB_EMPTY
        if piece.piece_type == chess.KING or other.was_into_check():
            assert name not in found
        else:
            assert float(found[name]) == pytest.approx(score - score_of(network, other), abs=0.01)


HANGING_QUEEN = "6k1/5ppp/8/7q/8/8/5PP1/3Q2K1 w - - 0 1"


def test_with_quiescence_it_is_what_the_search_takes_for_a_leaf(network):
    """A queen hangs: the value is that after it is taken."""
    position = Position(HANGING_QUEEN)
    quiet, plain = (evaluate_by_network(position, network, after_captures) for after_captures in (True, False))
    taken = evaluate_by_network(position.play("Qxh5"), network, after_captures=False)
    assert quiet.outcome.score == pytest.approx(1 - taken.outcome.score, abs=1e-6)
    assert quiet.outcome.score > plain.outcome.score
    (rest,) = [other for square, _, other in without_each_piece(position) if square == "d1"]
    alone = evaluate_by_network(rest, network, after_captures=True).outcome.score
    assert {piece.square: piece.difference for piece in quiet.pieces}["d1"] == pytest.approx(
        quiet.outcome.score - alone
    )


def test_a_piece_that_shields_the_waiting_king_stays():
    names = [(square, piece) for square, piece, _ in without_each_piece(Position(EXPOSED))]
    assert names == [("e2", "R")]


def test_priors_come_last_the_highest_first(network):
    lines = [line for line in judge_by_network(Position(MIDDLEGAME), network) if "prior" in line]
    shares = [float(line.split()[-1].removesuffix("%")) for line in lines]
    assert len(lines) == chess.Board(MIDDLEGAME).legal_moves.count()
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=2.5)


@pytest.mark.jit
@pytest.mark.parametrize("fen", [MIDDLEGAME, "3qk3/8/8/8/8/8/P7/4K3 w - - 0 1", "3qk3/8/8/8/8/8/P7/4K3 b - - 0 1"])
def test_the_results_of_random_games_are_a_sample(network, fen):
    first, second = judge_by_playouts(Position(fen), network, seed=1)
    games, wins, draws, losses = map(int, re.findall(r"\d+", first))
    assert games == EVAL_GAMES == wins + draws + losses
    score, error = map(float, re.findall(r"\d\.\d+", second)[:2])
    results = [1.0] * wins + [0.5] * draws + [0.0] * losses
    mean = sum(results) / games
    spread = math.sqrt(sum((result - mean) ** 2 for result in results) / games / games)
    assert score == pytest.approx(mean, abs=0.0006)
    assert error == pytest.approx(spread, abs=0.0006)
    assert f", {centipawns(mean)} centipawns" in second
    if "q" in fen.split()[0] and "Q" not in fen.split()[0]:
        assert (wins > losses) == fen.split()[1].startswith("b")
