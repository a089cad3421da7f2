"""Matches between players of known strength, without chess."""

import numpy as np

from engine.match.statistics import PAIR_SCORES, Counts, mean_and_variance


def shares_with_ratio(base, ratio):
    """A distribution of pair scores with (µ − ½) / σ = `ratio`: `base` tilted by e^(λ · score), λ by bisection."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        weights = [share * np.exp(middle * (score - 0.5)) for share, score in zip(base, PAIR_SCORES, strict=True)]
        shares = [weight / sum(weights) for weight in weights]
        mean, variance = mean_and_variance(shares)
        if (mean - 0.5) / variance**0.5 < ratio:
            low = middle
        else:
            high = middle
    return shares


def simulated_decisions(test, shares, *, matches, step, most_pairs, seed):
    """How many simulated matches end with each decision, and how many pairs they take."""
    rng, decisions, pairs_played = np.random.default_rng(seed), {}, 0
    for _ in range(matches):
        counts, pairs = np.zeros(5, dtype=np.int64), 0
        decision = test.decision(Counts(*counts.tolist()))
        while decision.name == "OPEN" and pairs < most_pairs:
            counts += rng.multinomial(step, shares)
            pairs += step
            decision = test.decision(Counts(*counts.tolist()))
        decisions[decision.name] = decisions.get(decision.name, 0) + 1
        pairs_played += pairs
    return decisions, pairs_played
