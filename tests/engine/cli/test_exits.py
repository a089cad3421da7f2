"""Ctrl-C, closed pipes and hostile working folders: no command ends with a traceback, no foreign code is run."""

import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.system.environment import PROGRAM, command_line
from tests.engine.uci.process import TERESA, Process

GAME = '[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n'
PROBLEM = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - bm O-O;\n"

can_signal = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")


@pytest.fixture
def commands(tmp_path):
    """Commands that search, by name."""
    (tmp_path / "game.pgn").write_text(GAME * 3)
    (tmp_path / "suite.epd").write_text(PROBLEM * 50)
    return {
        "analyse": ["analyse", "--seconds", "60"],
        "bench": ["bench", "--nodes", "1000000"],
        "epd": ["epd", str(tmp_path / "suite.epd"), "--movetime", "2000"],
        "explore": ["explore", "--no-browser"],
        "perft": ["perft", "20"],
        "play": ["play"],
        "review": ["review", str(tmp_path / "game.pgn"), "--seconds", "20"],
        "warmup": ["warmup"],
    }


class Run:
    """A command whose standard error is read line by line."""

    def __init__(self, words, environment, *switches):
        command = [sys.executable, *switches, "-m", "engine", *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True
        )
        self.lines = []

    def read_until(self, text, lines_more=0):
        """Until a line of standard error holds a text, and some lines more."""
        guard = threading.Timer(120, self.process.kill)
        guard.start()
        for line in self.process.stderr:
            self.lines.append(line.rstrip())
            if text in line:
                break
        for _ in range(lines_more):
            self.lines.append(self.process.stderr.readline().rstrip())
        guard.cancel()

    def interrupt(self):
        """-> status, and what was said on standard error, without the list of imports."""
        self.process.send_signal(signal.SIGINT)
        _, rest = self.process.communicate(timeout=60)
        said = [*self.lines, *rest.splitlines()]
        return self.process.returncode, [line for line in said if not line.startswith("import time")]


COMMANDS = ("analyse", "bench", "epd", "explore", "perft", "play", "review", "warmup")
# The first imports are the same for all commands: two of them are enough.
IMPORTS = [
    pytest.param(name, imports, marks=[] if imports > 20 or name in ("analyse", "perft") else pytest.mark.soak)
    for name in COMMANDS
    for imports in (0, 20, 150, 400)
]


@can_signal
@pytest.mark.slow
@pytest.mark.parametrize(("name", "imports"), IMPORTS)
@pytest.mark.usefixtures("warm")
def test_ctrl_c_while_modules_are_imported(name, imports, commands, environment):
    """At the same point on a fast and a slow machine: after a number of imports."""
    run = Run(commands[name], environment, "-X", "importtime")
    run.read_until("perft.exits", imports)
    status, said = run.interrupt()
    assert (status, said) == (130, ["teresa: interrupted"])


@can_signal
@pytest.mark.slow
@pytest.mark.parametrize("name", ["analyse", "bench", "epd", "explore", "play", "review"])
def test_ctrl_c_while_kernels_are_compiled(name, commands, environment, tmp_path):
    run = Run(commands[name], {**environment, "TERESA_CACHE_DIR": str(tmp_path / "cache")})
    run.read_until("first start")
    status, said = run.interrupt()
    assert status == 130
    assert said == ["first start: the search is being compiled, which takes 20 to 60 seconds", "teresa: interrupted"]


@can_signal
@pytest.mark.parametrize(
    ("words", "shown", "expected"),
    [
        (["gomoku", "--size", "3", "--win", "3"], " 3 . . .", (130, "teresa: interrupted\n")),
        (
            ["gomoku", "--size", "19", "--simulations", "9999999", "--second"],
            "in a row",
            (130, "teresa: interrupted\n"),
        ),
        (["explore", "--no-browser"], "(Ctrl-C ends it)", (0, "")),
    ],
)
@pytest.mark.usefixtures("warm")
def test_ctrl_c_while_a_command_waits_or_thinks(words, shown, expected, environment):
    pipe = subprocess.PIPE
    variables = {**environment, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*TERESA, *words], env=variables, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert any(shown in line for line in process.stdout)
    time.sleep(0.5)  # it waits for input, or thinks
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == expected


