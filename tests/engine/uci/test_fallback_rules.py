"""The fallback player's decisions, each by itself: judgements, moments, and which commands it reads."""

import math
import random
import time
from collections import deque

import chess
import pytest

from engine.config.options import Options
from engine.loader import Outlook
from engine.search.clock import Limits, budget
from engine.uci import fallback as fallback_module
from engine.uci.fallback import (
    DEEPEST_EXCHANGE,
    MATE_PAWNS,
    Fallback,
    Player,
    can_mate,
    first_search,
    judge_move,
    last_position,
    material,
    mobility,
    options_after,
    parse_move,
    remove_first_search,
    seconds_allowed,
    settled_material,
    urgency,
    value_taken,
)
from engine.uci.parse import Command
from tests.positions import random_positions

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"


def commands(*texts):
    return [Command(text.split()[0], text.split()[1:], 3.0) for text in texts]


def texts_of(pending):
    return [" ".join([command.name, *command.arguments]) for command in pending]


# Which move


def slow_material(board):
    values = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
    signs = {True: 1, False: -1}
    total = sum(signs[piece.color] * values[piece.symbol().lower()] for piece in board.piece_map().values())
    return total * signs[board.turn]


def slow_mobility(board):
    def moves(turn):
        copy = board.copy(stack=False)
        if copy.turn != turn:
            copy.turn, copy.ep_square = turn, None
        return len(list(copy.legal_moves))

    return moves(board.turn) - moves(not board.turn)


def slow_exchanges(board, depth=0):
    """All captures, without cutting off anything but the depth."""
    best = slow_material(board)
    if depth < DEEPEST_EXCHANGE:
        for move in [move for move in board.legal_moves if board.is_capture(move)]:
            board.push(move)
            best = max(best, -slow_exchanges(board, depth + 1))
            board.pop()
    return best


def boards(count):
    return [board for board in random_positions(count, seed=9) if not board.chess960]


def test_material_and_mobility_are_those_of_the_player_to_move():
    for board in boards(60):
        assert material(board) == slow_material(board)
        if not board.is_check():
            assert mobility(board) == slow_mobility(board)


def test_exchanges_as_a_search_without_cut_offs_finds_them():
    quiet = [board for board in boards(80) if sum(1 for _ in board.generate_legal_captures()) <= 4]
    for board in quiet[:10]:
        assert settled_material(board) == slow_exchanges(board), board.fen()


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        (BACK_RANK, "b1b8", (MATE_PAWNS, 0)),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6", (0, 0)),  # stalemate
        ("8/8/8/8/3k4/8/3p4/3K4 w - - 0 1", "d1d2", (0, 0)),  # two kings
        ("7k/8/5K2/6R1/8/8/8/8 w - - 99 80", "g5g4", (0, 0)),  # the fiftieth move
        ("1r5k/8/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a7", (-MATE_PAWNS, 0)),  # it can be mated
        ("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1d5", (5, None)),
    ],
)
def test_judgements(fen, move, expected):
    board = chess.Board(fen)
    pawns, ahead = judge_move(board, chess.Move.from_uci(move))
    assert pawns == expected[0]
    assert expected[1] is None or ahead == expected[1]
    assert board.fen() == fen  # as it was


def test_a_judgement_is_exchanges_and_then_mobility_for_the_player_who_moves():
    for board in boards(15):
        for move in list(board.legal_moves)[:5]:
            found = judge_move(board, move)
            board.push(move)
            if not board.is_game_over(claim_draw=True) and not can_mate(board) and not board.is_check():
                assert found == (-settled_material(board), -slow_mobility(board))
            board.pop()


def test_a_repetition_is_a_draw():
    board = chess.Board("4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1")
    for text in ("a1a2", "e8d8", "a2a1", "d8e8", "a1a2", "e8d8", "a2a1"):
        board.push_uci(text)
    assert judge_move(board, chess.Move.from_uci("d8e8")) == (0, 0)


