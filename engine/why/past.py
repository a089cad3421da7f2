"""What the history of the root says of a move: when the opinion turned, and since when it stands."""

from typing import Any, NamedTuple

FIRST_VISITS = 1000  # from which on an opinion may be called steady, or a tenth of all visits
LEAST_SAMPLES = 4


class Steady(NamedTuple):
    """The bounds of a score since so many visits of the root."""

    low: float
    high: float
    since: int


class Past:
    """The history of a report, asked by moves in UCI notation."""

    def __init__(self, history: dict[str, Any]) -> None:
        self.visits: list[int] = history["visits"]
        self._column = {move: number for number, move in enumerate(history["moves"])}
        self._counts: list[list[int]] = history["n"]
        self._scores: list[list[float | None]] = history["q"]

    def scores(self, move: str) -> list[float | None]:
        """The score of a move at each sample; None before its first visit."""
        column = self._column.get(move)
        return [None if column is None else line[column] for line in self._scores]

    def below_since(self, move: str, best: str) -> int | None:
        """Visits of the root since when a move has had a lower score than the best one.

        None if it has none now; 0 if it never had another one.
        """
        pairs = zip(self.visits, self.scores(move), self.scores(best), strict=True)
        known = [(visits, mine < other) for visits, mine, other in pairs if mine is not None and other is not None]
        if known and all(is_below for _, is_below in known):
            return 0
        return _since(known)

    def best_since(self, move: str) -> int | None:
        """Visits of the root since when a move has had the most visits; None if it has not now."""
        column = self._column.get(move)
        has_most = [column is not None and line[column] == max(line) for line in self._counts]
        return _since(list(zip(self.visits, has_most, strict=True)))

    def steady(self, move: str) -> Steady | None:
        """Between which bounds its score has been; None if there are too few samples."""
        if not self.visits:
            return None
        start = min(FIRST_VISITS, self.visits[-1] // 10)
        known = [
            (visits, score)
            for visits, score in zip(self.visits, self.scores(move), strict=True)
            if score is not None and visits >= start
        ]
        if len(known) < LEAST_SAMPLES:
            return None
        scores = [score for _, score in known]
        return Steady(min(scores), max(scores), known[0][0])


def _since(samples: list[tuple[int, bool]]) -> int | None:
    """The visits from which on something holds until the end; None if it does not hold there."""
    since = None
    for visits, holds in samples:
        since = (visits if since is None else since) if holds else None
    return since
