"""The player for the very first start: it answers a `go` while the search is still being compiled.

It looks one move ahead, `max(moves, key=judge_move)`, and plays out exchanges. It waits for the search as long as the
clock allows. Commands stay pending for the search meanwhile; a `go` that is answered here is removed from them.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import takewhile

import chess

from engine.config.options import Options
from engine.loader import Loader, Outlook
from engine.search.clock import Limits, budget
from engine.uci.background import Say, Wake
from engine.uci.parse import Command, is_search, option_of, read_go, read_option, read_start_and_moves
from movegen.fen import read_fen, write_fen

See = Callable[[], Outlook]
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
MATE_PAWNS = 1000  # more than any material
DEEPEST_EXCHANGE = 6  # captures
SECONDS_TO_THINK, SECONDS_BETWEEN_LOOKS = 0.4, 0.2
LARGEST_SHARE_OF_CLOCK = 0.5  # for the first move, if the search is only being loaded


def judge_move(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """What a move leads to, for the player who makes it: pawns ahead after all exchanges, then legal moves ahead."""
    board.push(move)
    try:
        if board.is_checkmate():
            return MATE_PAWNS, 0
        if board.is_stalemate() or board.is_insufficient_material() or board.is_fifty_moves() or board.is_repetition():
            return 0, 0
        return (-MATE_PAWNS, 0) if can_mate(board) else (-settled_material(board), -mobility(board))
    finally:
        board.pop()


def settled_material(board: chess.Board, alpha: int = -MATE_PAWNS, beta: int = MATE_PAWNS, depth: int = 0) -> int:
    """The material after both sides have made the captures that pay, in pawns, for the player to move."""
    best = material(board)
    if best >= beta or depth == DEEPEST_EXCHANGE:
        return best
    for move in sorted(board.generate_legal_captures(), key=partial(value_taken, board), reverse=True):
        board.push(move)
        best = max(best, -settled_material(board, -beta, -max(alpha, best), depth + 1))
        board.pop()
        if best >= beta:
            break
    return best


def material(board: chess.Board) -> int:
    """Own pieces less the opponent's, in pawns, for the player to move."""
    total = 0
    for kind, value in VALUES.items():
        own, other = board.pieces_mask(kind, board.turn), board.pieces_mask(kind, not board.turn)
        total += value * (own.bit_count() - other.bit_count())
    return total


def value_taken(board: chess.Board, capture: chess.Move) -> int:
    """What a capture takes, in pawns; en passant, the square it moves to is empty."""
    return VALUES[board.piece_type_at(capture.to_square) or chess.PAWN]


def mobility(board: chess.Board) -> int:
    """Legal moves of the player to move, less those of the opponent."""
    own = board.legal_moves.count()
    board.push(chess.Move.null())
    other = board.legal_moves.count()
    board.pop()
    return own - other


def can_mate(board: chess.Board) -> bool:
    """Whether the player to move has a mate in one."""
    for move in filter(board.gives_check, board.legal_moves):
        board.push(move)
        is_mate = board.is_checkmate()
        board.pop()
        if is_mate:
            return True
    return False


def urgency(board: chess.Board, move: chess.Move) -> int:
    """Which moves to judge first, should time be short: checks, then captures and attacked pieces, by value."""
    moving = VALUES[board.piece_type_at(move.from_square) or chess.PAWN]
    in_danger = moving * board.is_attacked_by(not board.turn, move.from_square)
    taken = value_taken(board, move) * board.is_capture(move)
    return MATE_PAWNS * board.gives_check(move) + max(in_danger, taken)


def seconds_allowed(limits: Limits, overhead: int, outlook: Outlook) -> float | None:
    """The time for an answer; None: any. A search that comes soon is waited for, unless the clock would run out."""
    allowed = budget(limits, overhead)
    if outlook is Outlook.SOON:
        clock = limits.time_left
        return None if clock is None else max(allowed.hard or 0.0, LARGEST_SHARE_OF_CLOCK * clock / 1000)
    if allowed.hard is None and outlook is Outlook.NEVER:
        return 0.0
    return allowed.soft  # many moves may pass until it is loaded: the hard limit at each would use up the clock


