"""A model of win, draw and loss given the score and the material: a score alone does not determine the draw share.

The expected result is q = sigmoid(score / 250) = W + D/2. So the draw share is at most 2·min(q, 1 − q); the model takes
the part sigmoid(θ·φ) of that, where φ are terms of the score and of the material on the board. θ is fitted to the
results of games without random moves.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine.system.files import read_json, write_whole
from engine.training.data.decode import Positions
from engine.training.data.viriformat import DRAWN, NOISY, VALUE_ONLY, WON

CENTIPAWN_SCALE = 250.0  # centipawns; this score is an expected result of sigmoid(1)
SCORE_LIMIT = 3000.0  # larger scores are clipped
FULL_MATERIAL = 78.0  # both sides, in pawns
LARGEST_TERM = 6.0  # of |score| / 250
LARGEST_LOGIT = 700.0  # e to the power of a little more is too large for a float
TINY = 1e-6  # the smallest probability
SMALLEST_STEP = 1e-4
RIDGE = 1e-9  # added to the diagonal of the information matrix, so that it can be inverted


@dataclass(frozen=True)
class DrawModel:
    """The part of the largest possible draw share, as a logistic function of score and material."""

    # The default is a fit to games of Stockfish 15.1 with 1000 nodes, for data without sound results.
    theta: tuple[float, ...] = (5.101, -13.513, -1.195, 0.495, 0.134, 7.583)

    def outcomes(self, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
        """Win, draw and loss for the player to move, float32 [n, 3]."""
        q = chances(scores)
        part = sigmoid(terms(scores, material) @ np.array(self.theta))
        draw = 2.0 * np.minimum(q, 1.0 - q) * part
        return np.stack((q - draw / 2, draw, 1.0 - q - draw / 2), axis=1).astype(np.float32)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        write_whole(path, json.dumps(asdict(self)) + "\n")

    @classmethod
    def load(cls, path: Path) -> "DrawModel | None":
        """Read a saved model; None if the file is missing or damaged."""
        theta = (read_json(path) or {}).get("theta")
        if not isinstance(theta, list) or len(theta) != len(cls.theta):
            return None
        return cls(tuple(map(float, theta)))


def chances(scores: np.ndarray) -> np.ndarray:
    """q: the expected result for the player to move, 0 … 1, given scores in centipawns."""
    bounded = np.clip(scores.astype(np.float64), -SCORE_LIMIT, SCORE_LIMIT)
    return sigmoid(bounded / CENTIPAWN_SCALE)


def sigmoid(numbers: np.ndarray) -> np.ndarray:
    """1 / (1 + e⁻ˣ); where scores say nothing, as those of random nets, θ and so x become very large."""
    shares: np.ndarray = 1.0 / (1.0 + np.exp(-np.clip(numbers, -LARGEST_LOGIT, LARGEST_LOGIT)))
    return shares


def terms(scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """φ: float64 [n, 6]."""
    x = np.minimum(np.abs(scores.astype(np.float64)) / CENTIPAWN_SCALE, LARGEST_TERM)
    m = material / FULL_MATERIAL
    return np.stack((np.ones_like(x), m, x, m * x, x * x, m * m), axis=1)


def material_of(boards: np.ndarray) -> np.ndarray:
    """The material of both sides in pawns, without kings."""
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
    """A mask of the positions of games without random moves: their results follow from play."""
    sound: np.ndarray = (positions.extras & (NOISY | VALUE_ONLY)) == 0
    return sound


def fit_draw_model(positions: Positions, rounds: int = 100) -> DrawModel:
    """Maximise the likelihood of the results by Fisher scoring, with steps that are halved until they help.

    If no game has a sound result, the default model is returned.
    """
    sound = with_sound_results(positions)
    if not sound.any():
        return DrawModel()
    scores, results = positions.scores[sound], positions.results[sound]
    phi = terms(scores, material_of(positions.boards[sound]))
    theta, shift = np.zeros(phi.shape[1]), 1.0
    likelihood, gradient, information = log_likelihood(theta, phi, scores, results)
    for _ in range(rounds):
        step = np.linalg.solve(information, gradient)
        tried, *rest = log_likelihood(theta + shift * step, phi, scores, results)
        if tried >= likelihood:
            theta, likelihood, shift, (gradient, information) = theta + shift * step, tried, min(1.0, shift * 2), rest
        else:
            shift /= 2
        if np.abs(shift * step).max() < SMALLEST_STEP:
            break
    return DrawModel(tuple(theta.tolist()))


def log_likelihood(
    theta: np.ndarray, phi: np.ndarray, scores: np.ndarray, results: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """-> the mean log-likelihood of the results; its gradient by θ; the information matrix.

    With s = sigmoid(θ·φ) and m = 2·min(q, 1 − q), the probabilities of the three results are

        D = m·s        W = q − D/2        L = 1 − q − D/2

    The log-likelihood of a result with probability P is log P. It depends on θ through D alone:

        ∂P/∂D = 1 for a draw, −½ for a win or a loss        ∂D/∂θ = m·s·(1 − s)·φ
        ∂ log P/∂θ = (∂P/∂D / P) · ∂D/∂θ

    The information is the expectation of the squared derivative over the three results,

        I = (D·(1/D)² + W·(½/W)² + L·(½/L)²) · ∂D/∂θ ∂D/∂θᵀ = (1/D + ¼/W + ¼/L) · ∂D/∂θ ∂D/∂θᵀ
    """
    q = np.clip(chances(scores), TINY, 1 - TINY)
    s = sigmoid(phi @ theta)
    m = 2.0 * np.minimum(q, 1.0 - q)
    draw = np.maximum(m * s, TINY)
    win, loss = np.maximum(q - draw / 2, TINY), np.maximum(1 - q - draw / 2, TINY)
    observed = np.where(results == DRAWN, draw, np.where(results == WON, win, loss))
    by_draw = np.where(results == DRAWN, 1.0, -0.5) / observed  # ∂ log P/∂D
    draw_by_term = m * s * (1 - s)  # ∂D/∂(θ·φ)
    weight = draw_by_term**2 * (1 / draw + 0.25 / win + 0.25 / loss)
    information = phi.T @ (phi * weight[:, None]) / len(phi) + RIDGE * np.eye(theta.size)
    return float(np.log(observed).mean()), phi.T @ (by_draw * draw_by_term) / len(phi), information


def calibration(draws: np.ndarray, results: np.ndarray, bins: int = 8) -> list[dict[str, float]]:
    """Predicted and observed share of draws, in bins of the predicted share."""
    bin_of = np.minimum((draws * bins).astype(int), bins - 1)
    table = []
    for index in range(bins):
        chosen = bin_of == index
        if chosen.any():
            row = {"positions": int(chosen.sum()), "expected": float(draws[chosen].mean())}
            table.append(row | {"real": float((results[chosen] == DRAWN).mean())})
    return table
