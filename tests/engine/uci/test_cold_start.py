"""The very first start, with an empty cache, or with one that lacks a kernel: that is compiled sooner."""

import json
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import pytest

from engine.system.environment import command_line
from tests.engine.uci.games import play
from tests.engine.uci.process import TERESA, Process

pytestmark = pytest.mark.slow


@pytest.fixture
def cold(tmp_path, environment):
    """The environment of an engine that was never started."""
    return {**environment, "TERESA_CACHE_DIR": str(tmp_path)}


@pytest.fixture
def nearly_warm(copied_kernels):
    """The environment of an engine that must compile one kernel of the search, and does not know which."""
    folder, environment = copied_kernels
    command = [sys.executable, "-c", "from engine.warmup import ready_file; print(ready_file())"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    ready = Path(done.stdout.strip())
    assert ready.is_relative_to(folder)
    ready.unlink()
    missing = list(ready.parent.glob("proof.prove_root*"))
    assert missing
    for file in missing:
        file.unlink()
    return environment


@pytest.mark.parametrize("kernels", ["nearly_warm", pytest.param("cold", marks=pytest.mark.soak)])
def test_several_engines_started_at_once_answer_in_time_and_search(kernels, request):
    environment = request.getfixturevalue(kernels)
    engines = [Process(environment) for _ in range(2)]
    for engine in engines:
        engine.send("uci", "isready")
    starts = []
    for engine in engines:
        engine.until("uciok", seconds=5)
        starts += engine.until("readyok", seconds=15)  # one kernel may be compiled before
        assert time.perf_counter() - engine.started < 5 * 2
    for engine in engines:
        engine.send("position startpos", "go nodes 200")
    said = [engine.until("bestmove", seconds=150) for engine in engines]
    assert all(" nodes 200 " in lines[-2] for lines in said)  # the real search
    assert any("compiled" in line for lines in [starts, *said] for line in lines)
    for engine in engines:
        engine.quit_cleanly()


def play_at_once(environment, plies):
    with (
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=10) as white,
        chess.engine.SimpleEngine.popen_uci(TERESA, env=environment, timeout=10) as black,
    ):
        white.ping()
        black.ping()
        play(white, black, seconds=10.0, increment=0.1, plies=plies)


def test_a_game_that_starts_at_once_is_played_without_a_loss_on_time(nearly_warm):
    """In its middle the compiled search takes over from the simple player."""
    play_at_once(nearly_warm, plies=30)


@pytest.mark.soak
def test_a_game_that_starts_at_once_with_nothing_compiled_is_played_without_a_loss_on_time(cold):
    play_at_once(cold, plies=60)


def test_the_first_moves_are_sane(cold):
    """While compiling: it takes the mate, saves the queen, obeys `stop`, and answers `isready` during all that."""
    engine = Process(cold)
    engine.ask("uci", until="uciok")
    mate = engine.ask("position fen 6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "go movetime 1500")
    assert mate[-1] == "bestmove b1b8"
    assert " score mate 1 " in mate[-2]
    board = chess.Board("rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 0 3")
    lines = engine.ask(f"position fen {board.fen()}", "go wtime 3000 btime 3000")
    board.push_uci(lines[-1].split()[1])
    queen = board.pieces(chess.QUEEN, chess.BLACK).pop()
    assert not board.is_attacked_by(chess.WHITE, queen)
    engine.send("go infinite", "isready")
    assert not any(line.startswith("bestmove") for line in engine.until("readyok"))
    assert engine.ask("stop", seconds=5)[-1].startswith("bestmove")
    engine.quit_cleanly()


def test_quit_during_compilation_leaves_no_process(tmp_path, cold):
    engine = Process(cold)
    engine.ask("uci", until="uciok")
    time.sleep(1)
    engine.quit_cleanly()
    before = sorted(tmp_path.rglob("*"))
    time.sleep(2)
    assert sorted(tmp_path.rglob("*")) == before  # nothing compiles any more


def test_piped_commands_wait_for_the_compiler_whatever_the_working_folder_holds(nearly_warm, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("engine", "movegen", "perft"):
        (folder / f"{name}.py").write_text(f"open('{name} was run', 'w')")
    text = "position startpos moves e2e4\ngo nodes 300\nmoves\nd\n"
    run = subprocess.run(
        command_line(),
        env=nearly_warm,
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"engine.py", "movegen.py", "perft.py"}
    lines = run.stdout.splitlines()
    assert any("compiled after" in line for line in lines)
    assert not any("simple player answers" in line for line in lines)
    best = next(number for number, line in enumerate(lines) if line.startswith("bestmove"))
    assert " nodes 300 " in lines[best - 1]
    assert sum(" WDL " in line for line in lines[best:]) == 20
    assert lines[-2] == "To move: black"


def test_an_analysis_from_python_counts_its_time_after_the_compiler(nearly_warm):
    program = (
        "import engine, json\n"
        "analysis = engine.analyse('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1', seconds=0.5, options={'Hash': 8})\n"
        "print(json.dumps(analysis.summary()))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], env=nearly_warm, capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stderr.startswith("first start: the search is being compiled")
    summary = json.loads(run.stdout)
    assert summary["visits"] > 100
    assert summary["seconds"] < 5
