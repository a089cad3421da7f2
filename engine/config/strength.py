"""How weak to play for a rating (`UCI_LimitStrength`, `UCI_Elo`). docs/strength.md describes the measurements."""

import math
from bisect import bisect
from typing import NamedTuple


class Level(NamedTuple):
    """How weak to play."""

    visits: int  # of a search; at 1 the priors alone decide
    temperature: float  # of sampling the move


# Constants of PUCT in the games that the ratings were measured by. Those of full strength are tuned; these stay.
EXPLORATION, GROWTH, FIRST_PLAY = 0.8, 3.0, 0.15

# Ratings as measured; between two of them the level is interpolated.
LEVELS = {
    450: Level(1, 1.0),
    770: Level(1, 0.5),
    940: Level(4, 0.5),
    1120: Level(16, 0.5),
    1340: Level(64, 0.5),
    1610: Level(256, 0.5),
    1950: Level(1024, 0.5),
    2290: Level(4096, 0.35),
    2590: Level(16384, 0.25),
}
WEAKEST, STRONGEST = min(LEVELS), max(LEVELS)


def level_of(elo: int) -> Level:
    """The level with this rating: visits are interpolated by factors, temperatures linearly."""
    ratings = sorted(LEVELS)
    index = min(max(1, bisect(ratings, elo)), len(ratings) - 1)
    low, high = ratings[index - 1], ratings[index]
    part = min(1.0, max(0.0, (elo - low) / (high - low)))
    weaker, stronger = LEVELS[low], LEVELS[high]
    visits = math.exp((1 - part) * math.log(weaker.visits) + part * math.log(stronger.visits))
    return Level(round(visits), (1 - part) * weaker.temperature + part * stronger.temperature)