@can_signal
@pytest.mark.slow
@pytest.mark.parametrize(("cold", "times"), [(True, 4), (False, 4), pytest.param(False, 40, marks=pytest.mark.soak)])
def test_ctrl_c_and_the_end_of_input_together(environment, tmp_path, cold, times):
    """In a terminal both come: a search that begins, one that ends, kernels that are being loaded."""
    variables = {**environment, "TERESA_CACHE_DIR": str(tmp_path)} if cold else environment
    for number in range(times):
        engine = Process(variables)
        engine.ask("uci", until="uciok", seconds=60)
        if number % 4 > 1 and not cold:
            engine.ask("isready", until="readyok", seconds=60)
        engine.send("go infinite")
        if number % 2:
            engine.process.stdin.close()
        engine.process.send_signal(signal.SIGINT)
        assert engine.end(seconds=60) == (0, "")


PROGRAM_THAT_ENDS = """
import atexit, os, signal, sys, time
from perft.exits import run_as_program

def interrupt(act=os.kill, wait=time.sleep, arguments=(os.getpid(), signal.SIGINT)):
    act(*arguments)
    wait(0.5)

class Late:
    def __del__(self, interrupt=interrupt):
        interrupt()

def command():
    print("done", flush=True)
    if sys.argv[1] == "early":
        atexit.register(interrupt)
    elif sys.argv[1] == "late":
        sys.late = Late()
    return 0

sys.exit(run_as_program("program", command))
"""


@can_signal
@pytest.mark.parametrize(
    ("moment", "expected"),
    [("never", (0, "done\n", "")), ("early", (130, "done\n", "program: interrupted\n")), ("late", (0, "done\n", ""))],
)
def test_ctrl_c_after_the_end_of_a_command(moment, expected, environment):
    """While Python tidies up: first what it calls at exit, then its modules."""
    command = [sys.executable, "-c", PROGRAM_THAT_ENDS, moment]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == expected


@pytest.mark.parametrize("buffered", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("name", ["analyse", "bench", "epd", "review"])
@pytest.mark.usefixtures("warm")
def test_a_closed_pipe_ends_a_command_quietly(name, commands, environment, buffered):
    short = {"analyse": ["--visits", "50"], "bench": ["--nodes", "50"], "epd": ["--nodes", "50"]}
    words = {"epd": commands["epd"][:2], "review": [*commands["review"][:2], "--visits", "50"]}.get(name, [name])
    variables = {name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"} | buffered
    process = subprocess.Popen(
        [*TERESA, *words, *short.get(name, [])], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (141, b"")


@pytest.mark.parametrize("words", [["bench", "--nodes", "50"], ["perft", "2", "--divide"], ["--help"], []])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_behind_standard_output_is_reported(words, environment):
    variables = {name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*TERESA, *words],
            env=variables,
            input=b"d\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1] == b"teresa: standard output: No space left on device"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    "words", [["bench", "--nodes", "50"], ["perft", "2"], ["--version"], ["analyse", "--visits=9"]]
)
def test_a_command_without_standard_output(words, environment):
    """As daemons start programs: the streams are not there."""
    run = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *TERESA, *words],
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0
    assert b"Traceback" not in run.stderr


@pytest.mark.parametrize("words", [["--help"], ["bench", "--help"], ["--version"]])
def test_help_into_a_closed_pipe(words, environment):
    variables = {name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen([*TERESA, *words], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (141, b"")


def test_letters_that_a_console_lacks_are_no_error(environment):
    variables = {**environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    commands = "setoption name Evaluator value Playout\neval\n"  # ± is in the answer
    run = subprocess.run(TERESA, env=variables, input=commands.encode(), capture_output=True, timeout=120, check=True)
    assert b"score 0." in run.stdout
    assert run.stderr == b""


# Child processes


@pytest.fixture
def hostile(tmp_path):
    """A folder with files that have the names of modules."""
    for name in ("engine", "movegen", "perft", "argparse", "signal", "webbrowser", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py of the working folder was run')\n")
    return tmp_path


def test_a_child_runs_this_package_whatever_the_working_folder_holds(hostile, environment):
    run = subprocess.run(command_line("--version"), cwd=hostile, env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.startswith(b"Teresa ")


def test_a_child_runs_a_folder_of_sources_that_is_not_installed(hostile, environment, tmp_path_factory):
    home, sources = tmp_path_factory.mktemp("sources"), Path(command_line()[-1])
    for package in ("engine", "movegen", "perft"):  # without what a build leaves next to them
        shutil.copytree(sources / package, home / package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-S", "-P", "-c", PROGRAM, str(home), "--version"]  # -S: nothing is installed
    environment = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, cwd=hostile, env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout.startswith(b"Teresa (not installed)")
