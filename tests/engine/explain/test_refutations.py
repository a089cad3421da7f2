"""Refutations against a strong engine: the reply that is named is about as good as its best one."""

import random
import shutil
from pathlib import Path

import chess
import chess.engine
import pytest

from engine.explain.explain import answer
from engine.explain.verdict import Verdict
from engine.search.clock import Limits
from movegen import Position
from tests.engine.report.searches import new_searcher

STOCKFISH = shutil.which("stockfish") or "/usr/games/stockfish"
VISITS = 10_000
NODES, TOLERANCE, LEAST_AGREEING = 100_000, 50, 0.9


@pytest.fixture(scope="module")
def stockfish():
    if not Path(STOCKFISH).is_file():
        pytest.skip("there is no stockfish here: refutations are not compared with those of a strong engine")
    with chess.engine.SimpleEngine.popen_uci(STOCKFISH) as engine:
        engine.configure({"Hash": 64, "Threads": 1})
        yield engine


def game_positions(engine, count, seed):
    """Positions of games that a strong engine played in a hurry, with a random move now and then."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        board = chess.Board()
        for ply in range(rng.randint(12, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            by_chance = ply < 4 or rng.random() < 0.1
            limit = chess.engine.Limit(nodes=500)
            board.push(rng.choice(moves) if by_chance else engine.play(board, limit).move)
        if not board.is_game_over(claim_draw=True):
            found.append(board)
    return found


def refutations(board):
    """The moves that are called refuted, and the replies that refute them."""
    searcher = new_searcher(Hash=64)
    searcher.set_position(Position(board.fen()), None)
    searcher.go(Limits(nodes=VISITS))
    searcher.wait()
    for row in searcher.report().rows():
        result = answer(searcher.report(), row.uci)
        if result.verdict is Verdict.REFUTED:
            yield row.uci, result.replies[0].uci


def loss_of(engine, board, reply):
    """How many centipawns a reply is worse than the best one."""
    limit = chess.engine.Limit(nodes=NODES)
    scores = []
    for moves in (None, [chess.Move.from_uci(reply)]):
        info = engine.analyse(board, limit, root_moves=moves, game=object())
        scores.append(info["score"].relative.score(mate_score=10_000))
    return scores[0] - scores[1]


@pytest.mark.parametrize(
    ("positions", "least"),
    [pytest.param(20, 3, marks=pytest.mark.slow), pytest.param(550, 200, marks=pytest.mark.soak)],
)
def test_replies_that_refute_are_those_of_a_strong_engine(stockfish, positions, least):
    losses = []
    for board in game_positions(stockfish, positions, seed=1):
        for move, reply in refutations(board):
            after = board.copy()
            after.push_uci(move)
            losses.append(loss_of(stockfish, after, reply))
    agreeing = sum(loss <= TOLERANCE for loss in losses) / len(losses)
    assert len(losses) >= least
    assert agreeing >= LEAST_AGREEING
