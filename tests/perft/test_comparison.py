"""Finding the first difference: tried by planting errors in the generator.

Errors can be planted only where the kernels run as plain Python, so those tests start a process without the JIT.
"""

import shutil
import subprocess
import sys
import textwrap

import chess
import pytest

from perft.__main__ import main
from perft.comparison import rule_of
from perft.engine_process import EngineProcess
from tests.conftest import JIT_DISABLED

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

# What is planted; position, depth; what must be found: path, moves that only one has, rule.
ERRORS = {
    "en passant out of a pin on the rank": (
        "generate.en_passant_is_safe = lambda board, king, pawn: True",
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3),
        ("first difference after: e2e4", "only Teresa has: f4e3", "concerns: en passant"),
    ),
    "en passant never kept": (
        "apply.can_capture_en_passant = lambda board: False",
        ("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1", 3),
        ("first difference after: e2e4", "only python-chess has: f4e3", "concerns: en passant"),
    ),
    "castling through an attacked square": (
        "generate.castling_must_be_safe = lambda path: np.uint64(0)",
        ("4k3/8/8/8/8/5r2/8/4K2R w K - 0 1", 2),
        ("first difference after: (no moves)", "only Teresa has: e1g1", "concerns: castling"),
    ),
    "castling rights kept when the king moves": (
        "apply.RANK_1 = np.uint64(0)",
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 5),
        ("only python-chess has: -", "only Teresa has: d1g1", "concerns: castling", "w - -", "but here: ", "w K -"),
    ),
    "pins not seen": (
        "attacks.several = lambda bits: True",
        ("4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1", 1),
        ("first difference after: (no moves)", "only python-chess has: -", "concerns: pin"),
    ),
    "check evasions not bounded": (
        "real = generate.checks_and_pins; generate.checks_and_pins = lambda *a: (np.uint64(0), *real(*a)[1:])",
        ("4k3/8/8/8/4r3/8/8/R3K3 w - - 0 1", 1),
        ("first difference after: (no moves)", "only Teresa has: a1a2", "concerns: check evasion"),
    ),
    "no promotion to a knight": (
        "moves.PROMOTE_KNIGHT = np.uint64(5)\nmoves.FOUR = np.uint64(3)",
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", 1),
        ("first difference after: (no moves)", "only python-chess has: a7a8n", "concerns: promotion"),
    ),
    "the king steps into an attack": (
        "generate.covered_by_opponent = lambda board, occupied: np.uint64(0)",
        ("4k3/8/8/8/8/8/3r4/5K2 w - - 0 1", 1),
        ("only Teresa has: f1e2 f1f2 f1g2", "concerns: king moves"),
    ),
}


