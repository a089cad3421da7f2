"""What happens to a game while the search is not there yet: the textbook search stands in.

Commands are kept for the real engine meanwhile; a `go` that the stand-in has answered is taken out of them.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from typing import TYPE_CHECKING

from engine.config.options import Options
from engine.loader import Loader
from engine.uci.parse import Go, read_go, read_option, read_position

if TYPE_CHECKING:
    import chess

    from engine.uci.stopgap import Stopgap

Kept = tuple[list[str], float]  # a command and the moment it came


class StandIn:
    """Answers the first `go` that waits for a search that is not loaded yet."""

    def __init__(self, options: Options, loader: Loader, say: Callable[[str], None], wake: Callable[[], None]) -> None:
        self._settings, self._loader, self._say, self._wake = options, loader, say, wake
        self._stopgap: Stopgap | None = None
        self._ends_by_itself = False  # what the first `go` asks for

    @property
    def is_playing(self) -> bool:
        """Is there a `go` to answer?"""
        return self._stopgap is not None and not self._stopgap.has_answered

    def hear(self, words: list[str], moment: float, kept: deque[Kept]) -> None:
        """Look at a command that was just kept."""
        if self._stopgap is not None:
            self._pass_on(words, moment)
        elif is_search(words):
            self._begin(kept)

    def stop(self) -> None:
        """Answer now."""
        if self._stopgap is not None:
            self._stopgap.stop()

    def settle(self, kept: deque[Kept], search_is_ready: bool) -> None:
        """Strike out what was answered, and begin with the next. If the real search is ready, it takes over."""
        if self._stopgap is None:
            return
        if search_is_ready:
            self._stopgap.give_way()
        has_answered = self._stopgap.has_answered
        if has_answered:
            strike_out(kept)
        if has_answered or search_is_ready:
            self._stopgap = None
        if has_answered and not search_is_ready and first_search(kept) is not None:
            self._begin(kept)

    def _begin(self, kept: deque[Kept]) -> None:
        place = first_search(kept)
        if place is None:
            return
        words, moment = kept[place]
        options = options_after(self._settings, islice(kept, place))
        board = last_position(islice(kept, place), options.chess960)
        if board is None:
            return
        from engine.uci.stopgap import Clock, Stopgap

        go = read_go(words[1:])
        limits = go.limits(board.turn)
        self._ends_by_itself = not (limits.infinite or limits.ponder)
        clock = Clock(limits, options.move_overhead, moment, lambda: self._loader.outlook)
        self._stopgap = Stopgap(board, wished_moves(board, go), clock, self._say, self._wake)
        for later, when in islice(kept, place + 1, None):
            self._pass_on(later, when)

    def _pass_on(self, words: list[str], moment: float) -> None:
        """Tell the stopgap what came after its `go`."""
        if self._stopgap is None:
            return
        if words[0] == "stop" or (is_search(words) and not self._ends_by_itself):
            self._stopgap.stop()
        elif words[0] == "ponderhit":
            self._ends_by_itself = True
            self._stopgap.ponder_hit(moment)


def is_search(words: list[str]) -> bool:
    """Is it a `go` that asks for a move?"""
    return words[0] == "go" and "perft" not in read_go(words[1:]).numbers


def first_search(kept: deque[Kept]) -> int | None:
    """The place of the first `go` among kept commands."""
    return next((place for place, (words, _) in enumerate(kept) if is_search(words)), None)


def strike_out(kept: deque[Kept]) -> None:
    """Take out the first `go`, and what belongs to it alone."""
    place = first_search(kept)
    if place is None:
        return
    del kept[place]
    while place < len(kept) and not is_search(kept[place][0]):
        if kept[place][0][0] in ("stop", "ponderhit"):
            del kept[place]
        else:
            place += 1


def options_after(options: Options, kept: Iterable[Kept]) -> Options:
    """The options as they will be once kept commands are carried out."""
    after = deepcopy(options)
    for words, _ in kept:
        if words[0] == "setoption":
            with suppress(ValueError):  # the real engine will complain
                after.set(*read_option(words[1:]))
    return after


def last_position(kept: Iterable[Kept], chess960: bool) -> "chess.Board | None":
    """The last position among kept commands that can be played; the start position if there is no command.

    None if there are wrong ones only, or if it will be that of a file.
    """
    commands = [words for words, _ in kept if words[0] in ("position", "loadtree")] or [["position", "startpos"]]
    for words in reversed(commands):
        board = read_board(words[1:], chess960) if words[0] == "position" else None
        if board is not None or words[0] == "loadtree":
            return board
    return None


def read_board(words: list[str], chess960: bool) -> "chess.Board | None":
    """What a `position` command says, or None if it is wrong: the real engine will explain why.

    The FEN is read and repaired as the real engine does it, so that both mean the same position.
    """
    import chess

    from movegen.fen import START_FEN, read_fen, write_fen

    try:
        fen, moves = read_position(words)
        repaired = write_fen(read_fen(START_FEN if fen is None else fen, chess960), shredder=chess960)
        board = chess.Board(repaired, chess960=chess960)
        if board.was_into_check():
            return None
        for text in moves:
            board.push(read_move(board, text))
    except ValueError:
        return None
    return board


def read_move(board: "chess.Board", text: str) -> "chess.Move":
    """A legal move in UCI notation or SAN; `ValueError` if it is none."""
    try:
        move = board.parse_uci(text)
    except ValueError:
        move = board.parse_san(text)
    if not move:
        raise ValueError("a null move")
    return move


def wished_moves(board: "chess.Board", go: Go) -> "list[chess.Move]":
    """The legal moves of `searchmoves`."""
    found = []
    for text in go.wished:
        try:
            found.append(read_move(board, text))
        except ValueError:  # the real engine would leave it out too
            continue
    return found
