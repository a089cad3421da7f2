"""A search in the foreground: the caller waits for its end, and Ctrl-C stops it."""

from engine.search.clock import Limits
from engine.search.listener import SilentListener
from engine.search.searcher import Searcher

SECONDS_BETWEEN_LOOKS = 0.1  # Windows raises KeyboardInterrupt only between two waits
MOST_MILLISECONDS = 10**9


class BestMove(SilentListener):
    """Keeps the move of the last search."""

    move: str | None = None

    def on_best_move(self, best: str | None, reply: str | None) -> None:  # noqa: ARG002  (the reply is not needed)
        """Keep it."""
        self.move = best


def limits_of(seconds: float | None, visits: int | None) -> Limits:
    """Seconds, visits, or both, as a search takes them; without either it does not end by itself."""
    move_time = None if seconds is None else max(1, min(round(1000 * seconds), MOST_MILLISECONDS))
    return Limits(nodes=visits, move_time=move_time, infinite=seconds is None and visits is None)


def search_to_end(searcher: Searcher, limits: Limits) -> None:
    """Search until the limits are reached; Ctrl-C stops it."""
    searcher.go(limits)
    try:
        while searcher.is_searching:
            searcher.wait(SECONDS_BETWEEN_LOOKS)
    except KeyboardInterrupt:
        searcher.stop()
        searcher.wait()
        raise
