"""Sampling the move to play, by temperature or by level."""

import random
from collections.abc import Sequence

from engine.config.strength import Level
from engine.report.move_stats import LOSS, WIN, MoveStats, allowed


def sample_by_visits(
    moves: Sequence[MoveStats], temperature: float, rng: random.Random, prior_temperature: float = 0.0
) -> MoveStats:
    """A random move, with the weight visits^(1/temperature); at temperature 0 the best one.

    If none was visited, by priors; `prior_temperature` is the one that these have already (0: the first move).
    """
    choices = allowed(moves)
    most = max(move.visits for move in choices)
    if temperature <= 0 or (most == 0 and (prior_temperature == 0 or choices[0].result)):
        return choices[0]
    if most == 0:
        highest = max(move.prior for move in moves)
        return rng.choices(moves, [(move.prior / highest) ** (prior_temperature / temperature) for move in moves])[0]
    weights = [(move.visits / most) ** (1 / temperature) for move in choices]
    return rng.choices(choices, weights)[0]


def sample_by_level(moves: Sequence[MoveStats], level: Level, rng: random.Random) -> MoveStats:
    """A weaker player's move, of moves in the order of `rank`: proven wins are played, proven losses avoided."""
    choices = [move for move in moves if move.result != LOSS]
    if moves[0].result == WIN or not choices:
        return moves[0]
    return rng.choices(choices, [weight_of(move, level) for move in choices])[0]


def weight_of(move: MoveStats, level: Level) -> float:
    """(P + N)^(1/T): a weak player looks at little and follows habits, which are the priors.

    At a level of 1 visit there is nothing but habits.
    """
    visits = move.visits if level.visits > 1 else 0
    return float((move.prior + visits) ** (1 / level.temperature))
