"""The command line, as a user meets it."""

import os
import re
import signal
import subprocess
import sys
import time
from importlib.abc import MetaPathFinder
from types import ModuleType, SimpleNamespace

import pytest

import perft
from perft.__main__ import main
from perft.suite import read_suite
from tests.conftest import JIT_DISABLED

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
needs_jit = pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")


def run(capsys, *arguments):
    """-> exit status, standard output, standard error."""
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


SPEED = re.compile(r"([0-9,]+\.[0-9]{2}) seconds, ([0-9,]+) nodes a second\n")


def test_a_count_ends_with_the_line_that_stockfish_prints(capsys):
    """Scripts read standard output; time and speed are for people."""
    status, output, errors = run(capsys, 3)
    assert (status, output) == (0, "\nNodes searched: 8902\n")
    assert SPEED.fullmatch(errors)


def test_the_speed_is_nodes_by_seconds(capsys, monkeypatch):
    clock = iter((100.0, 104.0))
    monkeypatch.setattr("perft.commands.load_kernels", lambda _with_memory: None)
    monkeypatch.setattr("perft.commands.Counter.perft", lambda *_: 10_000_000)
    monkeypatch.setattr("perft.commands.time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert run(capsys, 3)[2] == "4.00 seconds, 2,500,000 nodes a second\n"


def test_compiling_is_not_counting(capsys, monkeypatch):
    """The clock starts when the kernels are there."""
    seconds = [0.0]

    def compile_slowly(_with_memory):
        seconds[0] += 50.0

    monkeypatch.setattr("perft.commands.load_kernels", compile_slowly)
    monkeypatch.setattr("perft.commands.time", SimpleNamespace(monotonic=lambda: seconds[0]))
    for arguments in ([3], [2, "--divide"], ["--suite", "standard", "--max-nodes", "100"]):
        errors = run(capsys, *arguments)[2]
        assert SPEED.fullmatch(errors)[1] == "0.00"


@pytest.mark.parametrize(
    "arguments",
    [
        [2, ENDGAME],
        [2, *ENDGAME.split()],
        [2, "--threads", 1, ENDGAME],
        ["--threads", 1, 2, ENDGAME],
        ["--threads", 1, 2, *ENDGAME.split()],
        [2, "--fen", ENDGAME],
        ["--fen", ENDGAME, 2],
    ],
)
def test_the_position_is_given_bare_or_as_an_option(capsys, arguments):
    status, output, _ = run(capsys, *arguments)
    assert (status, output) == (0, "\nNodes searched: 191\n")


class PressesCtrlC(MetaPathFinder):
    """Interrupts the import of a module."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, _path, _target=None):
        if name == self.name:
            raise KeyboardInterrupt


@pytest.mark.parametrize("module", ["perft.commands", "perft.counter", "perft.frontier"])
def test_an_interruption_while_loading(capsys, monkeypatch, module):
    for name in [name for name in sys.modules if name.startswith("perft.") and not name.startswith("perft.__main__")]:
        monkeypatch.delitem(sys.modules, name)
    for name, value in list(vars(perft).items()):
        if isinstance(value, ModuleType):
            monkeypatch.delattr(perft, name)  # and set again at the end: the modules of other tests
    monkeypatch.setattr("sys.meta_path", [PressesCtrlC(module), *sys.meta_path])
    with pytest.raises(KeyboardInterrupt):  # met by `run_as_program`
        main(["3"])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [["3", "--divide"], ["--suite", "standard", "--max-nodes", "1000"], ["2"]])
@pytest.mark.skipif(os.name == "nt", reason="needs a pipe that is closed by its reader")
def test_a_reader_that_has_enough_is_no_error(environment, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "perft", *arguments]
    finished = subprocess.run(
        command, env=environment, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=120, check=False
    )
    os.close(writer)
    assert finished.returncode == 141
    assert not finished.stderr or SPEED.fullmatch(finished.stderr)


def test_divide(capsys):
    status, output, _ = run(capsys, 2, "--divide", "--fen", ENDGAME)
    *moves, blank, total = output.splitlines()
    assert status == 0
    assert (blank, total) == ("", "Nodes searched: 191")
    assert "g2g4: 17" in moves
    assert sum(int(line.split(": ")[1]) for line in moves) == 191


def test_divide_at_depth_0_and_with_memory(capsys):
    assert run(capsys, 0, "--divide")[1] == "\nNodes searched: 1\n"
    assert run(capsys, 3, "--divide", "--hash", 1)[1] == run(capsys, 3, "--divide")[1]


def test_chess960_castling_is_written_as_king_takes_rook(capsys):
    fen = "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1"
    output = run(capsys, 1, "--divide", "--chess960", "--fen", fen)[1]
    assert "e1g1: 1" in output
    assert "e1b1: 1" in output


def test_repairs_are_reported(capsys):
    status, output, errors = run(capsys, 1, "--fen", "4k3/8/8/8/8/8/8/4K3 w K - 0 1")
    assert (status, output) == (0, "\nNodes searched: 5\n")
    assert errors.startswith("note: castling right K dropped")


@pytest.mark.parametrize(
    "arguments",
    [
        ["3", "--fen", "rubbish"],
        ["3", "--fen", ""],
        ["--suite", "no-such-file.epd"],
        ["2", "--compare", "--against", "no-such-engine"],
        ["2", "--compare", "--against", f"{sys.executable} -c pass"],
        ["7", "--unique", "--hash", "1"],
    ],
)
def test_bad_input_gives_status_2_and_a_message(capsys, arguments):
    status, _, errors = run(capsys, *arguments)
    assert status == 2
    assert errors.startswith("python -m perft: ")
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["x"],
        ["-1"],
        ["100"],
        ["3", "--threads", "0"],
        ["3", "--hash", "much"],
        ["3", "--max-nodes", "5"],
        ["3", "--peers"],
        ["3", "--against", "stockfish"],
        ["3", "--divide", "--unique"],
        ["3", ENDGAME, "--fen", ENDGAME],
        [ENDGAME, "3"],
        ["9" * 5000],
    ],
)
def test_bad_options_give_status_2(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_no_memory_for_the_table(capsys, monkeypatch):
    def no_memory(_count):
        raise MemoryError

    monkeypatch.setattr("perft.frontier.new_records", no_memory)
    status, _, errors = run(capsys, 3, "--hash", 5)
    assert status == 2
    assert "not enough memory for --hash 5" in errors


def test_unique_positions(capsys):
    status, output, _ = run(capsys, 3, "--unique", "--hash", 1)
    assert status == 0
    assert output.splitlines()[-1] == "ply 3: 5362 different positions of 8902"


def test_unique_says_what_it_would_need(capsys):
    status, output, errors = run(capsys, 3 if JIT_DISABLED else 5, "--unique", "--hash", 1)
    if JIT_DISABLED:
        assert status == 0
    else:
        assert status == 2
        assert len(output.splitlines()) == 3
        assert "ply 4 needs about" in errors
        assert "--hash gives 1 MB" in errors


def test_suites(capsys, tmp_path):
    path = tmp_path / "suite.epd"
    path.write_text(f"{ENDGAME} ;D1 14 ;D2 191 ;D3 2812\n{KIWIPETE} ;D1 48 ;D2 2039\n")
    status, output, _ = run(capsys, "--suite", path, "--max-nodes", 2500)
    assert status == 0
    assert output.splitlines()[-1] == "2 of 2 positions checked, 0 wrong, 2230 nodes"
    assert run(capsys, 1, "--suite", path)[1].splitlines()[-1] == "2 of 2 positions checked, 0 wrong, 62 nodes"
    assert run(capsys, "--suite", path, "--max-nodes", 20)[1].splitlines()[-1].startswith("1 of 2 positions")


def test_a_wrong_suite_prints_the_divide(capsys, tmp_path):
    path = tmp_path / "suite.epd"
    path.write_text(f"{ENDGAME} ;D2 192\n")
    status, output, _ = run(capsys, "--suite", path)
    assert status == 1
    assert "WRONG" in output
    assert "expected 192" in output
    assert "g2g4: 17" in output
    assert output.splitlines()[-1] == "1 of 1 positions checked, 1 wrong, 191 nodes"


def test_a_suite_with_a_bad_position_names_the_line(capsys, tmp_path):
    path = tmp_path / "suite.epd"
    path.write_text("8/8/8/8/8/8/8/8 w - - ;D1 0\n")
    status, _, errors = run(capsys, "--suite", path)
    assert status == 2
    assert "suite.epd:1: board field" in errors


@pytest.mark.thorough
@needs_jit
@pytest.mark.parametrize("name", ["standard", "chess960"])
def test_shipped_suites_agree(capsys, name):
    status, output, _ = run(capsys, "--suite", name, "--max-nodes", 100_000)
    assert status == 0
    entries = list(read_suite(name))
    within = sum(entry.deepest(100_000, None) is not None for entry in entries)
    assert output.splitlines()[-1].startswith(f"{within} of {len(entries)} positions checked, 0 wrong")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bound"), [("standard", 10**9), ("chess960", 3_000_000)])
def test_shipped_suites_agree_deep(capsys, name, bound):
    status, output, _ = run(capsys, "--suite", name, "--max-nodes", bound, "--hash", 64)
    assert status == 0
    assert ", 0 wrong, " in output.splitlines()[-1]


@pytest.mark.soak
def test_the_whole_chess960_suite(capsys):
    status, output, _ = run(capsys, "--suite", "chess960", "--hash", 256)
    assert status == 0
    assert output.splitlines()[-1].startswith("960 of 960 positions checked, 0 wrong")


def test_an_interrupted_count_prints_what_was_counted(capsys, monkeypatch):
    def press_ctrl_c(_display, progress):
        if progress.nodes:
            raise KeyboardInterrupt

    monkeypatch.setattr("perft.display.Display.show", press_ctrl_c)
    for arguments in ([4], [3, "--divide"], ["--suite", "standard"]):
        status, output, _ = run(capsys, *arguments)
        assert status == 130
        counted = int(output.splitlines()[-1].removeprefix("Interrupted. Nodes counted so far: "))
        assert counted > 0


def test_an_interruption_anywhere_else(capsys, monkeypatch):
    def press_ctrl_c(_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("perft.commands.run", press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):  # met by `run_as_program`
        main(["3"])
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@needs_jit
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for a single child on Windows")
def test_ctrl_c_stops_a_real_process(environment):
    command = [sys.executable, "-m", "perft", "10"]
    for seconds in (4, 15, 60):  # on a busy machine it may still be loading, and then says so on standard error
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert process.returncode == 130, errors
        if output:
            break
        assert errors == "perft: interrupted\n"
    assert output.splitlines()[-1].startswith("Interrupted")
    assert errors == ""


@pytest.mark.slow
def test_the_bench_measures_and_checks_itself(capsys, monkeypatch):
    monkeypatch.setattr("perft.bench.REPEATS", 1)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    status, output, _ = run(capsys, "--bench", "--peers")
    assert status == 0
    for word in ("list bulk", "popcount bulk", "no bulk", "random moves", "python-chess", "stockfish is not installed"):
        assert word in output


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals on Windows")
@needs_jit
def test_progress_on_a_terminal_and_nothing_of_it_in_a_pipe(environment):
    import pty

    program = (
        "import sys; from perft import __main__, display; display.QUIET_SECONDS = 0.0; "
        "sys.exit(__main__.main(['6', '--threads', '1']))"
    )
    command = [sys.executable, "-c", program]
    master, slave = pty.openpty()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the terminal is closed
            break
        if not part:
            break
        shown += part
    output, _ = process.communicate(timeout=60)
    assert output == b"\nNodes searched: 119060324\n"
    assert b"nodes" in shown
    assert b"left" in shown
    assert b"M/s" in shown
