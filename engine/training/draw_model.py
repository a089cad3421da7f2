"""How often a position with a given score ends in a draw: scores alone do not tell.

The expected result q = sigmoid(score/250) is W + D/2. Of the largest draw share that leaves room for it, 2·min(q, 1−q),
the model takes the part sigmoid(θ·φ), with φ made of the score and of the material on the board. θ is fitted to the
results of games without random moves.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine.training.decode import Positions
from engine.training.games import NOISY, VALUE_ONLY
from engine.training.targets import SCORE_SCALE, chances

FULL_MATERIAL = 78.0  # both sides, in pawns
LARGEST = 6.0  # of |score| / 250
TINY = 1e-6
WON, DRAWN, LOST = 2, 1, 0  # results


@dataclass(frozen=True)
class DrawModel:
    """The part of the possible draw share, as a logistic function of score and material."""

    theta: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def outcomes(self, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
        """Win, draw and loss for the player to move, float32 [n, 3]."""
        q = chances(scores)
        part = 1.0 / (1.0 + np.exp(-(terms(scores, material) @ np.array(self.theta))))
        draw = 2.0 * np.minimum(q, 1.0 - q) * part
        return np.stack((q - draw / 2, draw, 1.0 - q - draw / 2), axis=1).astype(np.float32)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n")

    @classmethod
    def load(cls, path: Path) -> "DrawModel":
        """Read what `save` wrote."""
        return cls(tuple(json.loads(path.read_text())["theta"]))


def terms(scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """φ: float64 [n, 6]."""
    x = np.minimum(np.abs(scores.astype(np.float64)) / SCORE_SCALE, LARGEST)
    m = material / FULL_MATERIAL
    return np.stack((np.ones_like(x), m, x, m * x, x * x, m * m), axis=1)


def material_of(boards: np.ndarray) -> np.ndarray:
    """The men of both sides in pawns, kings not counted."""
    diagonal, straight, leaper = boards[:, 1], boards[:, 2], boards[:, 3]
    kinds = (
        (leaper & ~diagonal & ~straight, 1),
        (leaper & diagonal, 3),
        (diagonal & ~leaper & ~straight, 3),
        (straight & ~leaper & ~diagonal, 5),
        (straight & diagonal, 9),
    )
    return sum((np.bitwise_count(men) * np.float64(worth) for men, worth in kinds), np.zeros(len(boards)))


def with_sound_results(positions: Positions) -> np.ndarray:
    """Which positions are from games whose result follows from play."""
    sound: np.ndarray = (positions.extras & (NOISY | VALUE_ONLY)) == 0
    return sound


def fit_draw_model(positions: Positions, rounds: int = 60) -> DrawModel:
    """Fit θ by Newton's method to the likelihood of the results."""
    sound = with_sound_results(positions)
    scores, results = positions.scores[sound], positions.results[sound]
    phi = terms(scores, material_of(positions.boards[sound]))
    q = np.clip(chances(scores), TINY, 1 - TINY)
    most = 2.0 * np.minimum(q, 1.0 - q)
    theta = np.zeros(phi.shape[1])
    for _ in range(rounds):
        part = 1.0 / (1.0 + np.exp(-(phi @ theta)))
        draw = np.maximum(most * part, TINY)
        win, loss = np.maximum(q - draw / 2, TINY), np.maximum(1 - q - draw / 2, TINY)
        by_draw = np.where(results == DRAWN, 1 / draw, np.where(results == WON, -0.5 / win, -0.5 / loss))
        slope = most * part * (1 - part)
        information = slope**2 * (1 / draw + 0.25 / win + 0.25 / loss)
        step = np.linalg.solve(
            phi.T @ (phi * information[:, None]) + 1e-3 * np.eye(theta.size), phi.T @ (by_draw * slope)
        )
        theta += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-5:
            break
    return DrawModel(tuple(theta.tolist()))


def calibration(draws: np.ndarray, results: np.ndarray, bins: int = 8) -> list[dict[str, float]]:
    """Expected and real share of draws, by how likely a draw was said to be."""
    place = np.minimum((draws * bins).astype(int), bins - 1)
    table = []
    for index in range(bins):
        chosen = place == index
        if chosen.any():
            row = {"positions": int(chosen.sum()), "expected": float(draws[chosen].mean())}
            table.append(row | {"real": float((results[chosen] == DRAWN).mean())})
    return table
