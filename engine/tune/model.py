"""A model of Elo: a slope and a curvature in each constant, fitted to the results of pairs of games.

Elo(u) = Σ slope · u + curvature · u², where u are the coordinates of a setting. The expected share of the points in a
pair is 1 / (1 + 10^(−D / 400)), where D is the difference of the two settings in Elo. The most likely coefficients are
found by Newton's method. A weak normal prior around 0 (a ridge) keeps them finite where the games say nothing.

The games of a pair are drawn more or less often, and depend on each other: the variance of results is a factor, the
dispersion, times that of independent games without draws. It comes from the residuals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.match.statistics import ELO_PER_DECADE
from engine.tune.plan import Constant

Array = npt.NDArray[np.float64]
PRIOR_ELO = 200.0  # standard deviation of a coefficient before any game
PER_ELO = math.log(10) / ELO_PER_DECADE
GAMES_IN_A_PAIR = 2
STEPS, SMALLEST_STEP = 50, 1e-9
LEAST_DISPERSION = 0.05  # a few pairs may all be drawn by chance


@dataclass(frozen=True)
class Fit:
    """Coefficients in Elo: first all slopes, then all curvatures; their covariance."""

    coefficients: Array
    covariance: Array
    dispersion: float
    pairs: int

    @property
    def constants(self) -> int:
        """How many there are."""
        return len(self.coefficients) // 2

    def slope(self, index: int) -> tuple[float, float]:
        """Of a constant, with its standard error."""
        return self._coefficient(index)

    def curvature(self, index: int) -> tuple[float, float]:
        """Of a constant, with its standard error."""
        return self._coefficient(self.constants + index)

    def elo(self, coordinates: Sequence[float]) -> tuple[float, float]:
        """Of a setting, against the present one, with its standard error."""
        row = features(np.array([coordinates]))[0]
        return float(row @ self.coefficients), math.sqrt(max(0.0, float(row @ self.covariance @ row)))

    def _coefficient(self, index: int) -> tuple[float, float]:
        return float(self.coefficients[index]), math.sqrt(max(0.0, float(self.covariance[index, index])))


def features(coordinates: Array) -> Array:
    """What the coefficients are multiplied with: u and u², a row for each setting."""
    return np.hstack([coordinates, coordinates**2])


def fit_elo(first: Array, second: Array, shares: Array) -> Fit:
    """Fit the model: coordinates of both settings of each pair, and the share of the points that the first one got."""
    rows = features(first) - features(second)
    coefficients, _ = _most_likely(rows, shares, 1.0)
    dispersion = _dispersion(rows, shares, coefficients)
    coefficients, covariance = _most_likely(rows, shares, dispersion)
    return Fit(coefficients, covariance, dispersion, len(shares))


def _most_likely(rows: Array, shares: Array, dispersion: float) -> tuple[Array, Array]:
    """The most likely coefficients and their covariance, the inverse of the information."""
    coefficients: Array = np.zeros(rows.shape[1])
    weight = GAMES_IN_A_PAIR / dispersion
    prior = np.eye(rows.shape[1]) / PRIOR_ELO**2
    for _ in range(STEPS):
        expected = _expected(rows, coefficients)
        slope = PER_ELO * weight * rows.T @ (shares - expected) - prior @ coefficients
        information = PER_ELO**2 * weight * (rows.T * (expected * (1 - expected))) @ rows + prior
        step = np.linalg.solve(information, slope)
        coefficients = coefficients + step
        if np.max(np.abs(step)) < SMALLEST_STEP:
            break
    return coefficients, np.linalg.inv(information).astype(np.float64)


def _expected(rows: Array, coefficients: Array) -> Array:
    expected: Array = 1 / (1 + np.exp(-PER_ELO * (rows @ coefficients)))
    return expected


def _dispersion(rows: Array, shares: Array, coefficients: Array) -> float:
    """Variance of the results over that of independent games without draws (Pearson)."""
    expected = _expected(rows, coefficients)
    freedom = float(max(1, len(shares) - rows.shape[1]))
    ratio: Array = (shares - expected) ** 2 / (expected * (1 - expected) / GAMES_IN_A_PAIR)
    return max(LEAST_DISPERSION, float(ratio.sum()) / freedom)


@dataclass(frozen=True)
class Best:
    """The best coordinate of a constant."""

    coordinate: float
    error: float | None  # None: it lies at an end of the range, the true one may lie beyond


def best_value(found: Fit, index: int, constant: Constant) -> Best:
    """The top of the curve of a constant within its range, with its error by the delta method."""
    (slope, _), (curvature, _) = found.slope(index), found.curvature(index)
    low, high = constant.bounds
    if curvature < 0 and low < -slope / (2 * curvature) < high:
        both = [index, found.constants + index]
        gradient = np.array([-1 / (2 * curvature), slope / (2 * curvature**2)])
        variance = float(gradient @ found.covariance[np.ix_(both, both)] @ gradient)
        return Best(-slope / (2 * curvature), math.sqrt(max(0.0, variance)))
    end = max((low, high), key=lambda u: slope * u + curvature * u * u)
    return Best(end, None)
