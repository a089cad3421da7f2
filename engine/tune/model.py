"""A model of Elo: a slope and a curvature in each constant, fitted to the results of pairs of games.

Elo(u) = Σ slope · u + curvature · u², where u are the coordinates of a setting. The expected share of the points in a
pair is 1 / (1 + 10^(−D / 400)), where D is the difference of the two settings in Elo.

Before any game each slope and each curvature is normal around 0: what it adds at the farther end of its constant's
range has the standard deviation X, one for all, which may be any of `PRIOR_ELOS`. The fit is the mean and the
covariance of the coefficients after the games, over all X by how well they explain the results. So where no constant
matters, all coefficients are small, and the expected gain of the setting that looks best is not too high.

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
PRIOR_ELOS = tuple(5.0 * 2**power for power in range(7))  # 5 … 320
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
        """The number of constants."""
        return len(self.coefficients) // 2

    def slope(self, index: int) -> tuple[float, float]:
        """The slope of a constant's curve, with its standard error."""
        return self._coefficient(index)

    def curvature(self, index: int) -> tuple[float, float]:
        """The curvature of a constant's curve, with its standard error."""
        return self._coefficient(self.constants + index)

    def elo(self, coordinates: Sequence[float]) -> tuple[float, float]:
        """The Elo of a setting against the present one, with its standard error."""
        row = features(np.array([coordinates]))[0]
        return float(row @ self.coefficients), math.sqrt(max(0.0, float(row @ self.covariance @ row)))

    def elo_of(self, index: int, coordinate: float) -> tuple[float, float]:
        """The Elo of one constant at a coordinate, all others at their present values."""
        place = [0.0] * self.constants
        place[index] = coordinate
        return self.elo(place)

    def _coefficient(self, index: int) -> tuple[float, float]:
        return float(self.coefficients[index]), math.sqrt(max(0.0, float(self.covariance[index, index])))


def features(coordinates: Array) -> Array:
    """What the coefficients are multiplied with: u and u², a row for each setting."""
    return np.hstack([coordinates, coordinates**2])


def fit_elo(first: Array, second: Array, shares: Array, constants: Sequence[Constant]) -> Fit:
    """Fit the model: coordinates of both settings of each pair, and the share of the points that the first one got."""
    ends = features(np.array([[constant.reach for constant in constants]]))[0]
    rows = (features(first) - features(second)) / ends  # so that coefficients are Elo at the ends of the ranges
    dispersion = _dispersion(rows, shares, _posterior(rows, shares, 1.0, PRIOR_ELOS[-1]).mean)
    mean, covariance = _mixed([_posterior(rows, shares, dispersion, elo) for elo in PRIOR_ELOS])
    return Fit(mean / ends, covariance / np.outer(ends, ends), dispersion, len(shares))


@dataclass(frozen=True)
class _Posterior:
    """The coefficients after the games, for one standard deviation before them."""

    mean: Array
    covariance: Array
    evidence: float  # logarithm of the likelihood of the results, up to a constant


def _posterior(rows: Array, shares: Array, dispersion: float, prior_elo: float) -> _Posterior:
    """A normal distribution around the most likely coefficients (Laplace), which Newton's method finds."""
    mean: Array = np.zeros(rows.shape[1])
    weight, prior = GAMES_IN_A_PAIR / dispersion, np.eye(rows.shape[1]) / prior_elo**2
    for _ in range(STEPS):
        expected = _expected(rows, mean)
        slope = PER_ELO * weight * rows.T @ (shares - expected) - prior @ mean
        information = PER_ELO**2 * weight * (rows.T * (expected * (1 - expected))) @ rows + prior
        step = np.linalg.solve(information, slope)
        mean = mean + step
        if np.max(np.abs(step)) < SMALLEST_STEP:
            break
    fitted = weight * _log_likelihood(rows, shares, mean) - float(mean @ prior @ mean) / 2
    volume = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(information)[1]
    return _Posterior(mean, np.linalg.inv(information).astype(np.float64), fitted + float(volume) / 2)


def _log_likelihood(rows: Array, shares: Array, coefficients: Array) -> float:
    """The logarithm of the likelihood of the results, if each pair were one game with a share of the points."""
    elo = PER_ELO * (rows @ coefficients)
    return float(-np.sum(shares * np.logaddexp(0, -elo) + (1 - shares) * np.logaddexp(0, elo)))


def _mixed(parts: Sequence[_Posterior]) -> tuple[Array, Array]:
    """Mean and covariance of a mixture, each part as likely before the games as any other."""
    best = max(part.evidence for part in parts)
    weights = np.array([math.exp(part.evidence - best) for part in parts])
    weights /= weights.sum()
    means = np.array([part.mean for part in parts])
    mean: Array = weights @ means
    within = np.einsum("i,ijk->jk", weights, np.array([part.covariance for part in parts]))
    return mean, within + (means - mean).T * weights @ (means - mean)


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
