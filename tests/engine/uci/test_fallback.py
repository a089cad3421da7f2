"""The player that answers while kernels are being compiled."""

import time
from collections import deque

import chess
import pytest

from engine.config.options import Options
from engine.loader import Outlook
from engine.search.clock import Limits
from engine.uci.fallback import (
    Fallback,
    Player,
    can_mate,
    judge_move,
    last_position,
    material,
    parse_board,
    seconds_allowed,
    settled_material,
)
from engine.uci.parse import Command
from engine.uci.search_commands import GuiGame

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


def best_move(fen):
    board = chess.Board(fen)
    return max(board.legal_moves, key=lambda move: judge_move(board, move))


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


def test_it_avoids_mate_in_one():
    board = chess.Board("6k1/8/8/8/8/7r/4q3/5RK1 w - - 0 1")  # the rook on h3 threatens to mate on h1 and h2
    board.push(best_move(board.fen()))
    assert not can_mate(board)


def test_exchanges_are_played_out():
    """With few captures in the position, the exact search over all of them is possible."""
    for fen in ["4k3/8/3p4/4p3/3P4/8/8/4R1K1 w - - 0 1", "4k3/8/2n5/4p3/3P1B2/8/8/4K3 b - - 0 1", *MATES_IN_ONE]:
        assert settled_material(chess.Board(fen)) == slow_settled_material(chess.Board(fen))


def command(text):
    name, *arguments = text.split()
    return Command(name, arguments, time.perf_counter())


class Fake:
    """A loader, and what is printed."""

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

    def player(self, limits, fen=chess.STARTING_FEN, seconds_ago=0.0):
        go = command(f"go {limits}")
        go = go._replace(moment=go.moment - seconds_ago)
        return Player(chess.Board(fen), go, 30, lambda: self.outlook, self.say, self.wake)


def wait_for(condition, seconds=20):
    end = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < end:
        time.sleep(0.005)
    assert condition()


def test_the_clock_is_kept_and_the_answer_complete():
    fake = Fake()
    player = fake.player("movetime 300")
    wait_for(player.answered.is_set)
    info, best = fake.said
    words = info.split()
    line = words[words.index("pv") + 1 :]
    assert best.split()[:2] == ["bestmove", line[0]]
    assert "score cp" in info
    board = chess.Board()
    for move in line:
        board.push_uci(move)
    wait_for(lambda: fake.woken == 1)


@pytest.mark.parametrize("limits", ["infinite", "nodes 10", "ponder wtime 100"])
def test_without_a_running_clock_it_waits_for_the_real_search_or_a_stop(limits):
    fake = Fake()
    player = fake.player(limits)
    time.sleep(0.3)
    assert fake.said == []
    player.stop()
    wait_for(player.answered.is_set)
    silent = fake.player(limits)
    silent.give_way()
    assert not silent.answered.is_set()
    assert len(fake.said) == 2


def test_ponderhit_starts_the_clock_and_a_failed_load_ends_the_wait():
    fake = Fake()
    player = fake.player("ponder wtime 200")
    player.apply([command("ponderhit")])
    wait_for(player.answered.is_set)
    fake.outlook = Outlook.NEVER
    alone = fake.player("nodes 10")
    wait_for(alone.answered.is_set)


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
    player = fake.player("movetime 200", fen)
    wait_for(player.answered.is_set)
    assert f"score {score} " in fake.said[0] + " "
    assert fake.said[1].startswith(best)


def test_without_any_time_the_most_urgent_move_is_played():
    for fen, best in ((MATES_IN_ONE[0], "b1b8"), (PIECES_TO_SAVE[2], "d5")):
        fake = Fake()
        fake.player("movetime 100", fen, seconds_ago=1.0).join()
        assert " nodes 1 " in fake.said[0]
        assert fake.said[1].startswith(f"bestmove {best}")


def test_wishes_are_respected():
    fake = Fake()
    player = fake.player("movetime 200 searchmoves a2a3")
    wait_for(player.answered.is_set)
    assert fake.said[1].startswith("bestmove a2a3")


def test_the_last_good_position_counts():
    pending = deque(map(command, ["position startpos moves e2e4", "ucinewgame", "position fen rubbish"]))
    assert last_position(pending, chess960=False).fen().startswith("rnbqkbnr/pppppppp/8/8/4P3")
    assert last_position(deque(), chess960=False) == chess.Board()
    pending = deque([command("position fen 8/8/8/8/8/8/8/8 w - - 0 1")])
    assert last_position(pending, chess960=False) is None


