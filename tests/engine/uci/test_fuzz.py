"""Random commands in all states: no crash, no hang, one legal move for each `go`, a sound tree at the end."""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.mcts.tree import new_tree
from engine.report.tree_file import load
from engine.uci.session import Session
from engine.warmup import compile_all, is_warm, parts_of_games
from tests.engine.mcts.invariants import check_invariants
from tests.engine.uci.fuzz import Fuzzer, play
from tests.engine.uci.process import Process

SOAK_SECONDS = float(os.environ.get("TERESA_SOAK_SECONDS", "3600"))
WITHOUT = tuple(filter(None, os.environ.get("TERESA_FUZZ_WITHOUT", "").split(",")))  # names of commands and options
SECONDS_EACH = 12  # of one process


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    if not is_warm():
        compile_all(parts_of_games())


class Heard:
    """What an engine says, kept for later."""

    def __init__(self, engine):
        self._engine, self._lines = engine, []

    def __call__(self):
        while not self._engine.lines.empty():
            line = self._engine.lines.get()
            assert line is not None, "the engine ended"
            self._lines.append(line)
        return self._lines


def fuzz_process(environment, folder, seed, seconds):
    """One engine, from its start to its end."""
    fuzzer, engine = Fuzzer(random.Random(seed), folder, WITHOUT), Process(environment)
    heard = Heard(engine)
    try:
        play(fuzzer, engine.send, heard, seconds)
        engine.send("setoption name UCI_LimitStrength value false")  # a low rating stops after a few visits
        engine.ask("ucinewgame", "position startpos", "go nodes 2000", seconds=60)
        if "savetree" not in WITHOUT:
            engine.ask(f"savetree {folder / 'end.npz'}", until="info string", seconds=60)
            check_saved(folder / "end.npz")
        engine.send("go infinite")  # ended by the end of input
        engine.process.stdin.close()
        assert engine.end(seconds=60) == (0, "")
    except BaseException:
        engine.process.kill()
        show(fuzzer, heard._lines)
        print(f"seed {seed}, status {engine.end()[0]}")
        raise


def show(fuzzer, lines):
    """Print what was sent and answered, to find out what is wrong."""
    (fuzzer.folder / "commands.txt").write_text("\n".join(fuzzer.commands))
    (fuzzer.folder / "answers.txt").write_text("\n".join(lines))
    print(f"{fuzzer.folder}: commands.txt, answers.txt")
    print("commands:", *fuzzer.commands[-60:], "answers:", *lines[-40:], sep="\n")


def check_saved(path):
    tree = new_tree(16)
    load(path).fill(tree)
    assert check_invariants(tree) > 1


def fuzz_processes(environment, folder, seed, seconds):
    """One after the other."""
    end, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        place = folder / str(number)
        place.mkdir()
        fuzz_process(environment, place, f"{seed} {number}", min(SECONDS_EACH, end - time.perf_counter()))
        number += 1


@pytest.mark.slow
def test_random_commands_over_pipes(environment, tmp_path):
    """Two at a time: they mostly wait."""
    folders = [tmp_path / "first", tmp_path / "second"]
    with ThreadPoolExecutor(len(folders)) as pool:
        for folder in folders:
            folder.mkdir()
        ends = [pool.submit(fuzz_process, environment, folder, folder.name, SECONDS_EACH) for folder in folders]
    for end in ends:
        end.result()


@pytest.mark.soak
def test_random_commands_for_an_hour(environment, tmp_path):
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    fuzz_processes(environment, tmp_path, seed, SOAK_SECONDS)


class Loaded:
    """A loader that has nothing to do."""

    is_ready, has_failed, seconds = True, False, 0.0

    def close(self):
        pass


@pytest.mark.slow
def test_the_tree_is_sound_after_random_commands(tmp_path):
    """In this process, where the tree of the engine itself can be looked at."""
    fuzz_sessions(tmp_path, range(2))


@pytest.mark.soak
def test_the_tree_is_sound_after_many_random_commands(tmp_path):
    fuzz_sessions(tmp_path, random.sample(range(10**9), 100))


def fuzz_sessions(tmp_path, seeds):
    for number in seeds:
        lines = []
        session, fuzzer = Session(lines.append, loader=Loaded()), Fuzzer(random.Random(number), tmp_path, WITHOUT)

        def send(*commands, session=session):
            for command in commands:
                assert session.queue.hear(command, time.perf_counter())

        def said(lines=lines):
            return "\n".join(lines).split("\n")

        try:
            play(fuzzer, send, said, 5)
            session.queue.finish(lambda: False)  # commands after the last search may clear the tree
            check_invariants(session.search.searcher.prepare())
        except BaseException:
            show(fuzzer, said())
            print(f"seed {number}")
            raise
        session.close()
