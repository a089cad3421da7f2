"""How long to think about a position, and waiting for the end of it."""

from dataclasses import dataclass

from engine.search.clock import Limits
from engine.search.searcher import Searcher

SECONDS_BETWEEN_LOOKS = 0.1  # Windows tells of Ctrl-C only between two waits


@dataclass(frozen=True)
class Pace:
    """How long to think about a position."""

    seconds: float | None
    visits: int | None

    @property
    def text(self) -> str:
        """`2 s`, `800 visits`, or both."""
        parts = [] if self.seconds is None else [f"{self.seconds:g} s"]
        return " and ".join([*parts, *([] if self.visits is None else [f"{self.visits} visits"])])

    @property
    def limits(self) -> Limits:
        """The same, as a search takes it."""
        return Limits(move_time=None if self.seconds is None else max(1, round(1000 * self.seconds)), nodes=self.visits)


def search(searcher: Searcher, limits: Limits) -> None:
    """Search until it is over; Ctrl-C ends it."""
    searcher.go(limits)
    try:
        while searcher.is_searching:
            searcher.wait(SECONDS_BETWEEN_LOOKS)
    except KeyboardInterrupt:
        searcher.stop()
        searcher.wait()
        raise