def test_mates_in_one():
    for board in boards(150):
        mates = [move for move in board.legal_moves if board.san(move).endswith("#")]
        copies = [board.copy() for _ in mates]
        for copy, move in zip(copies, mates, strict=True):
            copy.push(move)
            assert copy.is_checkmate()
        assert can_mate(board) == bool(mates)
    assert can_mate(chess.Board(BACK_RANK))


@pytest.mark.parametrize(
    ("fen", "move", "taken", "expected"),
    [
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", 9, 9),
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e1e2", 1, 0),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 1, 1),  # en passant
        ("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", "e4c3", 1, 3),  # a knight in danger
        ("4k3/8/8/3n4/4Q3/8/8/4K3 w - - 0 1", "e4d5", 3, 3),  # it is not in danger
        ("4k3/8/5n2/3n4/4Q3/8/8/4K3 w - - 0 1", "e4d5", 3, 9),  # more at stake than to win
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 1, MATE_PAWNS),
        ("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 9, MATE_PAWNS + 9),
    ],
)
def test_what_is_judged_first(fen, move, taken, expected):
    board, move = chess.Board(fen), chess.Move.from_uci(move)
    assert value_taken(board, move) == taken
    assert urgency(board, move) == expected


# When


CLOCK = Limits(time_left=60_000)


@pytest.mark.parametrize(
    ("limits", "outlook", "expected"),
    [
        (CLOCK, Outlook.SOON, 30.0),  # half of the clock
        (Limits(time_left=5000, moves_to_go=1), Outlook.SOON, budget(Limits(time_left=5000, moves_to_go=1), 30).hard),
        (Limits(time_left=-10), Outlook.SOON, 0.001),
        (Limits(move_time=100), Outlook.SOON, None),
        (Limits(nodes=5), Outlook.SOON, None),
        (Limits(infinite=True), Outlook.SOON, None),
        (CLOCK, Outlook.LATE, (60 - 25 * 0.03) / 24),  # a game of 24 more moves, and the overhead of 25
        (Limits(move_time=100), Outlook.LATE, 0.07),
        (Limits(nodes=5), Outlook.LATE, None),
        (CLOCK, Outlook.NEVER, (60 - 25 * 0.03) / 24),
        (Limits(move_time=100), Outlook.NEVER, 0.07),
        (Limits(nodes=5), Outlook.NEVER, 0.0),
    ],
)
def test_how_long_an_answer_may_take(limits, outlook, expected):
    found = seconds_allowed(limits, 30, outlook)
    assert found == (None if expected is None else pytest.approx(expected))


class FakeLoader:
    outlook = Outlook.LATE


class Still(Player):
    """A player that does not start by itself."""

    def start(self):
        pass


def player(limits, fen=chess.STARTING_FEN, moment=100.0, said=None, ended=None):
    said, ended = [] if said is None else said, [] if ended is None else ended
    go = Command("go", limits.split(), moment)
    return Still(chess.Board(fen), go, 30, lambda: Outlook.LATE, said.append, lambda: ended.append(True))


def test_the_clock_is_that_of_the_player_to_move():
    black = chess.Board()
    black.push_uci("e2e4")
    for fen, left in ((chess.STARTING_FEN, 1000), (black.fen(), 2000)):
        assert player("wtime 1000 btime 2000", fen)._limits.time_left == left


