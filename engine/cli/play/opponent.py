"""Teresa at the board: she chooses her moves in a tree that is kept from move to move."""

from engine.cli.play.pace import Pace, search
from engine.config.options import Options
from engine.explain.explain import answer
from engine.explain.text import TYPED, lines_of
from engine.search.listener import SilentListener
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from movegen import Position


class _Ear(SilentListener):
    """Remembers the move that was told."""

    best: str | None = None

    def on_best_move(self, best: str | None, reply: str | None) -> None:  # noqa: ARG002  (the reply is not needed)
        self.best = best


class Opponent:
    """Who plays against the person; as weak as the options say."""

    def __init__(self, settings: Options, pace: Pace, knowledge: Resources) -> None:
        self.pace, self._ear = pace, _Ear()
        self.searcher = Searcher(settings, self._ear, knowledge)
        self._start: Position | None = None
        self._codes: list[int] = []

    def choose(self, positions: list[Position], codes: list[int]) -> int:
        """The move to play after a game; what the tree knows of it already is kept."""
        known = len(self._codes)
        is_continued = self._start is positions[0] and codes[:known] == self._codes
        self.searcher.set_position(positions[-1], tuple(codes[known:]) if is_continued else None)
        self._start, self._codes = positions[0], list(codes)
        search(self.searcher, self.pace.limits)
        return positions[-1].code(self._ear.best or "")

    @property
    def has_moved(self) -> bool:
        """Is there a search to tell of?"""
        return self.searcher.run is not None

    @property
    def position(self) -> Position:
        """The position of the last search."""
        return self.searcher.position

    def forget(self) -> None:
        """Another game begins."""
        self._start, self._codes = None, []
        self.searcher.set_position(Position(), None)

    def explain(self, move: str | None, visits: int | None = None) -> list[str]:
        """Why her last move, or why not another one."""
        return lines_of(answer(self.searcher.report(), move, visits), TYPED)
