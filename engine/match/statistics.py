"""The results of pairs of games, and the difference in Elo that they show.

Each opening is played twice, colours reversed. The two games of a pair are not independent of each other, pairs are: so
errors come from the pairs, which have five possible results (https://www.chessprogramming.org/Match_Statistics).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # mean score of a game, by the result of its pair
ELO_PER_DECADE = 400.0
DEVIATIONS_95 = 1.959964  # of a normal distribution: 95 % lie within
CERTAIN = 1e-9  # scores nearer to 0 or 1 have no Elo


class Counts(NamedTuple):
    """Pairs by their result for the first player: 0, ½, 1, 1½ or 2 points."""

    zero: int = 0
    half: int = 0
    one: int = 0
    one_and_half: int = 0
    two: int = 0

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(self)


@dataclass(frozen=True)
class Interval:
    """A value, and the bounds between which it lies with 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class MatchScore:
    """The result of a match for its first player."""

    wins: int
    draws: int
    losses: int
    counts: Counts

    @property
    def games(self) -> int:
        """The number of games that were played."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The mean points of a game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


def score_of_pairs(pairs: Iterable[Sequence[float]]) -> MatchScore:
    """Add up pairs of games: the points of the first player in each."""
    counts, games = [0] * len(PAIR_SCORES), {1.0: 0, 0.5: 0, 0.0: 0}
    for first, second in pairs:
        counts[round(2 * (first + second))] += 1
        games[first] += 1
        games[second] += 1
    return MatchScore(games[1.0], games[0.5], games[0.0], Counts(*counts))


def elo_of_share(share: float) -> float:
    """The difference in Elo that gives this share of the points."""
    bounded = min(1 - CERTAIN, max(CERTAIN, share))
    return ELO_PER_DECADE * math.log10(bounded / (1 - bounded))


def share_of_elo(elo: float) -> float:
    """The share of the points that a difference in Elo gives."""
    return 1 / (1 + 10 ** (-elo / ELO_PER_DECADE))


def mean_and_variance(shares: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the score of a pair, by the shares of the five results."""
    mean = sum(share * score for share, score in zip(shares, PAIR_SCORES, strict=True))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(shares, PAIR_SCORES, strict=True))
    return mean, variance


def elo_interval(counts: Counts) -> Interval | None:
    """The difference in Elo; None without pairs. If all pairs ended alike, half a pair of each result is added."""
    if not counts.pairs:
        return None
    smoothed = [count + (0.5 if max(counts) == counts.pairs else 0.0) for count in counts]
    total = sum(smoothed)
    _, variance = mean_and_variance([count / total for count in smoothed])
    mean, _ = mean_and_variance([count / counts.pairs for count in counts])
    error = DEVIATIONS_95 * math.sqrt(variance / counts.pairs)
    return Interval(elo_of_share(mean), elo_of_share(mean - error), elo_of_share(mean + error))
