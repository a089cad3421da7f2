"""When a move is looked at again, and what is believed then."""

from itertools import pairwise

import pytest

from engine.config.options import Options
from engine.review.judge import ENOUGH_VISITS, MOST_SECOND_LOOKS, Judge
from engine.review.judged import Judged, Worth
from engine.review.marks import Severity
from engine.review.plan import Plan
from engine.search.clock import Limits
from engine.search.searcher import search_to_end as search
from movegen import Position

START = Position()
BEST = Worth(0.55, None, 150_000, "e2e4", "e4", ["e2e4"], ["e4"])


def worth(score, visits=150_000, proven=None):
    """Of the position after the move, for the player who made it."""
    return Worth(round(1 - score, 6), proven, visits, "e7e5", "e5", ["e7e5"], ["e5"])


class Scripted(Judge):
    """Finds these values, one with each search."""

    def __init__(self, *found):
        settings = Options()
        settings.hash_megabytes = 1
        super().__init__(settings, Plan.of(Limits(nodes=1)), search)
        self.found, self.searches = list(found), 0

    def _worth(self, _position, moves, limits, depth_pass):
        return BEST if moves is None else self._searched(limits, depth_pass)

    def _searched(self, _limits, _depth_pass):
        self.searches += 1
        return self.found.pop(0)


def judged(*found):
    judge = Scripted(*found)
    (move,) = judge.quick(START, [START.code("a4")])
    return move, judge.searches


@pytest.mark.parametrize("score", [0.9, 0.55, 0.5, 0.451])
def test_a_move_that_is_no_mistake_is_searched_once(score):
    move, searches = judged(worth(score))
    assert (move.score, searches) == (score, 1)
    assert move.severity in (Severity.NONE, Severity.INACCURACY)


def test_the_last_look_counts():
    move, searches = judged(worth(0.2), worth(0.3), worth(0.52))
    assert (move.severity, move.score, searches) == (Severity.NONE, 0.52, 3)


@pytest.mark.parametrize(("score", "word"), [(0.44, Severity.MISTAKE), (0.38, Severity.BLUNDER)])
def test_a_mistake_gets_four_looks_more(score, word):
    move, searches = judged(*[worth(score)] * 9)
    assert (move.severity, searches) == (word, 5)


def test_a_clear_loss_gets_two():
    move, searches = judged(*[worth(0.25)] * 9)
    assert (move.severity, searches) == (Severity.BLUNDER, 3)


def test_few_visits_get_more_looks():
    looks = [worth(0.25, 8000 * number) for number in range(1, 30)]
    move, searches = judged(*looks)
    assert move.after.visits >= ENOUGH_VISITS
    assert searches == 13
    _, searches = judged(*[worth(0.25, 10)] * 40)
    assert searches == 1 + MOST_SECOND_LOOKS


def test_what_is_proven_needs_no_second_look():
    mate = {"result": "win", "plies": 3}
    move, searches = judged(worth(0.0, proven=mate))
    assert (move.severity, searches) == (Severity.BLUNDER, 1)


def test_the_best_move_is_no_mistake_whatever_is_found_after_it():
    judge = Scripted(worth(0.1))
    (move,) = judge.quick(START, [START.code("e4")])
    assert (move.loss, move.severity, judge.searches) == (0.0, Severity.NONE, 1)


def test_scores_for_white_are_turned_at_the_moves_of_black():
    judge = Scripted(worth(0.6), worth(0.3))
    moves = list(judge.quick(START, [START.code("a4"), START.play("a4").code("e5")]))
    assert [move.score for move in moves] == [0.6, 0.3]
    assert [move.white_score for move in moves] == [0.6, 0.7]
    assert [move.evaluation["cp"] > 0 for move in moves] == [True, True]


def test_the_next_move_starts_from_the_last_look():
    judge = Scripted(worth(0.44), worth(0.53), worth(0.5))
    moves = list(judge.quick(START, [START.code("a4"), START.play("a4").code("e5")]))
    assert moves[1].before is moves[0].after
    assert moves[0].after.score == pytest.approx(0.47)


def test_the_evidence_is_named():
    move = Judged(0, 1, "white", "a2a4", "a4", BEST, worth(0.4, 96_000))
    assert move.evidence == "score .40 (96,000 visits); e4 has .55 (150,000)"
    mated = Judged(0, 1, "white", "a2a4", "a4", BEST, worth(0.0, 5, {"result": "win", "plies": 1}))
    assert mated.evidence == "score .00 (proven); e4 has .55 (150,000)"


def test_a_second_look_searches_on():
    """The visits of the second look come to those of the first."""
    settings, made = Options(), []
    settings.hash_megabytes = 16
    settings.seed = 1

    def counted(searcher, limits):
        search(searcher, limits)
        made.append(searcher.report().summary()["visits"])

    judge = Judge(settings, Plan.of(Limits(nodes=2000)), counted)
    start = Position("rnbqkb1r/pppp1ppp/5n2/4p3/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 2 3")
    (move,) = judge.quick(start, [start.code("Qg4")])
    assert move.severity is Severity.BLUNDER
    assert len(made) == 2 + MOST_SECOND_LOOKS
    assert all(after - before == 2000 for before, after in pairwise(made[1:]))
    assert move.after.visits == made[-1] >= 2000 * (1 + MOST_SECOND_LOOKS)


@pytest.mark.parametrize(
    ("fen", "move", "score", "result"),
    [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "Qg7", 1.0, "loss"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "Qg6", 0.5, "draw"),  # stalemate
        ("7k/8/8/8/8/8/6p1/6K1 w - - 0 1", "Kxg2", 0.5, "draw"),  # bare kings
    ],
)
def test_the_end_of_a_game_is_judged_by_the_rules(fen, move, score, result):
    settings = Options()
    settings.hash_megabytes = 1
    start = Position(fen)
    (judged_move,) = Judge(settings, Plan.of(Limits(nodes=200)), search).quick(start, [start.code(move)])
    assert (judged_move.score, judged_move.after.visits) == (score, 0)
    assert judged_move.after.proven == {"result": result, "plies": 0}
