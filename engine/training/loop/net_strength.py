"""The Elo of nets: the gates of those that were kept, added up. Errors add up in squares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.match.statistics import Counts, elo_interval

MOST_ELO = 800.0  # of one gate: games that are nearly all won show no more


@dataclass(frozen=True)
class Strength:
    """Elo above the first net, and the bounds of 95 %."""

    elo: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def plus(self, gained: "Strength") -> "Strength":
        """The strength of a net that has gained so much."""
        elo = self.elo + gained.elo
        below = math.hypot(self.elo - self.low, gained.elo - gained.low)
        above = math.hypot(self.high - self.elo, gained.high - gained.elo)
        return Strength(elo, elo - below, elo + above)


def gain_of(pairs: Sequence[int]) -> Strength:
    """What a match shows, by its numbers of pairs with 0, ½, 1, 1½ and 2 points."""
    interval = elo_interval(Counts(*pairs))
    if interval is None:
        return Strength()
    return Strength(*(max(-MOST_ELO, min(MOST_ELO, elo)) for elo in (interval.value, interval.low, interval.high)))