def test_the_moves_to_judge_and_their_order():
    assert player("infinite searchmoves a2a3 Nf3 e9")._moves == [chess.Move.from_uci(m) for m in ("a2a3", "g1f3")]
    assert set(player("infinite searchmoves e9")._moves) == set(chess.Board().legal_moves)
    board = chess.Board("q3k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    moves = player("infinite", board.fen())._moves
    assert moves[0] == chess.Move.from_uci("a1a8")
    urgencies = [urgency(board, move) for move in moves]
    assert urgencies == sorted(urgencies, reverse=True)


@pytest.mark.parametrize(
    ("limits", "hit", "expected"),
    [
        ("movetime 530", None, 0.25),
        ("movetime 530 ponder", None, math.inf),
        ("movetime 530 ponder", 100.125, 0.375),
        ("movetime 530 infinite", None, math.inf),
        ("nodes 5", None, math.inf),
        ("infinite", None, math.inf),
    ],
)
def test_the_seconds_that_are_left(monkeypatch, limits, hit, expected):
    waiting = player(limits)
    if hit is not None:
        waiting.apply([Command("ponderhit", [], hit)])
    monkeypatch.setattr(time, "perf_counter", lambda: 100.25)
    assert waiting._seconds_left() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("limits", "later", "stopped", "started"),
    [
        ("infinite", [], False, 100.0),
        ("infinite", ["stop"], True, 100.0),
        ("infinite", ["position startpos"], False, 100.0),
        ("infinite", ["go nodes 5"], True, 100.0),
        ("infinite", ["go perft 5"], False, 100.0),
        ("nodes 5", ["go nodes 5"], False, 100.0),
        ("nodes 5", ["go nodes 5", "stop"], True, 100.0),  # means both
        ("movetime 5", ["go nodes 5"], False, 100.0),
        ("ponder movetime 9", ["go nodes 5"], True, None),
        ("ponder movetime 9", ["ponderhit"], False, 3.0),
        ("ponder movetime 9", ["ponderhit", "go nodes 5"], False, 3.0),
        ("ponder movetime 9", ["go nodes 5", "ponderhit"], True, None),  # it belongs to the other
        ("movetime 9", ["ponderhit"], False, 100.0),
    ],
)
def test_what_later_commands_mean(limits, later, stopped, started):
    waiting = player(limits)
    waiting.apply(commands(*later))
    assert waiting._stopped.is_set() == stopped
    assert waiting._clock_started == started
    assert waiting._news.is_set() == (stopped or started == 3.0)


@pytest.mark.parametrize(
    ("fen", "judged", "lines"),
    [
        (
            chess.STARTING_FEN,
            {"e2e4": (0, 5), "g1f3": (2, 1), "d2d4": (2, 3)},
            ["info depth 1 seldepth 1 multipv 1 score cp 200 nodes 3 time 250 pv d2d4", "bestmove d2d4"],
        ),
        (
            BACK_RANK,
            {"b1b8": (MATE_PAWNS, 0)},
            ["info depth 1 seldepth 1 multipv 1 score mate 1 nodes 1 time 250 pv b1b8"],
        ),
        (
            BACK_RANK,
            {"b1b7": (-MATE_PAWNS, 0)},
            ["info depth 1 seldepth 1 multipv 1 score mate -1 nodes 1 time 250 pv b1b7"],
        ),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", {}, ["info depth 0 score mate 0 nodes 0 time 250", "bestmove 0000"]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", {}, ["info depth 0 score cp 0 nodes 0 time 250", "bestmove 0000"]),
    ],
)
def test_answers(monkeypatch, fen, judged, lines):
    said, ended = [], []
    answering = player("infinite", fen, said=said, ended=ended)
    monkeypatch.setattr(time, "perf_counter", lambda: 100.25)
    answering._answer({chess.Move.from_uci(move): value for move, value in judged.items()})
    assert said[0] == "info string the search is not loaded yet: a simple player answers"
    assert said[1 : 1 + len(lines)] == lines
    assert (answering.answered.is_set(), ended) == (True, [True])


