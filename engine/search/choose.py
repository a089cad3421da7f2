"""The move to play, from what the tree knows of each. Proofs come before visits, visits before scores."""

import random
from collections.abc import Sequence

from engine.config.strength import Level
from engine.report.move_stats import DRAW, LOSS, WIN, MoveStats


def best_of(moves: Sequence[MoveStats]) -> MoveStats:
    """The move to play, of moves in the order of `rank`.

    The quickest proven win; else a proven draw, if the best of the open moves promises less; else the open move with
    the most visits; else the slowest loss.
    """
    return allowed(moves)[0]


def allowed(moves: Sequence[MoveStats]) -> list[MoveStats]:
    """The moves that chance may choose from, best first: what a proof decides is never left to chance."""
    if moves[0].result == WIN or moves[0].result == LOSS:  # the losses stand last: here all moves lose
        return [moves[0]]
    drawn = [move for move in moves if move.result == DRAW]
    open_moves = [move for move in moves if move.result == 0 and move.visits]
    if not drawn:
        return open_moves or [moves[0]]
    if not open_moves or open_moves[0].score < 0.5:
        return drawn
    return [move for move in open_moves if move is open_moves[0] or move.score >= 0.5] + drawn


def draw_move(moves: Sequence[MoveStats], temperature: float, rng: random.Random) -> MoveStats:
    """A move by chance, with the weight visits^(1/temperature); at temperature 0 the best one."""
    choices = allowed(moves)
    most = max(move.visits for move in choices)
    if temperature <= 0 or most == 0:
        return choices[0]
    weights = [(move.visits / most) ** (1 / temperature) for move in choices]
    return rng.choices(choices, weights)[0]


def weight_of(move: MoveStats, level: Level) -> float:
    """(P + N)^(1/T): how likely a weak player draws a move. He looks at little, and follows his habits: the priors.

    At a level of 1 visit there is nothing but habits.
    """
    visits = move.visits if level.visits > 1 else 0
    return float((move.prior + visits) ** (1 / level.temperature))


def draw_by_level(moves: Sequence[MoveStats], level: Level, rng: random.Random) -> MoveStats:
    """A weaker player's move, of moves in the order of `rank`. Wins that he has seen he plays, and losses he avoids."""
    choices = [move for move in moves if move.result != LOSS]
    if moves[0].result == WIN or not choices:
        return moves[0]
    return rng.choices(choices, [weight_of(move, level) for move in choices])[0]
