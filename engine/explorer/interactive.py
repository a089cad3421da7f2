"""An interactive session: the page may start, stop and move the search, and ask for more visits."""

import threading
import time
from collections.abc import Iterable, Sequence

from engine.analysis import Analysis
from engine.explorer.asked import Data, text_in, whole_in
from engine.explorer.view import PageAction, SearchHandle, View
from engine.pgn.positions import position_in_text
from movegen import Position

SECONDS_UNWATCHED = 10.0  # after which the search stops
SECONDS_BETWEEN_CHECKS = 1.0
MOST_EXTRA_VISITS = 100_000


class InteractiveSession(View):
    """Searches that run for the page."""

    def __init__(self, searches: Sequence[tuple[str, Analysis]], visits: int | None = None) -> None:
        """`visits`: each search pauses when its root has them, until `go`."""
        super().__init__([SearchHandle(name, analysis.searcher.report) for name, analysis in searches])
        self.analyses = [analysis for _, analysis in searches]
        self._visits = visits
        self._lock, self._searching_more = threading.Lock(), threading.Lock()
        self._last_look, self._is_paused, self._is_closed = time.monotonic(), False, False

    def start(self) -> None:
        """Search as long as a page is open."""
        self.go()
        threading.Thread(target=self._watch, name="idle-check", daemon=True).start()

    def look(self) -> None:
        """A page is open: a search that was stopped without one goes on."""
        self._last_look = time.monotonic()
        if not self._is_paused and not self.is_searching:
            with self._lock:
                self._start()

    def _watch(self) -> None:
        while not self._is_closed:
            time.sleep(SECONDS_BETWEEN_CHECKS)
            if self.is_searching and time.monotonic() - self._last_look > SECONDS_UNWATCHED:
                with self._lock:
                    self._stop()

    @property
    def is_searching(self) -> bool:
        """Is any search running?"""
        return any(analysis.is_searching for analysis in self.analyses)

    def _start(self) -> None:
        for analysis in self.analyses:
            left, is_over = self._visits_left(analysis), analysis.position.is_game_over()
            if not analysis.is_searching and not is_over and left != 0:
                analysis.start(visits=left)

    def _visits_left(self, analysis: Analysis) -> int | None:
        """None: no limit."""
        return None if self._visits is None else max(0, self._visits - int(analysis.summary()["visits"]))

    def _stop(self) -> None:
        for analysis in self.analyses:
            analysis.searcher.stop()
        for analysis in self.analyses:
            analysis.wait()

    def close(self) -> None:
        """End the search."""
        self._is_closed = self._is_paused = True
        with self._lock:
            self._stop()

    # What the page may do

    def actions(self) -> dict[str, PageAction]:
        """By name. Arguments come from outside: their types are checked."""
        return {
            "go": lambda _: self.go(),
            "pause": lambda _: self.pause(),
            "more": lambda asked: self.more(
                whole_in(asked, "search"), text_in(asked, "move"), whole_in(asked, "visits")
            ),
            "descend": lambda asked: self.descend(text_in(asked, "path")),
            "setup": lambda asked: self.setup(text_in(asked, "text")),
        }

    def go(self) -> Data:
        """Continue the search, also beyond the visits that were asked for."""
        with self._lock:
            if all(self._visits_left(analysis) == 0 for analysis in self.analyses):
                self._visits = None
            self._is_paused = False
            self._start()
        return {"searching": True}

    def pause(self) -> Data:
        """Pause until `go`."""
        with self._lock:
            self._is_paused = True
            self._stop()
        return {"searching": False}

    def more(self, number: int, move: str, visits: int) -> Data:
        """Search a move in a separate tree, then explain it."""
        if not 1 <= visits <= MOST_EXTRA_VISITS or not 0 <= number < len(self.analyses):
            raise ValueError(f"visits must be from 1 to {MOST_EXTRA_VISITS}")
        if not self._searching_more.acquire(blocking=False):
            raise ValueError("one move at a time")
        try:
            return self.with_policies(self.analyses[number].explain(move, visits), number)
        finally:
            self._searching_more.release()

    def descend(self, path: str) -> Data:
        """Make a node the root of the search. What is known below it is kept."""
        position = self.position(path)
        if position["over"]:
            raise ValueError("the game is over there")
        moves, here = path.split("/"), self.analyses[0].position
        self._move([analysis.position.play_all(moves) for analysis in self.analyses], codes_of(here, moves))
        return position

    def setup(self, text: str) -> Data:
        """Search another position: a FEN, or the last one of a PGN."""
        position = position_in_text(text)
        if position.is_game_over(claim_draw=True):
            raise ValueError("the game is over there")
        self._move([position] * len(self.analyses), None)
        return self.position("")

    def _move(self, positions: list[Position], codes: tuple[int, ...] | None, *, takes_back: bool = False) -> None:
        """Make positions the roots. `codes` lead there from the present root; None: the tree cannot be used.

        `takes_back`: instead of the last move that led to it.
        """
        with self._lock:
            self._stop()
            for analysis, position in zip(self.analyses, positions, strict=True):
                analysis.position = position
                analysis.searcher.set_position(position, codes, takes_back=takes_back)
            if not self._is_paused:
                self._start()


def codes_of(position: Position, moves: Iterable[str]) -> tuple[int, ...]:
    """Moves that follow each other, as numbers."""
    codes = []
    for move in moves:
        codes.append(position.code(move))
        position = position.play(codes[-1])
    return tuple(codes)
