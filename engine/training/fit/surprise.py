"""Weights of samples of the policy: large where the search found more than the net expects.

A policy that tries such moves early is worth more than one that is a little better everywhere: the search finds good
moves that the net likes by itself. Two measures of surprise, each with weights whose mean is 1:

- optimism (KataGo's optimistic policy): z is the score less the value of the net, in units of its error; the weight is
  sigmoid(3·(z − 1.5)), 0.1 at least;
- divergence (KataGo's policy surprise weighting): half of the weight is the same for all, half is proportional to the
  divergence of the target from the net's priors; for a target of one move, −ln of its prior.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.network.architecture import Network
from engine.training.data.decode import Positions
from engine.training.data.draw_model import chances
from engine.training.fit.figures import policy_ranks, values

STEEPNESS, MIDDLE, SMALLEST = 3.0, 1.5, 0.1  # of the sigmoid
UNIFORM_SHARE = 0.5

Weigh = Callable[[Positions], np.ndarray]  # -> float32, one for each position


def optimism_weights(network: Network, positions: Positions) -> np.ndarray:
    """Weights by how much better the score is than the value, with quiescence as the search asks for it."""
    shares = values(network, positions.boards, after_captures=True)
    found = chances(positions.scores) - (shares[:, 0] + shares[:, 1] / 2)
    z = found / max(np.sqrt(np.mean(found**2)), np.finfo(np.float64).tiny)
    return with_mean_one(np.maximum(1 / (1 + np.exp(-STEEPNESS * (z - MIDDLE))), SMALLEST))


def divergence_weights(network: Network, positions: Positions) -> np.ndarray:
    """Weights by how unlikely the labelled move is to the network."""
    _, losses = policy_ranks(network, positions.boards, positions.moves)
    if not losses.any():
        return np.ones(losses.size, dtype=np.float32)
    return with_mean_one(UNIFORM_SHARE + (1 - UNIFORM_SHARE) * losses / losses.mean())


def with_mean_one(weights: np.ndarray) -> np.ndarray:
    """As float32, divided by their mean."""
    scaled: np.ndarray = (weights / weights.mean()).astype(np.float32)
    return scaled


def equal_weights(positions: Positions) -> np.ndarray:
    """Weights of 1."""
    return np.ones(positions.scores.size, dtype=np.float32)


MEASURES: dict[str, Callable[[Network, Positions], np.ndarray]] = {
    "optimism": optimism_weights,
    "divergence": divergence_weights,
}


def weigh_by(measure: str, network: Network) -> Weigh:
    """Weights by a measure of what surprises this network."""
    return partial(MEASURES[measure], network)