@pytest.mark.parametrize("error", ERRORS)
def test_planted_errors_are_pinned_down(error, environment):
    planted, (fen, depth), expected = ERRORS[error]
    program = "\n".join(
        [
            "import sys, numpy as np",
            "from movegen import Position, apply, attacks, generate, moves",  # `Position` first: it keeps what is right
            planted,
            "from perft.__main__ import main",
            f"sys.exit(main(['{depth}', '--compare', '--fen', {fen!r}]))",
        ]
    )
    command = [sys.executable, "-c", program]
    finished = subprocess.run(
        command, env={**environment, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 1, finished.stdout + finished.stderr
    for text in expected:
        assert text in finished.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_difference_where_there_is_none(capsys, depth):
    depth = min(depth, 2) if JIT_DISABLED else depth
    assert main([str(depth), "--compare", "--fen", KIWIPETE]) == 0
    assert capsys.readouterr().out.splitlines() == [f"depth {d}: agrees with python-chess" for d in range(1, depth + 1)]


@pytest.mark.parametrize(
    ("fen", "move", "rule"),
    [
        (KIWIPETE, "e1g1", "castling"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "en passant"),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", "check evasion"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "pin"),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "promotion"),
        (chess.STARTING_FEN, "g1f3", "knight moves"),
        (chess.STARTING_FEN, "e4e5", "no piece there"),
        (chess.STARTING_FEN, "time", "no move at all"),
    ],
)
def test_rules_are_distinguished(fen, move, rule):
    assert rule_of(chess.Board(fen), move) == rule


# A UCI engine for tests: python-chess behind `go perft`, which loses or invents moves on demand.
ENGINE = """
import sys, chess
def perft(board, depth, lost):
    if depth == 0: return 1
    total = 0
    for move in moves(board, lost):
        board.push(move); total += perft(board, depth - 1, lost); board.pop()
    return total
def moves(board, lost):
    return [m for m in board.legal_moves if m.uci() != lost]
lost = sys.argv[1] if len(sys.argv) > 1 else ""
board, chess960 = chess.Board(), False
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]: print("uciok", flush=True)
    if words[:3] == ["setoption", "name", "UCI_Chess960"]: chess960 = words[-1] == "true"
    if words[:2] == ["position", "fen"]: board = chess.Board(" ".join(words[2:]), chess960=chess960)
    if words[:2] == ["go", "perft"]:
        print("info string: a line that is no count")
        for move in moves(board, lost):
            board.push(move); n = perft(board, int(words[2]) - 1, lost); board.pop()
            print(f"{board.uci(move)}: {n}")
        print(f"\\nNodes searched: 0", flush=True)
"""


@pytest.fixture
def engine(tmp_path):
    path = tmp_path / "engine.py"
    path.write_text(textwrap.dedent(ENGINE))
    return f"{sys.executable} {path}"


def test_an_engine_that_agrees(capsys, engine):
    assert main(["2", "--compare", "--against", engine, "--fen", KIWIPETE]) == 0
    chess960 = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"
    assert main(["2", "--compare", "--against", engine, "--chess960", "--fen", chess960]) == 0
    assert "depth 2: agrees" in capsys.readouterr().out


def test_an_engine_that_differs_is_followed_down(capsys, engine):
    assert main(["2", "--compare", "--against", f"{engine} e7e5"]) == 1
    output = capsys.readouterr().out
    assert "depth 2: differs" in output
    assert "first difference after: a2a3" in output
    assert f"only Teresa has: e7e5\nonly {sys.executable} has: -\n" in output


def test_a_move_that_only_the_other_engine_has(capsys, engine, tmp_path):
    (tmp_path / "engine.py").write_text(ENGINE.replace("[m for", "[chess.Move.from_uci('e1e3')] + [m for"))
    assert main(["1", "--compare", "--against", engine]) == 1
    assert f"only Teresa has: -\nonly {sys.executable} has: e1e3\n" in capsys.readouterr().out


ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
SAYS_UCIOK = "import sys\nsys.stdin.readline()\nprint('uciok', flush=True)\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "patience", "message"),
    [
        ("pass", 30, "ended without saying 'uciok'"),
        (ECHO, 1, "did not say 'uciok' within 1 seconds"),
        ("import time; time.sleep(600)", 1, "did not say 'uciok' within 1 seconds"),
        ("while True: print('x' * 999)", 1, "did not say 'uciok' within 1 seconds"),
        ("while True: print('x' * 9999, end='')", 1, "did not say 'uciok' within 1 seconds"),
        (SAYS_UCIOK, 30, "ended without saying 'Nodes searched'"),
        ("import os; os.write(1, bytes(range(256)) * 99)", 30, "ended without saying 'uciok'"),
    ],
)
def test_programs_that_are_no_uci_engines(program, patience, message, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("perft.comparison.PATIENCE", patience)
    check_refusal(program, message, tmp_path, capsys)


@pytest.mark.thorough
def test_a_uci_engine_that_does_not_count(capsys, monkeypatch, tmp_path):
    class SlowToStart(EngineProcess):
        def lines_until(self, beginning, seconds=None):
            return super().lines_until(beginning, 60 if beginning == "uciok" else seconds)

    monkeypatch.setattr("perft.comparison.EngineProcess", SlowToStart)
    monkeypatch.setattr("perft.comparison.PATIENCE", 1)
    program = SAYS_UCIOK + "sys.stdin.read()"
    check_refusal(program, "did not say 'Nodes searched' within 1 seconds", tmp_path, capsys)


def check_refusal(program, message, folder, capsys):
    path = folder / "program.py"
    path.write_text(program)
    assert main(["3", "--compare", "--against", f"{sys.executable} {path}"]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors == f"python -m perft: {sys.executable} {message}: is it a UCI engine that knows 'go perft'?\n"


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_a_child_that_keeps_the_pipe_open_does_not_keep_us(capsys, monkeypatch):
    monkeypatch.setattr("perft.comparison.PATIENCE", 1.0)
    assert main(["3", "--compare", "--against", "sh -c 'sleep 20; true'"]) == 2
    assert "sh did not say 'uciok' within 1 seconds" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("stockfish") is None, reason="stockfish is not installed")
@pytest.mark.skipif(JIT_DISABLED, reason="too slow without the JIT")
def test_stockfish_agrees(capsys):
    assert main(["4", "--compare", "--against", "stockfish", "--fen", KIWIPETE]) == 0
    assert "depth 4: agrees with stockfish" in capsys.readouterr().out