@pytest.mark.parametrize(
    ("limits", "now", "stopped", "gives_way", "judged"),
    [
        ("movetime 1030", 100.0, False, False, 20),  # it waits, judges all, waits
        ("movetime 30", 500.0, False, False, 1),  # too late for more than one
        ("movetime 30", 500.0, False, True, None),
        ("infinite", 100.0, True, False, 20),
        ("infinite", 100.0, True, True, None),
        ("nodes 5", 100.0, True, False, 20),
    ],
)
def test_a_whole_answer(monkeypatch, limits, now, stopped, gives_way, judged):
    clock, waits = [now], []

    class News:
        """Waiting moves the clock."""

        def wait(self, seconds):
            waits.append(seconds)
            clock[0] += seconds + 1e-9  # a clock that goes on, whatever is rounded

        def clear(self):
            pass

        set = clear

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    said = []
    answering = player(limits, said=said)
    answering._news = News()
    if stopped:
        answering.stop()
    if gives_way:
        answering._gives_way.set()
    answering.run()
    assert answering.answered.is_set() == (judged is not None)
    assert any(f" nodes {judged} " in line for line in said) == (judged is not None)
    assert all(0 < seconds <= 0.2 for seconds in waits)
    if limits == "movetime 1030":
        assert sum(waits) == pytest.approx(1.0, abs=1e-6)
        assert clock[0] == pytest.approx(101.0)
    else:
        assert waits == []


# For which `go`


@pytest.mark.parametrize(
    ("pending", "left"),
    [
        (["go nodes 1"], []),
        (["position startpos", "go nodes 1", "stop"], ["position startpos"]),
        (["go perft 1", "go nodes 1", "isready", "ponderhit", "d", "stop"], ["go perft 1", "isready", "d"]),
        (["stop", "go nodes 1", "go nodes 2", "stop"], ["stop", "go nodes 2", "stop"]),
        (["go nodes 1", "stop", "go nodes 2", "stop"], ["go nodes 2", "stop"]),
        (["go nodes 1", "go perft 2", "stop"], ["go perft 2"]),
    ],
)
def test_what_belongs_to_a_search_is_removed_with_it(pending, left):
    queue = deque(commands(*pending))
    remove_first_search(queue)
    assert texts_of(queue) == left


def test_the_first_search():
    assert first_search(commands("d", "go perft 3", "go nodes 1", "go")) == 2


def test_options_after_some_commands():
    options = Options()
    before = [
        "setoption name Hash value 32",
        "setoption name Hash value x",
        "setoption",
        "d",
        "setoption name Hash value 64",
    ]
    assert options_after(options, commands(*before)).hash_megabytes == 64
    assert options.hash_megabytes == 256  # as it was


@pytest.mark.parametrize(
    ("given", "fen"),
    [
        ([], chess.STARTING_FEN),
        (["d"], chess.STARTING_FEN),
        (
            ["position startpos moves e2e4", "position fen bad"],
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ),
        (["position startpos moves e2e5"], None),
        (["loadtree x"], None),
        (["position startpos", "loadtree x"], None),
        (["loadtree x", "position startpos"], chess.STARTING_FEN),
        (["loadtree x", "position fen bad"], None),
    ],
)
def test_the_position_before_a_search(given, fen):
    board = last_position(commands(*given), chess960=False)
    assert (None if board is None else board.fen()) == fen


@pytest.mark.parametrize(
    ("text", "expected"),
    [("e2e4", "e2e4"), ("e4", "e2e4"), ("Nf3", "g1f3"), ("e2e5", None), ("0000", None), ("--", None), ("x", None)],
)
def test_moves_in_both_notations(text, expected):
    move = parse_move(chess.Board(), text)
    assert (None if move is None else move.uci()) == expected


class FakePlayer:
    made = ()

    def __init__(self, board, go, overhead, see, say, wake):
        self.board, self.go, self.overhead, self.see, self.say, self.wake = board, go, overhead, see, say, wake
        self.applied, self.gave_way, self.stops = [], 0, 0
        self.answered = self
        self.is_answered = False
        FakePlayer.made = (*FakePlayer.made, self)

    def is_set(self):
        return self.is_answered

    def apply(self, later):
        self.applied.append(texts_of(later))

    def give_way(self):
        self.gave_way += 1

    def stop(self):
        self.stops += 1


