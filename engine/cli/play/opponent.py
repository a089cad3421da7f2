"""Teresa as the user's opponent: moves are chosen in a tree that is kept from move to move."""

from engine.config.options import Options
from engine.explain.explain import answer
from engine.explain.text import WHY_NOT_HINT, lines_of
from engine.search.clock import Limits
from engine.search.foreground import BestMove, search_to_end
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from movegen import Position


class Opponent:
    """Plays against the user, at the strength that the options set."""

    def __init__(self, options: Options, limits: Limits, resources: Resources) -> None:
        self._limits, self._best = limits, BestMove()
        self._searcher = Searcher(options, self._best, resources)
        self._start: Position | None = None
        self._codes: list[int] = []

    def choose(self, positions: list[Position], codes: list[int]) -> int:
        """The move to play after a game. The tree is kept if the game continues the one before."""
        known = len(self._codes)
        is_continued = self._start is positions[0] and codes[:known] == self._codes
        self._searcher.set_position(positions[-1], tuple(codes[known:]) if is_continued else None)
        self._start, self._codes = positions[0], list(codes)
        search_to_end(self._searcher, self._limits)
        return positions[-1].code(self._best.move or "")

    @property
    def has_moved(self) -> bool:
        """Is there a search to explain?"""
        return self._searcher.run is not None

    @property
    def position(self) -> Position:
        """The position of the last search."""
        return self._searcher.position

    def forget(self) -> None:
        """Another game begins."""
        self._start, self._codes = None, []
        self._searcher.set_position(Position(), None)

    def explain(self, move: str | None, visits: int | None = None) -> list[str]:
        """Why the last move, or why not another one."""
        return lines_of(answer(self._searcher.report(), move, visits), WHY_NOT_HINT)
