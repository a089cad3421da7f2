import pytest

from engine.why.verdict import THRESHOLDS, Evidence, Verdict, judge

WORSE = Evidence(
    proven=None,
    is_best=False,
    visits=5000,
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
        ({"visits": 199, "share": 0.009}, Verdict.HARDLY_LOOKED_AT),
        ({"visits": 199, "share": 0.01}, Verdict.WORSE),
        ({"visits": 200, "share": 0.001}, Verdict.WORSE),
        ({"visits": 0, "share": 0.0, "score": None}, Verdict.HARDLY_LOOKED_AT),
        ({"visits": 50, "share": 0.0, "was_searched": True}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.6}, Verdict.REFUTED),
        ({"first_look": 0.60, "reply_share": 0.9}, Verdict.REFUTED),
        ({"first_look": 0.41, "reply_share": 0.9}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.59}, Verdict.WORSE),
        ({"first_look": 0.43, "reply_share": 0.9, "score": 0.45}, Verdict.WORSE),
        ({"first_look": None, "reply_share": 0.9}, Verdict.WORSE),
        ({"score": 0.475}, Verdict.CLOSE),
        ({"score": 0.505}, Verdict.CLOSE),
        ({"score": 0.55}, Verdict.UNDECIDED),
    ],
)
def test_the_first_verdict_that_fits(changes, expected):
    assert judge(WORSE._replace(**changes)) is expected


def test_every_verdict_but_that_of_the_rules_can_be_reached():
    assert THRESHOLDS.extra_visits == 2000
    assert len(Verdict) == 10
