"""What is known of games in a list once their moves were read; reading takes milliseconds a game."""

import threading
import time
from collections import OrderedDict
from typing import NamedTuple

from engine.pgn.movetext import read_game
from engine.pgn.scan import text_in

MOST_KEPT = 20_000
LONGEST_CHECKED = 1 << 17  # bytes of a game, read in a second


class CheckedGame(NamedTuple):
    """What a list says of a game."""

    plies: int | None
    problem: str


class RowChecks:
    """Reads games while there is time, and keeps what it found, by the digests of the games."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, CheckedGame] = OrderedDict()
        self._lock, self._end = threading.Lock(), 0.0

    def begin(self, patience: float) -> None:
        """Give the next checks a number of seconds."""
        self._end = time.monotonic() + patience

    def keep(self, digest: int, checked: CheckedGame) -> None:
        """Keep what is known of a game."""
        with self._lock:
            self._known[digest] = checked
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)

    def check(self, digest: int, content: bytes, encoding: str) -> CheckedGame:
        """What is wrong with a game; nothing is known of it if there is no time left."""
        known = self._known.get(digest)
        if known is not None:
            return known
        if time.monotonic() > self._end or len(content) > LONGEST_CHECKED:
            return CheckedGame(None, "")
        read = read_game(text_in(content, encoding))
        plies = len(list(read.game.mainline_moves())) if read.can_start else None
        checked = CheckedGame(plies, read.problem)
        self.keep(digest, checked)
        return checked
