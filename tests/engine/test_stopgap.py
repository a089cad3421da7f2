"""The textbook player that stands in while kernels are being compiled."""

import random
import time
from collections import deque

import chess
import pytest

from engine.clock import Limits
from engine.glance import material, new_search, settled_material
from engine.options import Settings
from engine.standin import StandIn, last_position
from engine.stopgap import Clock, Stopgap

MATES_IN_ONE = [
    "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
    "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
]
PIECES_TO_SAVE = [
    "rnbqkb1r/pppp1ppp/5n2/4p3/4P1Q1/8/PPPP1PPP/RNB1KBNR w KQkq - 0 3",  # the queen is attacked
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P1n1/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4",
    "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR b KQkq - 0 3",
]


def best_move(fen, simulations=400):
    return new_search(chess.Board(fen), [], random.Random(1)).run(simulations).best_action()


def slow_settled_material(board):
    """The same without cutting off anything."""
    captures = [move for move in board.legal_moves if board.is_capture(move)]
    values = [material(board)]
    for move in captures:
        board.push(move)
        values.append(-slow_settled_material(board))
        board.pop()
    return max(values)


@pytest.mark.parametrize("fen", MATES_IN_ONE)
def test_it_takes_mates_in_one(fen):
    board = chess.Board(fen)
    board.push(best_move(fen))
    assert board.is_checkmate()


@pytest.mark.parametrize("fen", PIECES_TO_SAVE)
def test_it_hangs_no_pieces(fen):
    board = chess.Board(fen)
    before = material(board)
    board.push(best_move(fen))
    assert -settled_material(board) >= before


def test_it_lets_nobody_mate_it_in_one():
    board = chess.Board("6k1/8/8/8/8/7r/4q3/5RK1 w - - 0 1")  # the rook on h3 threatens to mate on h1 and h2
    board.push(best_move(board.fen()))
    assert not any(board.gives_check(move) and is_mate_after(board, move) for move in board.legal_moves)


def is_mate_after(board, move):
    after = board.copy()
    after.push(move)
    return after.is_checkmate()


def test_exchanges_are_played_out():
    """With few captures in the position, the exact search over all of them is possible."""
    for fen in ["4k3/8/3p4/4p3/3P4/8/8/4R1K1 w - - 0 1", "4k3/8/2n5/4p3/3P1B2/8/8/4K3 b - - 0 1", *MATES_IN_ONE]:
        assert settled_material(chess.Board(fen)) == slow_settled_material(chess.Board(fen))


class Fake:
    """Somebody who loads, and notes what is said."""

    def __init__(self):
        self.said, self.woken, self.has_failed = [], 0, False

    def wake(self):
        self.woken += 1

    def stopgap(self, limits, fen=chess.STARTING_FEN, wished=()):
        board = chess.Board(fen)
        clock = Clock(limits, 30, time.perf_counter(), lambda: self.has_failed)
        return Stopgap(board, [chess.Move.from_uci(move) for move in wished], clock, self.said.append, self.wake)


def wait_for(condition, seconds=20):
    end = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < end:
        time.sleep(0.005)
    assert condition()


def test_the_clock_is_kept_and_the_answer_complete():
    fake = Fake()
    stopgap = fake.stopgap(Limits(move_time=300))
    wait_for(lambda: stopgap.has_answered)
    info, best = fake.said
    words = info.split()
    line = words[words.index("pv") + 1 :]
    assert best.split()[:2] == ["bestmove", line[0]]
    assert "score cp" in info
    board = chess.Board()
    for move in line:
        board.push_uci(move)
    assert fake.woken == 1


@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(nodes=10), Limits(ponder=True, time_left=100)])
def test_without_a_running_clock_it_waits_for_the_real_search_or_a_stop(limits):
    fake = Fake()
    stopgap = fake.stopgap(limits)
    time.sleep(0.3)
    assert fake.said == []
    stopgap.stop()
    wait_for(lambda: stopgap.has_answered)
    silent = fake.stopgap(limits)
    silent.give_way()
    assert not silent.has_answered
    assert len(fake.said) == 2


def test_ponderhit_starts_the_clock_and_a_failed_load_ends_the_wait():
    fake = Fake()
    stopgap = fake.stopgap(Limits(ponder=True, time_left=200))
    stopgap.ponder_hit(time.perf_counter())
    wait_for(lambda: stopgap.has_answered)
    fake.has_failed = True
    alone = fake.stopgap(Limits(nodes=10))
    wait_for(lambda: alone.has_answered)


@pytest.mark.parametrize(
    ("fen", "score", "best"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0", "bestmove 0000"),
        ("7k/8/6K1/8/8/8/8/6Q1 b - - 0 1", "cp -900", "bestmove h8"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0", "bestmove 0000"),
        ("8/8/8/8/3k4/8/8/K7 w - - 0 1", "cp 0", "bestmove a1"),  # a draw, but a move is asked for
        ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "mate 1", "bestmove b1b8"),
    ],
)
def test_ends_of_the_game(fen, score, best):
    fake = Fake()
    stopgap = fake.stopgap(Limits(move_time=200), fen)
    wait_for(lambda: stopgap.has_answered)
    assert f"score {score} " in fake.said[0] + " "
    assert fake.said[1].startswith(best)


def test_wishes_are_respected():
    fake = Fake()
    stopgap = fake.stopgap(Limits(move_time=200), wished=["a2a3"])
    wait_for(lambda: stopgap.has_answered)
    assert fake.said[1].startswith("bestmove a2a3")


def command(text):
    return (text.split(), 0.0)


def test_the_last_good_position_counts():
    kept = deque(map(command, ["position startpos moves e2e4", "ucinewgame", "position fen rubbish"]))
    assert last_position(kept, chess960=False).fen().startswith("rnbqkbnr/pppppppp/8/8/4P3")
    assert last_position(deque(), chess960=False) == chess.Board()
    kept = deque([command("position fen 8/8/8/8/8/8/8/8 w - - 0 1")])
    assert last_position(kept, chess960=False) is None


def test_what_was_answered_is_struck_out_and_the_rest_handed_over():
    fake, kept = Fake(), deque()
    stand_in = StandIn(Settings(), fake, fake.said.append, fake.wake)

    def hear(text):
        kept.append((text.split(), time.perf_counter()))
        stand_in.hear(*kept[-1], kept)

    for text in ("position startpos", "go infinite", "position startpos moves e2e4", "go perft 2", "go infinite"):
        hear(text)
    assert sum(line.startswith("bestmove") for line in fake.said) == 1  # the second search ended the first
    assert [" ".join(words) for words, _ in kept] == [
        "position startpos",
        "position startpos moves e2e4",
        "go perft 2",
        "go infinite",
    ]
    hear("stop")
    wait_for(lambda: not stand_in.is_playing)
    stand_in.settle(kept, search_is_ready=False)
    assert [words[0] for words, _ in kept] == ["position", "position", "go"]
    hear("go infinite")
    stand_in.settle(kept, search_is_ready=True)
    assert " ".join(kept[-1][0]) == "go infinite"
    assert sum(line.startswith("bestmove") for line in fake.said) == 2
