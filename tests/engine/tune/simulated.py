"""Pairs of games between settings whose Elo is known, without chess."""

import numpy as np

from engine.match.statistics import share_of_elo
from engine.tune.plan import LINEAR, LOG, Constant

CONSTANTS = (
    Constant("PUCT C", 200, 2000, 550, LOG),
    Constant("First Play", -200, 400, 180, LINEAR, 300.0),
    Constant("Policy Temperature", 1000, 4000, 2400, LOG),
)
SLOPES, CURVATURES = np.array([40.0, -60.0, 0.0]), np.array([-80.0, -30.0, 20.0])


def true_elo(coordinates):
    return coordinates @ SLOPES + coordinates**2 @ CURVATURES


def simulated_shares(first, second, draws, rng):
    """Results of pairs by the true Elo."""
    return shares_by_elo(true_elo(first) - true_elo(second), draws, rng)


def shares_by_elo(differences, draws, rng):
    """Results of pairs: two independent games each, some of them drawn."""
    expected = np.array([share_of_elo(elo) for elo in differences])
    drawn = draws * 4 * expected * (1 - expected)
    games = rng.random((2, len(expected)))
    wins = expected - drawn / 2
    points = np.where(games < wins, 1.0, np.where(games < wins + drawn, 0.5, 0.0))
    return points.mean(axis=0)
