"""Weaker play by rating."""

import random
from collections import Counter

import pytest

from engine.config.strength import LEVELS, STRONGEST, WEAKEST, Level, level_of
from engine.mcts.tree import SCORE_UNIT
from engine.network.weights_file import SHIPPED
from engine.report.move_stats import DRAW, LOSS, WIN, MoveStats, moves_below
from engine.report.static_eval import network_priors
from engine.search.choose import sample_by_level
from engine.search.clock import Limits
from engine.system.files import digest_of
from movegen import Position
from tests.documents import PROJECT
from tests.engine.search.test_searcher import MATE_IN_1, Witness

ALL_RATINGS = range(WEAKEST, STRONGEST + 1)


def move(code, visits=0, prior=0.0, result=0):
    return MoveStats(code, code, visits, visits * SCORE_UNIT // 2, 0, prior, result, 1)


def test_measured_ratings_have_the_levels_measured():
    assert {elo: level_of(elo) for elo in LEVELS} == LEVELS


@pytest.mark.parametrize(
    ("elo", "visits", "temperature"),
    [(1030, 8, 0.5), (2120, 2048, 0.425), (2440, 8192, 0.3), (610, 1, 0.75), (WEAKEST - 99, 1, 1.0)],
)
def test_between_two_ratings_visits_grow_by_factors_and_temperatures_by_steps(elo, visits, temperature):
    assert level_of(elo) == (visits, pytest.approx(temperature))


def test_a_higher_rating_never_sees_less_nor_draws_more_wildly():
    levels = [level_of(elo) for elo in ALL_RATINGS]
    assert [level.visits for level in levels] == sorted(level.visits for level in levels)
    assert [level.temperature for level in levels] == sorted((level.temperature for level in levels), reverse=True)
    assert levels[-1].visits > 100 * levels[0].visits


@pytest.mark.parametrize(
    ("level", "shares"),
    [
        (Level(1, 1.0), {1: 0.6, 2: 0.3, 3: 0.1}),  # priors alone
        (Level(1, 0.5), {1: 0.36 / 0.46, 2: 0.09 / 0.46, 3: 0.01 / 0.46}),
        (Level(5, 1.0), {1: 1.6 / 5, 2: 2.3 / 5, 3: 1.1 / 5}),  # a prior counts as a visit
    ],
)
def test_moves_are_drawn_by_priors_and_visits(level, shares):
    moves = [move(1, 1, 0.6), move(2, 2, 0.3), move(3, 1, 0.1)]
    rng, draws = random.Random(1), 20_000
    counted = Counter(sample_by_level(moves, level, rng).code for _ in range(draws))
    for code, share in shares.items():
        assert counted[code] / draws == pytest.approx(share, abs=0.015)


def test_what_was_seen_is_played_or_avoided():
    rng, level = random.Random(1), Level(1, 1.5)
    win, draw, loss = move(1, 3, 0.01, WIN), move(2, 3, 0.1, DRAW), move(3, 3, 0.8, LOSS)
    assert {sample_by_level([win, draw, loss], level, rng).code for _ in range(50)} == {1}
    assert {sample_by_level([draw, move(4, 0, 0.09), loss], level, rng).code for _ in range(50)} == {2, 4}
    assert {sample_by_level([loss, move(4, 1, 0.2, LOSS)], level, rng).code for _ in range(50)} == {3}


def test_a_weak_search_sees_no_more_than_its_rating_allows():
    elo = (WEAKEST + STRONGEST) // 2
    witness = Witness(UCI_LimitStrength="true", UCI_Elo=elo)
    for _ in range(2):  # what it saw in the search before does not count
        witness.search(Limits(move_time=600_000))
        assert witness.infos[-1].nodes == level_of(elo).visits
        assert witness.searcher.tree.visits[0] == level_of(elo).visits
        assert witness.searcher.report().summary()["state"] == "strength"
    witness.search(Limits(nodes=5))
    assert witness.infos[-1].nodes == 5


def test_weak_play_varies_and_repeats_itself_by_seed():
    def first_moves(seeds):
        witnesses = [Witness(UCI_LimitStrength="true", UCI_Elo=WEAKEST, Seed=seed) for seed in seeds]
        return [witness.search(Limits(move_time=600_000)) for witness in witnesses]

    moves = first_moves(range(1, 13))
    assert len(set(moves)) > 3
    assert set(moves) <= set(Position().legal_moves)
    assert moves == first_moves(range(1, 13))


def visits_of_moves(**options):
    witness = Witness(UCI_LimitStrength="true", UCI_Elo=1950, Seed=1, **options)
    witness.search(Limits(move_time=600_000))
    return [(row["uci"], row["n"]) for row in witness.searcher.report().children()["rows"]]


def test_ratings_do_not_hang_on_the_constants_of_full_strength():
    tuned = {"PUCT C": 3000, "PUCT Growth": 0, "First Play": -500, "Policy Temperature": 700, "Root Temperature": 900}
    assert visits_of_moves(**tuned) == visits_of_moves()


@pytest.mark.parametrize("name", ["Quiescence", "Transpositions"])
def test_levels_search_without_what_came_after_their_measurement(name):
    assert visits_of_moves(**{name: "true"}) == visits_of_moves(**{name: "false"})


def test_levels_evaluate_leaf_by_leaf_as_they_were_measured():
    assert visits_of_moves(Batch=16) == visits_of_moves()


def test_the_document_says_for_which_network_the_ratings_were_looked_at():
    """Another net is shipped: measure the levels again, or say how much they differ; then put its hash there."""
    text = (PROJECT / "docs" / "strength.md").read_text(encoding="utf-8")
    assert f"`{digest_of(SHIPPED)[:12]}`" in text


@pytest.mark.parametrize("formula", ["PUCT", "UCB1"])
def test_habits_are_the_priors_of_the_network_with_both_formulas(formula):
    witness = Witness(UCI_LimitStrength="true", UCI_Elo=WEAKEST, Formula=formula, **{"Root Temperature": 900})
    witness.search(Limits(nodes=10), Position())
    expected = network_priors(Position(), witness.searcher.resources.network)
    found = {move.code: move.prior for move in moves_below(witness.searcher.tree, 0)}
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "limits"),
    [({"UCI_AnalyseMode": "true"}, Limits(nodes=3000)), ({"UCI_LimitStrength": "false"}, Limits(nodes=3000))],
)
def test_analysis_is_never_weak(options, limits):
    witness = Witness(**{"UCI_LimitStrength": "true", "UCI_Elo": WEAKEST, **options})
    assert witness.search(limits, Position(MATE_IN_1)) == "b1b8"
    assert witness.search(limits, Position()) == Witness().search(limits)
    assert witness.infos[-1].nodes == 3000
