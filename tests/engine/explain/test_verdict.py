import pytest

from engine.explain.verdict import THRESHOLDS, Evidence, Verdict, verdict_on, visits_missing

WORSE = Evidence(
    proven=None,
    is_best=False,
    visits=150_000,
    best_visits=150_000,
    share=0.09,
    score=0.36,
    best_score=0.49,
    first_look=0.30,
    best_first_look=0.47,
    reply_share=0.5,
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Verdict.WORSE),
        ({"proven": "win"}, Verdict.PROVEN_WIN),
        ({"proven": "draw", "is_best": True}, Verdict.PROVEN_DRAW),
        ({"proven": "loss", "visits": 1, "share": 0.0}, Verdict.PROVEN_LOSS),
        ({"is_best": True, "visits": 1, "share": 0.0}, Verdict.BEST),
        ({"visits": 199, "share": 0.009}, Verdict.FEW_VISITS),
        ({"visits": 199, "share": 0.01}, Verdict.WORSE),
        ({"visits": 200, "share": 0.001}, Verdict.WORSE),
        ({"visits": 0, "share": 0.0, "score": None}, Verdict.FEW_VISITS),
        ({"visits": 50, "share": 0.0, "was_searched": True}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.6}, Verdict.REFUTED),
        ({"first_look": 0.60, "reply_share": 0.9}, Verdict.REFUTED),
        ({"first_look": 0.41, "reply_share": 0.9}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.59}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.9, "score": 0.40}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.9, "score": 0.389}, Verdict.REFUTED),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 149_999}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 100_000, "best_visits": 900}, Verdict.REFUTED),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 99_999, "best_visits": 900}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 200_000, "best_visits": 10**7}, Verdict.REFUTED),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 199_999, "best_visits": 10**7}, Verdict.WORSE),
        ({"first_look": None, "reply_share": 0.9}, Verdict.WORSE),
        ({"score": 0.475}, Verdict.CLOSE),
        ({"score": 0.505}, Verdict.CLOSE),
        ({"score": 0.55}, Verdict.UNDECIDED),
    ],
)
def test_the_first_verdict_that_fits(changes, expected):
    assert verdict_on(WORSE._replace(**changes)) is expected


def test_every_verdict_but_that_of_the_rules_can_be_reached():
    assert THRESHOLDS.extra_visits == 2000
    assert len(Verdict) == 10


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 0),
        ({"visits": 199, "share": 0.009}, 2000),
        ({"visits": 0, "share": 0.0, "score": None}, 2000),
        ({"visits": 199, "share": 0.009, "is_best": True}, 0),
        ({"visits": 199, "share": 0.009, "proven": "loss"}, 0),
        ({"first_look": 0.43, "reply_share": 0.9}, 0),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 635}, 150_000),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 635, "best_visits": 700}, 100_000),
        ({"first_look": 0.43, "reply_share": 0.9, "visits": 635, "best_visits": 10**7}, 200_000),
        ({"first_look": 0.43, "reply_share": 0.5, "visits": 635}, 0),
    ],
)
def test_the_visits_that_a_move_gets_before_it_is_judged(changes, expected):
    assert visits_missing(WORSE._replace(**changes)) == expected
