"""What happens to a game while the kernels are still being compiled: the textbook search stands in.

Commands are kept for the real engine meanwhile; a `go` that the stand-in has answered is taken out of them.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.commands import read_go, read_position
from engine.options import Settings
from engine.startup import Loader

if TYPE_CHECKING:
    import chess

    from engine.stopgap import Stopgap

Kept = tuple[list[str], float]  # a command and the moment it came
OF_A_SEARCH = frozenset({"go", "stop", "ponderhit"})


class StandIn:
    """Answers `go` in place of a search that is not loaded yet."""

    def __init__(
        self, settings: Settings, loader: Loader, say: Callable[[str], None], wake: Callable[[], None]
    ) -> None:
        self._settings, self._loader, self._say, self._wake = settings, loader, say, wake
        self._stopgap: Stopgap | None = None

    @property
    def is_playing(self) -> bool:
        """Is there a `go` to answer?"""
        return self._stopgap is not None and not self._stopgap.has_answered

    def hear(self, words: list[str], moment: float, kept: deque[Kept]) -> None:
        """Look at a command that is being kept."""
        if words[0] == "go":
            self._go(words, moment, kept)
        elif words[0] == "stop" and self._stopgap is not None:
            self._stopgap.stop()
        elif words[0] == "ponderhit" and self._stopgap is not None:
            self._stopgap.ponder_hit(moment)

    def settle(self, kept: deque[Kept], search_is_ready: bool) -> None:
        """Strike out what was answered. If the real search is ready, it takes over what was not."""
        if self._stopgap is None:
            return
        if search_is_ready:
            self._stopgap.give_way()
        if self._stopgap.has_answered:
            self._strike_out(kept)
        if self._stopgap.has_answered or search_is_ready:
            self._stopgap = None

    def _go(self, words: list[str], moment: float, kept: deque[Kept]) -> None:
        go = read_go(words[1:])
        if "perft" in go.numbers:
            return
        if self._stopgap is not None:
            self._stopgap.end()
            self._strike_out(kept)
            kept.append((words, moment))
            self._stopgap = None
        board = last_position(kept, self._settings.flag("UCI_Chess960"))
        if board is not None:
            from engine.stopgap import Clock, Stopgap

            wished = [move for move in board.legal_moves if board.uci(move) in go.wished]
            overhead = self._settings.number("Move Overhead")
            limits = go.limits(board.turn)
            clock = Clock(limits, overhead, moment, lambda: self._loader.has_failed)
            self._stopgap = Stopgap(board, wished, clock, self._say, self._wake)

    @staticmethod
    def _strike_out(kept: deque[Kept]) -> None:
        remaining = [item for item in kept if item[0][0] not in OF_A_SEARCH or "perft" in item[0]]
        kept.clear()
        kept.extend(remaining)


def last_position(kept: deque[Kept], chess960: bool) -> "chess.Board | None":
    """The last position among kept commands that python-chess can read; the start position if there is no command."""
    commands = [words[1:] for words, _ in kept if words[0] == "position"] or [["startpos"]]
    boards = (read_board(words, chess960) for words in reversed(commands))
    return next((board for board in boards if board is not None), None)


def read_board(words: list[str], chess960: bool) -> "chess.Board | None":
    """What a `position` command says, or None if it is wrong: the real engine will tell why."""
    import chess

    try:
        fen, moves = read_position(words)
        board = chess.Board(fen or chess.STARTING_FEN, chess960=chess960)
        for move in moves:
            board.push_uci(move)
    except ValueError:
        return None
    return board if board.is_valid() else None