class Player(threading.Thread):
    """The answer to one `go`, in a thread. It thinks as late as possible: thinking slows the loader down."""

    def __init__(self, board: chess.Board, go: Command, overhead: int, see: See, say: Say, on_end: Wake) -> None:
        """`overhead`: milliseconds lost at each move; `see` returns when the search will be there."""
        super().__init__(name="fallback", daemon=True)
        asked = read_go(go.arguments)
        self._limits, self._board = asked.limits(board.turn), board
        wanted = [move for text in asked.search_moves if (move := parse_move(board, text))] or board.legal_moves
        self._moves = sorted(wanted, key=partial(urgency, board), reverse=True)
        self._moment, self._overhead, self._see, self._say, self._on_end = go.moment, overhead, see, say, on_end
        self._clock_started = None if self._limits.ponder else go.moment
        self._stopped, self._gives_way, self._news = threading.Event(), threading.Event(), threading.Event()
        self.answered = threading.Event()  # `bestmove` is printed
        self.start()

    def stop(self) -> None:
        """Answer now, unless the search comes soon and can do it."""
        self._stopped.set()
        self._news.set()

    def apply(self, later: list[Command]) -> None:
        """Apply what came after the `go`: `stop`, `ponderhit`, or another `go`, which ends an endless one."""
        for command in takewhile(lambda command: not is_search(command), later):
            if command.name == "ponderhit" and self._clock_started is None:
                self._clock_started = command.moment
                self._news.set()
        is_endless = self._limits.infinite or self._clock_started is None
        if any(command.name == "stop" or (is_endless and is_search(command)) for command in later):
            self.stop()

    def give_way(self) -> None:
        """The search is ready: end without an answer, unless it is given already."""
        self._gives_way.set()
        self._news.set()
        self.join()

    def run(self) -> None:
        """Wait, judge the moves, wait again and answer."""
        self._wait_until_left(SECONDS_TO_THINK)
        has_limit, judged = budget(self._limits, 0).hard is not None, {}
        for move in self._moves:
            judged[move] = judge_move(self._board, move)
            if self._gives_way.is_set() or (has_limit and self._seconds_left() <= 0):
                break
        self._wait_until_left(0.0)
        if not self._gives_way.is_set():
            self._answer(judged)

    def _wait_until_left(self, seconds: float) -> None:
        while not self._gives_way.is_set() and (left := self._seconds_left()) > seconds:
            if self._stopped.is_set() and self._see() is not Outlook.SOON:
                return
            self._news.wait(min(left - seconds, SECONDS_BETWEEN_LOOKS))
            self._news.clear()

    def _seconds_left(self) -> float:
        limit = seconds_allowed(self._limits, self._overhead, self._see())
        if self._limits.infinite or self._clock_started is None or limit is None:
            return math.inf
        return self._clock_started + limit - time.perf_counter()

    def _answer(self, judged: dict[chess.Move, tuple[int, int]]) -> None:
        work = f"nodes {len(judged)} time {int((time.perf_counter() - self._moment) * 1000)}"
        self._say("info string the search is not loaded yet: a simple player answers")
        if judged:
            best = max(judged, key=judged.__getitem__)
            pawns, text = judged[best][0], self._board.uci(best)
            score = {MATE_PAWNS: "mate 1", -MATE_PAWNS: "mate -1"}.get(pawns, f"cp {100 * pawns}")
            self._say(f"info depth 1 seldepth 1 multipv 1 score {score} {work} pv {text}")
        else:
            text = "0000"
            self._say(f"info depth 0 score {'mate 0' if self._board.is_check() else 'cp 0'} {work}")
        self._say(f"bestmove {text}")
        self.answered.set()
        self._on_end()


