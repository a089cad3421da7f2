"""The sequential test against published cases, closed forms, and matches of known strength."""

import math
import random

import pytest

from engine.match.sprt import LOGISTIC, NORMALISED, Decision, Sprt, new_test, with_mean, with_ratio
from engine.match.statistics import Counts, mean_and_variance, share_of_elo
from tests.engine.match.simulation import shares_with_ratio, simulated_decisions

# Test data of fastchess (app/tests/sprt_test.cpp): pairs lost, half lost, won and lost, drawn twice, half won, won.
PUBLISHED = [
    ((365, 16618, 36029, 200, 16974, 390), NORMALISED, (0, 2), 2.25),
    ((127, 4883, 10311, 401, 5150, 104), NORMALISED, (-1.75, 0.25), 3.01),
    ((223, 9863, 20279, 1000, 10037, 246), LOGISTIC, (0.5, 2.5), -3.07),
    ((871, 26175, 55003, 980, 26678, 821), LOGISTIC, (0, 2), -4.98),
]
NORMALISED_RATIO = math.sqrt(2) * math.log(10) / 800  # (µ − ½) / σ of a pair for one normalised Elo


@pytest.mark.parametrize(("counts", "model", "elos", "expected"), PUBLISHED)
def test_published_cases(counts, model, elos, expected):
    lost, half_lost, split, drawn, half_won, won = counts
    test = Sprt(*elos, model=model)
    assert test.llr(Counts(lost, half_lost, split + drawn, half_won, won)) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "elos"),
    [
        (Counts(365, 16618, 36229, 16974, 390), (0, 2)),
        (Counts(127, 4883, 10712, 5150, 104), (-1.75, 0.25)),
        (Counts(30, 200, 500, 240, 35), (0, 5)),
        (Counts(35, 240, 500, 200, 30), (-3, 1)),
    ],
)
def test_closed_form(counts, elos):
    """LLR ≈ (N / 2) (t1 − t0) (2 t̂ − t0 − t1), for small t (Van den Bergh)."""
    mean, variance = mean_and_variance([count / counts.pairs for count in counts])
    found = (mean - 0.5) / math.sqrt(variance)
    low, high = (NORMALISED_RATIO * elo for elo in elos)
    expected = counts.pairs / 2 * (high - low) * (2 * found - low - high)
    assert Sprt(*elos).llr(counts) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("pairs", "elos"), [(1, (0, 5)), (20, (0, 5)), (50, (-10, 30)), (100, (0, 100))])
def test_only_won_pairs(pairs, elos):
    """The most likely distribution then has results 0 and 2 only: p = ½ + t / (2 sqrt(1 + t²)), or the mean itself."""
    counts = Counts(0, 0, 0, 0, pairs)
    ratios = [NORMALISED_RATIO * elo for elo in elos]
    normalised = [0.5 + ratio / (2 * math.sqrt(1 + ratio * ratio)) for ratio in ratios]
    logistic = [share_of_elo(elo) for elo in elos]
    for model, (below, above) in ((NORMALISED, normalised), (LOGISTIC, logistic)):
        expected = pairs * math.log(above / below)
        assert Sprt(*elos, model=model).llr(counts) == pytest.approx(expected, rel=0.02, abs=0.01)


@pytest.mark.parametrize("counts", [Counts(3, 10, 20, 12, 5), Counts(0, 0, 30, 1, 0), Counts(1, 1, 1, 1, 1)])
def test_the_most_likely_distribution_meets_its_condition(counts):
    shares = [max(count, 1e-3) for count in counts]
    shares = [share / sum(shares) for share in shares]
    found = with_ratio(shares, 0.1)
    mean, variance = mean_and_variance(found)
    assert sum(found) == pytest.approx(1)
    assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(0.1, abs=1e-9)
    tilted = with_mean(shares, 0.55)
    assert sum(tilted) == pytest.approx(1)
    assert mean_and_variance(tilted)[0] == pytest.approx(0.55, abs=1e-9)


def test_large_elos_and_few_pairs():
    """The condition is met up to the largest Elo, whatever the results."""
    rng = random.Random(1)
    for _ in range(300):
        counts = [max(1e-3, rng.choice([0, 0, 1, 5, 100])) for _ in range(5)]
        shares = [count / sum(counts) for count in counts]
        ratio = NORMALISED_RATIO * rng.choice([-200, -100, -20, 20, 100, 200])
        mean, variance = mean_and_variance(with_ratio(shares, ratio))
        assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(ratio, abs=1e-6)


@pytest.mark.parametrize(
    ("elos", "model", "reason"),
    [
        ((5, 0), NORMALISED, "larger"),
        ((5, 5), NORMALISED, "larger"),
        ((0, math.nan), NORMALISED, "larger"),
        ((0, 201), NORMALISED, "at most 200"),
        ((-math.inf, 0), LOGISTIC, "at most 1000"),
    ],
)
def test_elos_that_cannot_be_tested(elos, model, reason):
    with pytest.raises(ValueError, match=reason):
        new_test(elos, model=model)


def test_no_pairs_decide_nothing():
    assert Sprt(0, 5).llr(Counts()) == 0.0
    assert Sprt(0, 5).decision(Counts()) is Decision.OPEN


def test_results_and_hypotheses_mirrored_give_the_opposite():
    counts, mirrored = Counts(10, 30, 70, 41, 12), Counts(12, 41, 70, 30, 10)
    for model in (NORMALISED, LOGISTIC):
        there, back = Sprt(0, 5, model=model).llr(counts), Sprt(-5, 0, model=model).llr(mirrored)
        assert there == pytest.approx(-back, abs=1e-6)


def test_bounds():
    """Wald: ln(β / (1 − α)), ln((1 − β) / α)."""
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_decisions():
    test = Sprt(0, 50)
    assert test.decision(Counts(0, 0, 50, 50, 20)) is Decision.H1
    assert test.decision(Counts(20, 50, 50, 0, 0)) is Decision.H0


@pytest.mark.slow
def test_false_alarms_are_rare():
    """400 matches with the first Elo true, 400 with the second, looked at after every 20 pairs."""
    _check_false_alarms(Sprt(0, 60), matches=400, step=20, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("elos", [(0, 20), (-15, 5), (0, 60)])
def test_false_alarms_are_rare_in_many_matches(elos):
    _check_false_alarms(Sprt(*elos), matches=1000, step=10, seed=2)


def _check_false_alarms(test, matches, step, seed):
    base = [0.05, 0.2, 0.45, 0.22, 0.08]
    for elo, wrong in ((test.elo0, "H1"), (test.elo1, "H0")):
        shares = shares_with_ratio(base, NORMALISED_RATIO * elo)
        decisions, _ = simulated_decisions(test, shares, matches=matches, step=step, most_pairs=20_000, seed=seed)
        assert decisions.get("OPEN", 0) == 0
        allowed = matches * 0.05
        assert decisions.get(wrong, 0) <= allowed + 2 * math.sqrt(allowed)  # of a count with this mean
