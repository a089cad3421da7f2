"""The sequential probability ratio test: pairs are played until one of two hypotheses about the Elo is accepted.

LLR = N · Σ p̂ · ln(p1 / p0), where p̂ are the shares of the five results of a pair, and p0, p1 the most likely
distributions under the hypotheses. Normalised Elo: (µ − ½) / σ of the score of a pair is √2 · Elo · ln 10 / 800
(Van den Bergh, "Comments on normalized Elo"); logistic Elo: µ = 1 / (1 + 10^(−Elo / 400)).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from engine.match.statistics import PAIR_SCORES, Counts, mean_and_variance, share_of_elo

EMPTY = 1e-3  # pairs, in place of 0: the logarithms stay finite
ITERATIONS, BISECTIONS = 30, 200
PRECISION = 1e-12
NORMALISED, LOGISTIC = "normalised", "logistic"
LARGEST = {NORMALISED: 200.0, LOGISTIC: 1000.0}  # Elo; beyond, the iteration for normalised Elo finds nothing


class Decision(Enum):
    """What a test says."""

    OPEN = "undecided"
    H0 = "H0 accepted"
    H1 = "H1 accepted"


@dataclass(frozen=True)
class Sprt:
    """A test of H0, Elo = `elo0`, against H1, Elo = `elo1`."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # how often H1 is accepted although H0 is true, at most
    beta: float = 0.05  # how often H0 is accepted although H1 is true, at most
    model: str = NORMALISED

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """The logarithm of the ratio of the likelihoods of H1 and H0."""
        if not counts.pairs:
            return 0.0
        filled = [max(count, EMPTY) for count in counts]
        total = sum(filled)
        shares = [count / total for count in filled]
        below, above = (self._most_likely(shares, elo) for elo in (self.elo0, self.elo1))
        return total * sum(share * math.log(one / zero) for share, one, zero in zip(shares, above, below, strict=True))

    def decision(self, counts: Counts) -> Decision:
        """Which hypothesis is accepted, if any."""
        llr, (lower, upper) = self.llr(counts), self.bounds
        return Decision.H1 if llr >= upper else Decision.H0 if llr <= lower else Decision.OPEN

    def _most_likely(self, shares: Sequence[float], elo: float) -> list[float]:
        if self.model == LOGISTIC:
            return with_mean(shares, share_of_elo(elo))
        return with_ratio(shares, math.sqrt(2) * elo * math.log(10) / 800)


def new_test(elos: Sequence[float], alpha: float = 0.05, beta: float = 0.05, model: str = NORMALISED) -> Sprt:
    """The test of two Elos; a `ValueError` if they are too large or in the wrong order."""
    elo0, elo1 = elos
    if not elo0 < elo1:
        raise ValueError(f"SPRT of Elo {elo0:g} against {elo1:g}: the second Elo must be larger")
    if not -LARGEST[model] <= elo0 < elo1 <= LARGEST[model]:
        raise ValueError(f"SPRT of {model} Elo: at most {LARGEST[model]:g} to either side")
    return Sprt(elo0, elo1, alpha, beta, model)


def with_mean(shares: Sequence[float], mean: float) -> list[float]:
    """The most likely distribution with this mean."""
    return _tilted(shares, [score - mean for score in PAIR_SCORES])


def with_ratio(shares: Sequence[float], ratio: float) -> list[float]:
    """The most likely distribution with (µ − ½) / σ equal to `ratio`.

    The condition is not linear, so it is made linear around the last solution, again and again.
    """
    found = [1 / len(PAIR_SCORES)] * len(PAIR_SCORES)
    for _ in range(ITERATIONS):
        mean, variance = mean_and_variance(found)
        deviation = math.sqrt(variance)
        slopes = [
            score - 0.5 - ratio * deviation * (1 + ((score - mean) / deviation) ** 2) / 2 for score in PAIR_SCORES
        ]
        before, found = found, _tilted(shares, slopes)
        if max(abs(new - old) for new, old in zip(found, before, strict=True)) < PRECISION:
            break
    return found


def _tilted(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """The most likely distribution under which `values` have the mean 0: p / (1 + θ · value), by Lagrange."""
    theta = _root(
        lambda x: sum(share * value / (1 + x * value) for share, value in zip(shares, values, strict=True)),
        -1 / max(values),
        -1 / min(values),
    )
    return [share / (1 + theta * value) for share, value in zip(shares, values, strict=True)]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a falling function between two poles."""
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
