"""What the history of the root says about a move: when the opinion changed, and since when it has been steady."""

from typing import NamedTuple

from engine.mcts.tree import SCORE_UNIT
from engine.report.move_stats import DIGITS
from engine.report.progress import History

FIRST_VISITS = 1000  # a score may be called steady after these, or after a tenth of all visits
LEAST_SAMPLES = 4


class Steady(NamedTuple):
    """The bounds of a score since a number of visits of the root."""

    low: float
    high: float
    since: int


class Trend:
    """The history of the root, by the codes of moves."""

    def __init__(self, history: History) -> None:
        codes, self._samples = history.read()
        self._column = {code: number for number, code in enumerate(codes)}

    def scores(self, code: int) -> list[float | None]:
        """The score of a move at each sample; None before its first visit."""
        column = self._column.get(code)
        if column is None:
            return [None for _ in self._samples]
        pairs = ((int(sample.wins[column]), int(sample.counts[column])) for sample in self._samples)
        return [round(wins / SCORE_UNIT / count, DIGITS) if count else None for wins, count in pairs]

    def below_since(self, code: int, best: int) -> int | None:
        """Visits of the root since when a move has had a lower score than the best one.

        None if it has none now; 0 if it never had another one.
        """
        pairs = zip(self._samples, self.scores(code), self.scores(best), strict=True)
        known = [(one.visits, mine < other) for one, mine, other in pairs if mine is not None and other is not None]
        if known and all(is_below for _, is_below in known):
            return 0
        return _since(known)

    def best_since(self, code: int) -> int | None:
        """Visits of the root since when a move has had the most visits; None if it has not now."""
        column = self._column.get(code)
        if column is None:
            return None
        return _since([(one.visits, bool(one.counts[column] == one.counts.max())) for one in self._samples])

    def steady(self, code: int) -> Steady | None:
        """The bounds of its score; None if there are too few samples."""
        if not self._samples:
            return None
        start = min(FIRST_VISITS, self._samples[-1].visits // 10)
        known = [
            (sample.visits, score)
            for sample, score in zip(self._samples, self.scores(code), strict=True)
            if score is not None and sample.visits >= start
        ]
        if len(known) < LEAST_SAMPLES:
            return None
        scores = [score for _, score in known]
        return Steady(min(scores), max(scores), known[0][0])


def _since(samples: list[tuple[int, bool]]) -> int | None:
    """The visits since when something has held until the end; None if it does not hold there."""
    since = None
    for visits, holds in samples:
        since = (visits if since is None else since) if holds else None
    return since
