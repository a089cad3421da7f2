"""Whole games: no illegal move, no loss on time, nothing left behind.

Also on a busy machine: a game is lost by the engine only if it had the processor and was too slow.
"""

import contextlib
import gc
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.engine
import pytest

from tests.engine.uci.games import LARGEST_OWN_SHARE, opening, play
from tests.engine.uci.process import TERESA, Process
from tests.engine.uci.waiting import IS_MEASURED, Sample, Watched, waited

PROJECT = Path(__file__).parents[3]
HELD_UP = [sys.executable, "-m", "tests.engine.uci.held_up"]
RAW_GAMES = [sys.executable, "-m", "tests.engine.uci.raw_games"]
pytestmark = [pytest.mark.slow, pytest.mark.clock]


def play_some(environment, seeds, seconds, increment, starved):
    """Play games between two processes; -> their numbers."""
    with (
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=120) as white,
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=120) as black,
    ):
        pids = [engine.transport.get_pid() for engine in (white, black)]
        white.configure({"Hash": 16})
        black.configure({"Hash": 1, "Threads": 2})
        for seed in seeds:
            white.ping()  # as GUIs do: the clock starts when both are ready
            black.ping()
            board = opening(seed, chess960=seed % 5 == 0)
            play(white, black, seconds=seconds, increment=increment, board=board, starved=starved)
    return pids


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(autouse=True)
def clean_clock():
    """Garbage runs over all that other tests have left take up to half a second, on the clock of the player to move."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def play_all(environment, games, seconds, increment):
    starved = []
    with ThreadPoolExecutor(2) as pool:
        halves = [range(games // 2), range(games // 2, games)]
        pids = list(pool.map(lambda seeds: play_some(environment, seeds, seconds, increment, starved), halves))
    print(f"{games} games, {len(starved)} ended because a process waited too long for a processor", *starved, sep="\n")
    if sys.platform != "win32":
        end = time.perf_counter() + 10  # python-chess does not wait for them
        while any(is_running(pid) for pair in pids for pid in pair):
            assert time.perf_counter() < end, "a process is left"
            time.sleep(0.05)


@contextlib.contextmanager
def busy_processes(count):
    """Others that want the processors all the time."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield [other.pid for other in others]
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_fast_games_against_itself(environment):
    play_raw(environment, games=40, seconds=0.5)


def test_games_through_python_chess(environment):
    play_all(environment, games=4, seconds=2.0, increment=0.05)


def play_raw(environment, games, seconds=1.0):
    """Two games at a time; a loss on time must be a wait for the processor, longer than what the clock showed."""
    found = []
    with contextlib.ExitStack() as stack:
        drivers = [
            stack.enter_context(
                subprocess.Popen(
                    [*RAW_GAMES, str(first), str(first + games // 2), "--seconds", str(seconds)],
                    cwd=PROJECT,
                    env=environment,
                    stdout=subprocess.PIPE,
                )
            )
            for first in (0, games // 2)
        ]
        for driver in drivers:
            found += [json.loads(line) for line in driver.stdout]
            assert driver.wait() == 0
    lost = [game["lost"] for game in found if "lost" in game]
    print(f"{len(found)} games, {len(lost)} lost on time", *lost, sep="\n")
    assert len(found) == games
    for loss in lost:
        assert loss["last_wait"] >= loss["last_clock"], loss
        assert loss["given"] - loss["waited"] <= LARGEST_OWN_SHARE * loss["given"], loss


def test_games_on_a_busy_machine(environment):
    with busy_processes(6):
        play_raw(environment, games=10)


@pytest.mark.soak
def test_hundreds_of_games_on_a_busy_machine(environment):
    with busy_processes(6):
        play_raw(environment, games=200)


def test_a_wait_is_the_share_of_the_processors_that_was_wanted_and_not_had():
    samples = [Sample(0.1 * step, 1, 0.025 * step) for step in range(11)]  # a quarter of what it wants
    assert waited(samples, 0.0, 1.0) == pytest.approx(0.75)
    assert waited([sample._replace(runnable=0) for sample in samples], 0.0, 1.0) == 0.0  # it sleeps
    assert waited([sample._replace(cpu=sample.moment) for sample in samples], 0.0, 1.0) == pytest.approx(0.0)  # slow
    both = [sample._replace(runnable=2) for sample in samples]  # two threads, an eighth of what they want
    assert waited(both, 0.0, 1.0) == pytest.approx(0.875)
    assert waited([], 0.0, 1.0) == 0.0


@pytest.mark.skipif(not IS_MEASURED, reason="waits are not to be seen on this system")
def test_waits_of_real_processes():
    """Of those that want more processors than there are, some wait; one that sleeps does not."""
    with (
        busy_processes(4 * (os.cpu_count() or 1)) as pids,
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as sleeper,
        Watched(pids[0]) as busy,
        Watched(sleeper.pid) as idle,
    ):
        time.sleep(0.5)  # it has started
        for watched in (busy, idle):
            watched.begin()
        begin = time.perf_counter()
        time.sleep(2.0)
        end = time.perf_counter()
        shares = [waited(watched.samples, begin, end) / (end - begin) for watched in (busy, idle)]
        sleeper.kill()
    assert shares[0] > 0.3
    assert shares[1] < 0.1


@pytest.mark.soak
def test_hundreds_of_fast_games_against_itself(environment):
    play_raw(environment, games=300)


def test_a_tenth_of_a_second_for_each_move(environment):
    """The move comes within the time: with what the GUI loses itself, and no more than five times that."""
    with (
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=120) as engine,
        Watched(engine.transport.get_pid()) as watched,
    ):
        engine.ping()
        board, worst = chess.Board(), 0.0
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            watched.begin()
            begin = time.perf_counter()
            board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)
            end = time.perf_counter()
            worst = max(worst, end - begin - watched.waited(begin, end))
    assert worst < 0.5


@pytest.mark.parametrize("limit", ["movetime 200", "wtime 1000 btime 1000"])
def test_more_threads_than_processors_do_not_overrun_the_clock(environment, limit):
    """Though the first of them never comes to look at it: if nothing else did, the engine would not answer at all.

    The best of some moves, and a wide bound: on a busy machine all the threads wait for a processor.
    """
    engine = Process(environment, HELD_UP, cwd=PROJECT)
    threads = f"setoption name Threads value {min(64, 16 * (os.cpu_count() or 1))}"
    # `d` waits for the kernels: moves of the player that answers before say nothing of threads.
    engine.ask(threads, "setoption name Hash value 16", "d", until="Fen: ", seconds=600)
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        lines = engine.ask("ucinewgame", "position startpos", f"go {limit}", seconds=120)
        seconds.append(time.perf_counter() - begin)
        assert not any("simple player" in line for line in lines)
    assert min(seconds) < 5.0, seconds
    engine.quit_cleanly()
