"""The textbook player that stands in while kernels are being compiled."""

import random
import time
from collections import deque

import chess
import pytest

from engine.clock import Limits
from engine.game import Game
from engine.glance import material, new_search, settled_material
from engine.options import Settings
from engine.standin import StandIn, last_position, read_board
from engine.startup import Outlook
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

    def __init__(self, outlook=Outlook.LATE):
        self.lines, self.woken, self.outlook = [], 0, outlook

    def say(self, line):
        self.lines.append(line)

    @property
    def said(self):
        """All but notes for people."""
        return [line for line in self.lines if not line.startswith("info string")]

    def wake(self):
        self.woken += 1

    def stopgap(self, limits, fen=chess.STARTING_FEN, wished=()):
        board = chess.Board(fen)
        clock = Clock(limits, 30, time.perf_counter(), lambda: self.outlook)
        return Stopgap(board, [chess.Move.from_uci(move) for move in wished], clock, self.say, self.wake)


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
    fake.outlook = Outlook.NEVER
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


class Heard:
    """Commands that a stand-in hears while the search is not there."""

    def __init__(self, outlook=Outlook.LATE):
        self.fake, self.kept = Fake(outlook), deque()
        self.stand_in = StandIn(Settings(), self.fake, self.fake.say, self.fake.wake)

    def hear(self, *texts):
        for text in texts:
            self.kept.append((text.split(), time.perf_counter()))
            self.stand_in.hear(*self.kept[-1], self.kept)

    def wait(self):
        """Until the first `go` is answered."""
        wait_for(lambda: not self.stand_in.is_playing)
        self.stand_in.settle(self.kept, search_is_ready=False)

    @property
    def left(self):
        return [" ".join(words) for words, _ in self.kept]

    @property
    def moves(self):
        return [line.split()[1] for line in self.fake.said if line.startswith("bestmove")]


def test_what_was_answered_is_struck_out_and_the_rest_handed_over():
    heard = Heard()
    heard.hear("position startpos", "go infinite", "position startpos moves e2e4", "go perft 2", "go infinite")
    heard.wait()  # the second search ends the first
    assert len(heard.moves) == 1
    assert heard.left == ["position startpos", "position startpos moves e2e4", "go perft 2", "go infinite"]
    heard.hear("stop")
    heard.wait()
    assert heard.left == ["position startpos", "position startpos moves e2e4", "go perft 2"]
    heard.hear("go infinite")
    heard.stand_in.settle(heard.kept, search_is_ready=True)
    assert heard.left[-1] == "go infinite"
    assert len(heard.moves) == 2


def test_a_ponder_hit_is_struck_out_with_its_search():
    heard = Heard()
    heard.hear("position startpos", "go ponder wtime 60000 btime 60000", "debug on", "ponderhit", "stop", "isready")
    heard.hear("go ponder wtime 60000 btime 60000", "ponderhit")
    heard.wait()
    assert len(heard.moves) == 1
    left = ["position startpos", "debug on", "isready", "go ponder wtime 60000 btime 60000", "ponderhit"]
    assert heard.left == left
    heard.hear("stop")
    heard.wait()
    assert heard.left == left[:3]


def test_searches_that_end_by_themselves_are_left_to_the_real_search():
    heard = Heard()
    heard.hear("go nodes 100", "go nodes 200", "isready")
    time.sleep(0.3)
    assert heard.moves == []
    heard.hear("stop")  # means both
    heard.wait()
    heard.wait()
    assert len(heard.moves) == 2
    assert heard.left == ["isready"]


def test_each_answer_is_for_its_own_position():
    heard = Heard()
    mate = "position fen 6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
    heard.hear(mate, "go infinite", "stop", "position startpos", "go infinite searchmoves a2a3", "stop")
    heard.wait()
    heard.wait()
    assert heard.moves == ["b1b8", "a2a3"]
    assert heard.left == [mate, "position startpos"]


def test_options_that_are_kept_count():
    heard = Heard()
    castled = "position fen 4k3/8/8/8/8/8/8/R4KR1 w AG - 0 1 moves f1a1"
    heard.hear("ucinewgame", "setoption name UCI_Chess960 value true", castled, "go movetime 100")
    assert heard.stand_in.is_playing
    heard.wait()
    assert heard.moves[0].startswith("e8")


@pytest.mark.parametrize("limits", [Limits(move_time=10), Limits(infinite=True), Limits(nodes=5)])
def test_a_search_that_comes_soon_is_waited_for_even_after_stop(limits):
    fake = Fake(Outlook.SOON)
    stopgap = fake.stopgap(limits)
    stopgap.stop()
    time.sleep(0.5)
    assert fake.lines == []
    fake.outlook = Outlook.LATE  # it must be compiled
    wait_for(lambda: stopgap.has_answered)


def test_a_clock_that_would_run_out_is_not_lost_and_that_is_said():
    fake = Fake(Outlook.SOON)
    stopgap = fake.stopgap(Limits(time_left=400))
    wait_for(lambda: stopgap.has_answered)
    assert fake.lines[0] == "info string the search is not loaded yet: a simple player answers"
    waiting = fake.stopgap(Limits(time_left=600_000))  # of which the budget of a move is a part
    time.sleep(0.5)
    waiting.give_way()
    assert not waiting.has_answered


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1",  # rights without rooks
        "4k3/8/8/8/8/8/8/R3K3 w Q e6 0 1",  # nobody has jumped
        "4k3/8/8/8/8/8/8/R3K3 w Q",
        "4k3/8/8/8/8/8/8/R3K3 w Q - -5 0",
        "RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr w - - 0 1",
        "4k3/4R3/8/1B5B/8/8/8/4K3 b - - 0 1",  # three checkers: no game leads here
        "8/8/8/8/8/8/8/8 w - - 0 1",  # refused
        "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",  # refused: the king could be taken
    ],
)
@pytest.mark.parametrize("moves", ["", "moves e1d1", "moves Kd1", "moves 0000", "moves e8d8"])
def test_it_stands_for_the_position_that_the_real_engine_would_take(fen, moves):
    """The real engine takes over what it can repair, and keeps the last position else."""
    words = f"fen {fen} {moves}".split()
    try:
        game, _ = Game.start(fen, chess960=False).play(words[words.index("moves") + 1 :] if moves else [])
    except ValueError:
        assert read_board(words, chess960=False) is None
    else:
        assert read_board(words, chess960=False).fen(en_passant="legal") == game.position.fen()


def test_a_whole_game_by_the_stand_in_keeps_time_in_reserve():
    """While kernels are compiled each move waits to its end: a third of the clock is left after thirty moves."""
    left = 10_000.0
    for _ in range(30):
        clock = Clock(Limits(time_left=round(left), increment=100), 30, 0.0, lambda: Outlook.LATE)
        left += 100 - 1000 * (clock.seconds_left() + time.perf_counter())
    assert left > 10_000 / 3
