"""How often a position with a given score ends in a draw: scores alone do not tell.

The expected result q = sigmoid(score/250) is W + D/2. Of the largest draw share that leaves room for it, 2·min(q, 1−q),
the model takes the part sigmoid(θ·φ), with φ made of the score and of the material on the board. θ is fitted to the
results of games without random moves.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine.system.output_file import write_whole
from engine.training.data.decode import Positions
from engine.training.data.files import read_json
from engine.training.data.games import NOISY, VALUE_ONLY
from engine.training.data.targets import SCORE_SCALE, chances

FULL_MATERIAL = 78.0  # both sides, in pawns
LARGEST = 6.0  # of |score| / 250
TINY, SMALLEST_STEP = 1e-6, 1e-4
DRAWN, WON = 1, 2  # results


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
        write_whole(path, json.dumps(asdict(self)) + "\n")

    @classmethod
    def load(cls, path: Path) -> "DrawModel | None":
        """Read what `save` wrote; None if it is not there, or torn."""
        theta = (read_json(path) or {}).get("theta")
        if not isinstance(theta, list) or len(theta) != len(cls.theta):
            return None
        return cls(tuple(map(float, theta)))


def terms(scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """φ: float64 [n, 6]."""
    x = np.minimum(np.abs(scores.astype(np.float64)) / SCORE_SCALE, LARGEST)
    m = material / FULL_MATERIAL
    return np.stack((np.ones_like(x), m, x, m * x, x * x, m * m), axis=1)


def material_of(boards: np.ndarray) -> np.ndarray:
    """The pieces of both sides in pawns, kings not counted."""
    diagonal, straight, leaper = boards[:, 1], boards[:, 2], boards[:, 3]
    kinds = (
        (leaper & ~diagonal & ~straight, 1),
        (leaper & diagonal, 3),
        (diagonal & ~leaper & ~straight, 3),
        (straight & ~leaper & ~diagonal, 5),
        (straight & diagonal, 9),
    )
    return sum((np.bitwise_count(pieces) * np.float64(worth) for pieces, worth in kinds), np.zeros(len(boards)))


def with_sound_results(positions: Positions) -> np.ndarray:
    """Which positions are from games whose result follows from play."""
    sound: np.ndarray = (positions.extras & (NOISY | VALUE_ONLY)) == 0
    return sound


def fit_draw_model(positions: Positions, rounds: int = 100) -> DrawModel:
    """Fit θ to the likelihood of the results, by Newton's method with steps that are halved until they help.

    Where no game has a sound result, there is nothing to fit.
    """
    sound = with_sound_results(positions)
    if not sound.any():
        return DrawModel()
    scores, results = positions.scores[sound], positions.results[sound]
    phi = terms(scores, material_of(positions.boards[sound]))
    theta, shift = np.zeros(phi.shape[1]), 1.0
    likelihood, slope, information = look(theta, phi, scores, results)
    for _ in range(rounds):
        step = np.linalg.solve(information, slope)
        tried, *rest = look(theta + shift * step, phi, scores, results)
        if tried >= likelihood:
            theta, likelihood, shift, (slope, information) = theta + shift * step, tried, min(1.0, shift * 2), rest
        else:
            shift /= 2
        if np.abs(shift * step).max() < SMALLEST_STEP:
            break
    return DrawModel(tuple(theta.tolist()))


def look(
    theta: np.ndarray, phi: np.ndarray, scores: np.ndarray, results: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """-> the mean log-likelihood of the results; its slope; the information matrix."""
    q = np.clip(chances(scores), TINY, 1 - TINY)
    part = 1.0 / (1.0 + np.exp(-(phi @ theta)))
    most = 2.0 * np.minimum(q, 1.0 - q)
    draw = np.maximum(most * part, TINY)
    win, loss = np.maximum(q - draw / 2, TINY), np.maximum(1 - q - draw / 2, TINY)
    real = np.where(results == DRAWN, draw, np.where(results == WON, win, loss))
    by_draw = np.where(results == DRAWN, 1.0, -0.5) / real
    by_term = most * part * (1 - part)
    weight = by_term**2 * (1 / draw + 0.25 / win + 0.25 / loss)
    information = phi.T @ (phi * weight[:, None]) / len(phi) + 1e-9 * np.eye(theta.size)
    return float(np.log(real).mean()), phi.T @ (by_draw * by_term) / len(phi), information


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
