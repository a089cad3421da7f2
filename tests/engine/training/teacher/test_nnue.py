"""Values of nets against a slow computation, and against the `eval` of a Stockfish where one is installed."""

import random
import shutil
import subprocess
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.training.teacher.nnue import new_teacher_scratch
from engine.training.teacher.nnue_file import parse_teacher_net, read_teacher_net
from engine.training.teacher.quiet import new_quiet_scratch
from tests.engine.network.boards import board_words
from tests.engine.training.teacher.compiled import parts_of, quiet_teacher_values
from tests.engine.training.teacher.made_up_nets import made_up_net, slow_parts, slow_value
from tests.positions import random_positions

STOCKFISH = shutil.which("stockfish") or "/usr/games/stockfish"


def net_of(made_up):
    return parse_teacher_net(np.frombuffer(made_up.pack(), dtype=np.uint8))


def parts_by_kernel(net, boards, sides):
    parts = np.zeros((len(boards), 2), dtype=np.int64)
    parts_of(net, new_teacher_scratch(net), board_words(boards), np.array(sides, dtype=np.int64), parts)
    return [tuple(row) for row in parts.tolist()]


@pytest.fixture(scope="module")
def boards(scaled):
    return [board.copy(stack=False) for board in random_positions(scaled(600), seed=21)]


@pytest.mark.parametrize(("width", "large"), [(32, False), (64, False), (32, True)])
def test_values_are_those_of_the_slow_computation(boards, width, large):
    """In the order of games; all pieces, both colours, all numbers of pieces and zones of the king."""
    made_up = made_up_net(width, seed=width, large=large)
    parts = parts_by_kernel(net_of(made_up), boards, [board.turn for board in boards])
    for board, found in zip(boards, parts, strict=True):
        assert found == slow_parts(made_up, board), board.fen()


def test_values_depend_neither_on_the_order_nor_on_the_number_of_the_player(boards):
    net, rng = net_of(made_up_net(seed=2)), random.Random(2)
    expected = parts_by_kernel(net, boards, [0] * len(boards))
    assert len(set(expected)) > len(boards) // 2
    order = rng.sample(range(len(boards)), len(boards))
    sides = [rng.randrange(2) for _ in boards]
    found = parts_by_kernel(net, [boards[index] for index in order], sides)
    assert found == [expected[index] for index in order]


@pytest.mark.parametrize("large", [False, True])
def test_the_value_is_bounded(boards, large):
    made_up = made_up_net(seed=6, large=large)
    net = net_of(made_up)
    plain, quiet = np.zeros((2, len(boards)), dtype=np.int64)
    quiet_teacher_values(net, new_quiet_scratch(net), board_words(boards), plain, quiet)
    assert plain.tolist() == [slow_value(made_up, board) for board in boards]
    assert (np.abs(plain) == 10_000).any() or not large


# By a Stockfish


def centipawns(value, board, version):
    """As a Stockfish shows a value: one pawn is 361 units in 15.1; in 17.1 that depends on the material."""
    if version.startswith("15"):
        return 100 * value / 361
    worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
    material = sum(worth.get(piece.piece_type, 0) for piece in board.piece_map().values())
    m = min(max(material, 17), 78) / 58
    return 100 * value / (((-13.50030198 * m + 40.92780883) * m - 36.82753545) * m + 386.83004070)


def evals_of(boards, command, folder):
    """-> the version; the net that it writes; its value of each board without the layers of the search, for White."""
    net = folder / "exported.nnue"
    script = [f"export_net {net}" + (f" {folder / 'small.nnue'}" if "17" in command else "")]
    script += [line for board in boards for line in (f"position fen {board.fen(en_passant='fen')}", "eval")]
    text = "\n".join(["uci", "setoption name UCI_Chess960 value true", *script, "quit", ""])
    output = subprocess.run([command], input=text, capture_output=True, text=True, check=True, timeout=300).stdout
    lines = output.splitlines()
    version = next(line.split()[3] for line in lines if line.startswith("id name Stockfish"))
    return version, net, [float(line.split()[2]) for line in lines if line.startswith("NNUE evaluation")]


@pytest.mark.slow
@pytest.mark.skipif(not Path(STOCKFISH).exists(), reason="stockfish is not installed")
def test_values_are_those_of_stockfish(tmp_path):
    """Two digits behind the point are shown, so the difference is at most half a centipawn."""
    boards = [board.copy(stack=False) for board in random_positions(3000, seed=22) if not board.is_check()]
    boards = [board for board in boards if not board.is_game_over()]
    version, path, shown = evals_of(boards, STOCKFISH, tmp_path)
    if not version.startswith(("15.1", "17")):
        pytest.skip(f"how Stockfish {version} shows values is not known here")
    net = read_teacher_net(path)
    assert len(shown) == len(boards) > 2500
    for board, (direct, positional), value in zip(
        boards, parts_by_kernel(net, boards, [board.turn for board in boards]), shown, strict=True
    ):
        units = (
            [int(part / 16) for part in (direct, positional)]
            if version[:2] == "17"
            else [int((direct + positional) / 16)]
        )
        expected = centipawns(sum(units), board, version) / 100
        assert value == pytest.approx(expected if board.turn else -expected, abs=0.00501), board.fen()