class Heard:
    """Pending commands, and the fallback player that attends to them."""

    def __init__(self, outlook=Outlook.LATE):
        self.fake, self.pending = Fake(outlook), deque()
        self.fallback = Fallback(Options(), self.fake, self.fake.say, self.fake.wake)

    def hear(self, *texts):
        for text in texts:
            self.pending.append(command(text))
            self.fallback.attend(self.pending, search_is_ready=False)

    def wait(self):
        """Until the first `go` is answered."""
        wait_for(self.fallback._player.answered.is_set)
        self.fallback.attend(self.pending, search_is_ready=False)

    @property
    def left(self):
        return [" ".join([command.name, *command.arguments]) for command in self.pending]

    @property
    def moves(self):
        return [line.split()[1] for line in self.fake.said if line.startswith("bestmove")]


def test_what_was_answered_is_removed_and_the_rest_left():
    heard = Heard()
    heard.hear("position startpos", "go infinite", "position startpos moves e2e4", "go perft 2", "go infinite")
    heard.wait()  # the second search ends the first
    assert len(heard.moves) == 1
    assert heard.left == ["position startpos", "position startpos moves e2e4", "go perft 2", "go infinite"]
    heard.hear("stop")
    heard.wait()
    assert heard.left == ["position startpos", "position startpos moves e2e4", "go perft 2"]
    heard.hear("go infinite")
    heard.fallback.attend(heard.pending, search_is_ready=True)
    assert heard.left[-1] == "go infinite"
    assert len(heard.moves) == 2


def test_a_ponder_hit_is_removed_with_its_search():
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


def test_pending_options_count():
    heard = Heard()
    castled = "position fen 4k3/8/8/8/8/8/8/R4KR1 w AG - 0 1 moves f1a1"
    heard.hear("ucinewgame", "setoption name UCI_Chess960 value true", castled, "go movetime 100")
    assert heard.fallback.is_playing
    heard.wait()
    assert heard.moves[0].startswith("e8")


@pytest.mark.parametrize("limits", ["movetime 10", "infinite", "nodes 5"])
def test_a_search_that_comes_soon_is_waited_for_even_after_stop(limits):
    fake = Fake(Outlook.SOON)
    player = fake.player(limits)
    player.stop()
    time.sleep(0.5)
    assert fake.lines == []
    fake.outlook = Outlook.LATE  # it must be compiled
    wait_for(player.answered.is_set)


def test_a_clock_that_would_run_out_is_not_lost_and_that_is_said():
    fake = Fake(Outlook.SOON)
    player = fake.player("wtime 400")
    wait_for(player.answered.is_set)
    assert fake.lines[0] == "info string the search is not loaded yet: a simple player answers"
    waiting = fake.player("wtime 600000")  # of which the budget of a move is a part
    time.sleep(0.5)
    waiting.give_way()
    assert not waiting.answered.is_set()


def test_half_of_the_clock_is_used_to_wait_once():
    heard = Heard(Outlook.SOON)
    heard.hear("go wtime 400")
    heard.wait()
    heard.hear("go wtime 60000")  # in 2 s, not in 30
    heard.wait()
    assert len(heard.moves) == 2


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1",  # rights without rooks
        "4k3/8/8/8/8/8/8/R3K3 w Q e6 0 1",  # no pawn has jumped
        "4k3/8/8/8/8/8/8/R3K3 w Q",
        "4k3/8/8/8/8/8/8/R3K3 w Q - -5 0",
        "RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr w - - 0 1",
        "4k3/4R3/8/1B5B/8/8/8/4K3 b - - 0 1",  # three checkers: no game leads here
        "8/8/8/8/8/8/8/8 w - - 0 1",  # refused
        "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",  # refused: the king could be taken
    ],
)
@pytest.mark.parametrize("moves", ["", "moves e1d1", "moves Kd1", "moves 0000", "moves e8d8"])
def test_it_plays_the_position_that_the_session_would_take(fen, moves):
    """The session takes what it can repair, and else keeps the last position."""
    words = f"fen {fen} {moves}".split()
    try:
        game, _ = GuiGame.start(fen, chess960=False).play(words[words.index("moves") + 1 :] if moves else [])
    except ValueError:
        assert parse_board(words, chess960=False) is None
    else:
        assert parse_board(words, chess960=False).fen(en_passant="legal") == game.position.fen()


def test_a_whole_game_by_the_fallback_player_keeps_time_in_reserve():
    """While kernels are compiled each move waits to its end: a third of the clock is left after thirty moves."""
    left = 10_000.0
    for _ in range(30):
        left += 100 - 1000 * seconds_allowed(Limits(time_left=round(left), increment=100), 30, Outlook.LATE)
    assert left > 10_000 / 3