class Fallback:
    """Answers the first pending `go`, then the next, until the search is loaded."""

    def __init__(self, options: Options, loader: Loader, say: Say, wake: Wake) -> None:
        self._options, self._loader, self._say, self._wake = options, loader, say, wake
        self._player: Player | None = None
        self._has_answered = False

    @property
    def is_playing(self) -> bool:
        """Whether a `go` is being answered here, or was answered since `attend`: the next one may follow it."""
        return self._player is not None

    def stop(self) -> None:
        """Answer now."""
        if self._player is not None:
            self._player.stop()

    def attend(self, pending: deque[Command], search_is_ready: bool) -> None:
        """Remove a `go` that was answered, and begin with the next. Once the search is ready, give way to it."""
        if self._player is not None and search_is_ready:
            self._player.give_way()
        if self._player is not None and self._player.answered.is_set():
            remove_first_search(pending)
            self._player, self._has_answered = None, True
        if search_is_ready or not any(map(is_search, pending)):
            self._player = None
            return
        commands, index = list(pending), first_search(pending)
        if self._player is None:
            self._player = self._new_player(commands[:index], commands[index])
        if self._player is not None:
            self._player.apply(commands[index + 1 :])

    def _new_player(self, before: list[Command], command: Command) -> Player | None:
        options = options_after(self._options, before)
        board = last_position(before, options.chess960)
        if board is None:
            return None
        return Player(board, command, options.move_overhead, self._see, self._say, self._wake)

    def _see(self) -> Outlook:
        """Only the first player believes that the search comes soon: each would use half of the clock to wait."""
        outlook = self._loader.outlook
        return Outlook.LATE if outlook is Outlook.SOON and self._has_answered else outlook


def first_search(commands: Iterable[Command]) -> int:
    """The index of the first `go`, which must be there."""
    return next(index for index, command in enumerate(commands) if is_search(command))


def remove_first_search(pending: deque[Command]) -> None:
    """Remove the first `go`, and the `stop` and `ponderhit` that belong to it."""
    index = first_search(pending)
    del pending[index]
    while index < len(pending) and not is_search(pending[index]):
        if pending[index].name in ("stop", "ponderhit"):
            del pending[index]
        else:
            index += 1


def options_after(options: Options, commands: Iterable[Command]) -> Options:
    """The options once some commands have run."""
    after = deepcopy(options)
    for command in filter(option_of, commands):
        with suppress(ValueError):  # the session will complain
            after.set(*read_option(command.arguments))
    return after


def last_position(commands: Iterable[Command], chess960: bool) -> chess.Board | None:
    """The last position that can be played, at first the start position. None: all are wrong, or it is in a file."""
    given = [command for command in commands if command.name in ("position", "loadtree")]
    for command in reversed(given or [Command("position", ["startpos"], 0.0)]):
        board = parse_board(command.arguments, chess960) if command.name == "position" else None
        if board is not None or command.name == "loadtree":
            return board
    return None


def parse_board(tokens: list[str], chess960: bool) -> chess.Board | None:
    """The position of a `position` command; None if it is wrong. FENs are repaired as the session repairs them."""
    try:
        fen, texts = read_start_and_moves(tokens)
        repaired = write_fen(read_fen(fen, chess960), shredder=chess960)
        board = chess.Board(repaired, chess960=chess960)
    except ValueError:
        return None
    if board.was_into_check():
        return None
    for text in texts:
        move = parse_move(board, text)
        if move is None:
            return None
        board.push(move)
    return board


def parse_move(board: chess.Board, text: str) -> chess.Move | None:
    """A legal move in UCI notation or SAN; None if it is none."""
    for parse in (board.parse_uci, board.parse_san):
        with suppress(ValueError):
            return parse(text) or None  # a null move is false
    return None
