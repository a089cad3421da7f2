"""The two passes: what is searched longer, and that an interrupted review finds the same."""

from dataclasses import replace
from itertools import pairwise

import pytest

from engine.config.options import Options
from engine.review.judge import PLIES_IN_ONE_TREE, Judge
from engine.review.judged import DEEP, QUICK, Judged, Worth
from engine.review.kept import KeptReview
from engine.review.marks import Mark, Severity
from engine.review.plan import Plan
from engine.review.turning import likely_result, may_be_only, turns
from engine.search.clock import Limits, limits_of
from engine.search.searcher import search_to_end
from movegen import Position

GAME = "e4 e5 Nf3 Qh4 Nxh4 Nc6 Nf3 d5 exd5 Nb4 c4 Bf5 d3 c6 dxc6 bxc6 a3 Nc2+ Qxc2 O-O-O"
PLAN = Plan(Limits(nodes=200), Limits(nodes=800))


def codes_of(moves):
    position, codes = Position(), []
    for san in moves.split():
        codes.append(position.code(san))
        position = position.play(san)
    return codes


def new_judge(plan=PLAN, search=search_to_end):
    settings = Options()
    settings.hash_megabytes, settings.seed = 16, 1
    return Judge(settings, plan, search)


def whole(judge, codes, moves=(), keep=lambda _move: None):
    """Both passes, from what is judged already."""
    found = list(moves)
    for move in judge.quick(Position(), codes, found):
        found.append(move)
        keep(move)
    for move in judge.deepen(Position(), codes, found):
        found[move.ply] = move
        keep(move)
    return found


def test_plans_in_words():
    assert Plan.default().text == "20000 visits and 100000 visits where the game turns"
    assert Plan.of(limits_of(0.5, None)).text == "0.5 s"
    assert Plan.of(limits_of(2, 800)).text == "2 s and 800 visits"


@pytest.mark.jit
def test_the_second_pass_settles_what_turns():
    codes, judge = codes_of(GAME), new_judge()
    first = list(judge.quick(Position(), codes))
    assert [move.ply for move in first] == list(range(len(codes)))
    assert {move.depth_pass for move in first} == {QUICK}
    moves = list(first)
    for better in judge.deepen(Position(), codes, first):
        moves[better.ply] = better
    assert judge.open_plies(moves) == []
    turning = [move for move in moves if turns(move)]
    assert all(move.depth_pass == DEEP and move.before.visits >= 800 for move in turning)
    assert moves[3].severity is Severity.BLUNDER
    assert moves[3].after.visits >= 3 * 800  # it was looked at again before it was called so
    quiet = [move for move in moves if move.depth_pass == QUICK and move.rival is None]
    assert quiet
    assert all(move.loss < 0.05 for move in quiet)
    for move, following in pairwise(moves):
        assert following.before == move.after
    for move in moves:
        assert len(move.rows) <= 5
        assert move.rows[0]["uci"] == move.before.best
        assert move.mark is not Mark.ONLY_MOVE or (move.rival.visits >= 800 and move.rival.uci != move.uci)


class StopError(Exception):
    pass


@pytest.mark.jit
@pytest.mark.thorough
def test_an_interrupted_review_finds_the_same_numbers(tmp_path):
    """Stopped in any search; what was judged is read from the file."""
    codes = codes_of(GAME)
    made = []
    expected = whole(new_judge(search=lambda *run: (made.append(1), search_to_end(*run))), codes)
    assert PLIES_IN_ONE_TREE < 17 < len(codes)
    quick = len(codes) + 1
    for stop in (2, 18, quick + 6, len(made) - 1):
        left = [stop]

        def interrupted(searcher, limits, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise StopError
            search_to_end(searcher, limits)

        kept = KeptReview.open(f"game{stop}", "s", folder=tmp_path)
        with pytest.raises(StopError):
            whole(new_judge(search=interrupted), codes, keep=kept.add)
        again = KeptReview.open(f"game{stop}", "s", folder=tmp_path)
        known = again.judged(Position(), codes)
        assert whole(new_judge(), codes, known, again.add) == expected
        assert KeptReview.open(f"game{stop}", "s", folder=tmp_path).judged(Position(), codes) == expected


def test_games_that_are_over_or_empty():
    judge = new_judge()
    assert list(judge.quick(Position(), [])) == []
    codes = codes_of("f3 e5 g4 Qh4")
    moves = whole(judge, codes)
    assert moves[-1].after.is_over
    assert moves[-1].score == 1
    assert moves[-1].mark is Mark.NONE  # mate is no find
    assert whole(judge, codes, moves) == moves


# What turns


def move(before, after, rows=(), *, is_best=False, given=0, uci="a2a4", san="a4"):
    best = uci if is_best else "e2e4"
    shown = tuple({"uci": best, "san": best, "q": q} for q in (before, *rows))
    worth = Worth(before, None, 1000, best, "e4", [best], ["e4"], shown)
    return Judged(
        0, 1, "white", uci, san, worth, Worth(round(1 - after, 6), None, 900, "e7e5", "e5", [], []), None, given
    )


@pytest.mark.parametrize(
    ("judged", "does"),
    [
        (move(0.5, 0.47), False),
        (move(0.5, 0.46), True),
        (move(0.77, 0.74), True),  # no longer likely to be won
        (move(0.75, 0.74), False),
        (move(0.5, 0.5, (0.4, 0.34), is_best=True), False),
        (move(0.5, 0.5, (0.34, 0.2), is_best=True), True),
        (move(0.5, 0.5, (0.34,), is_best=True), False),  # two moves to choose from
        (move(0.5, 0.5, (0.34, 0.2)), False),  # the best move was another one
        (move(0.5, 0.5, (0.34, 0.2), is_best=True, given=-3), False),  # it only takes a piece
        (move(0.5, 0.5, (0.5, 0.5), is_best=True, given=3), True),
    ],
)
def test_what_turns(judged, does):
    assert turns(judged) == does


def test_a_capture_that_only_takes_back_is_no_find():
    gap = move(0.5, 0.5, (0.3, 0.2), is_best=True, uci="e4d5", san="exd5")
    took = move(0.5, 0.5, uci="c6d5", san="Nxd5")
    assert may_be_only([replace(took, san="Nd5"), gap], 1)
    assert may_be_only([gap], 0)
    assert not may_be_only([took, gap], 1)
    assert [likely_result(score) for score in (0.2, 0.25, 0.5, 0.75, 0.9)] == [-1, -1, 0, 1, 1]
