"""Teresa's moves when a position is played out, at a rating or at full strength, in a separate tree."""

from dataclasses import replace

from engine.config.options import Options
from engine.config.strength import LEVELS, STRONGEST, WEAKEST
from engine.search.clock import Limits
from engine.search.reporter import BestMove
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position

MEGABYTES = 64
MILLISECONDS = 1000  # of a move at full strength
MOST_MILLISECONDS = 5000  # of a move at a rating, whose visits are fixed
RATINGS = tuple(sorted(LEVELS))


def check_rating(elo: int | None) -> None:
    """`ValueError` if nobody plays at this rating. None: full strength."""
    if elo is not None and not WEAKEST <= elo <= STRONGEST:
        raise ValueError(f"elo must be from {WEAKEST} to {STRONGEST}")


class Opponent:
    """Plays one side of a game."""

    def __init__(self, options: Options, elo: int | None, resources: Resources) -> None:
        """`options`: of the searches of the page. `elo` None: full strength."""
        check_rating(elo)
        own = replace(options, analyse_mode=False, move_overhead=0, threads=1, temperature=0)
        own.hash_megabytes = min(MEGABYTES, options.hash_megabytes)
        own.limit_strength = elo is not None
        own.elo = elo or STRONGEST
        self._best = BestMove()
        self._limits = Limits(move_time=MILLISECONDS if elo is None else MOST_MILLISECONDS)
        self._searcher = Searcher(own, self._best, resources)

    def choose(self, position: Position) -> int | None:
        """The move to play; None if there is none."""
        if not position.move_codes:
            return None
        self._searcher.set_position(position, None)
        search_to_end(self._searcher, self._limits)
        return None if self._best.move is None else position.code(self._best.move)

    def stop(self) -> None:
        """End a search soon."""
        self._searcher.stop()


def name_of(elo: int | None) -> str:
    """Of the variation in which such a game is kept."""
    return "against Teresa" if elo is None else f"against {elo}"