def test_one_player_for_each_search_in_turn(monkeypatch):
    monkeypatch.setattr(fallback_module, "Player", FakePlayer)
    FakePlayer.made = ()
    loader, say, wake = FakeLoader(), object(), object()
    fallback = Fallback(Options(), loader, say, wake)
    pending = deque(
        commands("setoption name Move Overhead value 77", "position startpos moves e2e4", "go nodes 1", "d")
    )
    fallback.stop()  # nothing yet
    assert not fallback.is_playing
    fallback.attend(pending, search_is_ready=False)
    fallback.attend(pending, search_is_ready=False)
    (first,) = FakePlayer.made
    assert first.board.fen().split()[1] == "b"
    assert (first.go, first.overhead) == (pending[2], 77)
    assert (first.say, first.wake) == (say, wake)
    loader.outlook = Outlook.SOON
    assert first.see() is Outlook.SOON
    assert first.applied == [["d"], ["d"]]
    assert fallback.is_playing
    fallback.stop()
    assert first.stops == 1
    pending.extend(commands("go nodes 2", "stop"))
    first.is_answered = True
    assert fallback.is_playing  # the next search is not forgotten at the end of input
    fallback.attend(pending, search_is_ready=False)
    second = FakePlayer.made[1]
    assert second.see() is Outlook.LATE
    assert (texts_of([second.go]), second.applied) == (["go nodes 2"], [["stop"]])
    assert texts_of(pending)[2:] == ["d", "go nodes 2", "stop"]
    second.is_answered = True
    fallback.attend(pending, search_is_ready=False)
    assert texts_of(pending)[2:] == ["d"]
    assert not fallback.is_playing
    assert len(FakePlayer.made) == 2


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_search_that_is_ready_takes_over_what_is_not_answered(monkeypatch, is_answered):
    monkeypatch.setattr(fallback_module, "Player", FakePlayer)
    FakePlayer.made = ()
    fallback, pending = Fallback(Options(), None, None, None), deque(commands("go nodes 1", "stop", "go nodes 2"))
    fallback.attend(pending, search_is_ready=False)
    FakePlayer.made[0].is_answered = is_answered
    fallback.attend(pending, search_is_ready=True)
    assert FakePlayer.made[0].gave_way == 1
    assert texts_of(pending) == (["go nodes 2"] if is_answered else ["go nodes 1", "stop", "go nodes 2"])
    assert not fallback.is_playing
    fallback.attend(pending, search_is_ready=True)
    assert len(FakePlayer.made) == 1


def test_a_position_that_cannot_be_read_is_left_to_the_search(monkeypatch):
    monkeypatch.setattr(fallback_module, "Player", FakePlayer)
    FakePlayer.made = ()
    fallback, pending = Fallback(Options(), None, None, None), deque(commands("loadtree x", "go nodes 1"))
    fallback.attend(pending, search_is_ready=False)
    assert FakePlayer.made == ()
    assert not fallback.is_playing
    assert len(pending) == 2


def test_random_pending_commands_never_lose_a_search_that_was_not_answered():
    rng = random.Random(5)
    words = ["go nodes 1", "go perft 2", "stop", "ponderhit", "position startpos", "isready"]
    for _ in range(200):
        given = [rng.choice(words) for _ in range(rng.randint(0, 6))] + ["go infinite"]
        given += [rng.choice(words) for _ in range(rng.randint(0, 6))]
        queue = deque(commands(*given))
        remove_first_search(queue)
        searches = [text for text in given if text in ("go nodes 1", "go infinite")]
        assert [text for text in texts_of(queue) if text in ("go nodes 1", "go infinite")] == searches[1:]
        kept = [text for text in given if text not in ("stop", "ponderhit", "go nodes 1", "go infinite")]
        assert [text for text in texts_of(queue) if text in kept] == kept
