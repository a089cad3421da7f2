"""Whole games: no illegal move, no loss on time, nothing left behind."""

import gc
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import chess
import chess.engine
import pytest

from tests.engine.games import play
from tests.engine.process import TERESA

pytestmark = [pytest.mark.slow, pytest.mark.clock]


def opening(seed, chess960):
    """A few random moves from a start position."""
    rng = random.Random(seed)
    while True:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(6):
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return chess.Board(board.fen(), chess960=chess960)


def play_some(environment, seeds, seconds, increment):
    """Play games between two processes, and see that they are gone afterwards."""
    with (
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=30) as white,
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=30) as black,
    ):
        pids = [engine.transport.get_pid() for engine in (white, black)]
        white.configure({"Hash": 16})
        black.configure({"Hash": 1, "Threads": 2})
        for seed in seeds:
            white.ping()  # as GUIs do: the clock starts when both are ready
            black.ping()
            play(white, black, seconds=seconds, increment=increment, board=opening(seed, chess960=seed % 5 == 0))
    return pids


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def clean_clock():
    """Garbage runs over all that other tests have left take up to half a second, on the clock of whoever is to move."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def play_all(environment, games, seconds, increment):
    with ThreadPoolExecutor(2) as pool:
        halves = [range(games // 2), range(games // 2, games)]
        pids = list(pool.map(lambda seeds: play_some(environment, seeds, seconds, increment), halves))
    if sys.platform != "win32":
        end = time.perf_counter() + 10  # python-chess does not wait for them
        while any(is_running(pid) for pair in pids for pid in pair):
            assert time.perf_counter() < end, "a process is left"
            time.sleep(0.05)


def test_fast_games_against_itself(environment):
    play_all(environment, games=40, seconds=0.5, increment=0.01)


@pytest.mark.soak
def test_hundreds_of_fast_games_against_itself(environment):
    play_all(environment, games=300, seconds=1.0, increment=0.01)


def test_a_tenth_of_a_second_for_each_move(environment):
    """The move comes within the time: with what the GUI loses itself, and no more than five times that."""
    with chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=30) as engine:
        engine.ping()
        board, worst = chess.Board(), 0.0
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            begin = time.perf_counter()
            board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)
            worst = max(worst, time.perf_counter() - begin)
    assert worst < 0.5
