"""Answers of workers that were tampered with, each in one way."""

from dataclasses import replace

import pytest

from engine.match.adjudication import Adjudication
from engine.match.openings import Opening
from engine.match.pairs import PGN, MatchPlan, Table
from engine.match.player import TimeControl
from engine.match.replay import check_pairs
from engine.match.roster import read_player
from movegen.fen import START_FEN
from perft.runner.journal import Memory
from perft.runner.processes import InlinePool
from perft.runner.runner import RunError, Runner
from perft.runner.units import UnitAnswer

OPENINGS = (
    Opening(START_FEN, ("e2e4", "e7e5")),
    Opening("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", (), chess960=True),
    Opening("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"),  # mate in one
)
PLAN = MatchPlan(
    (read_player("Hash=1", "A"), read_player("Hash=1", "B")),
    TimeControl(visits=20),
    Adjudication(most_plies=8),
    OPENINGS,
)
(UNIT,) = PLAN.units()


@pytest.fixture(scope="module")
def answer():
    with (table := Table(PLAN.players, PLAN.control, PLAN.rules)):
        for number, opening in enumerate(OPENINGS):
            table.play_pair(opening, number, seed=1)
    return UnitAnswer("host:1", 1.0, table.rows, {PGN: "".join(table.games).encode()})


def test_what_was_played_is_right(answer):
    check_pairs(UNIT, answer)
    assert answer.value[2]["points"] == [1.0, 0.0]  # White mates in both games
    assert '[Variant "Chess960"]' in answer.files[PGN].decode()


def edited(answer, old, new):
    """An answer with other games."""
    text = answer.files[PGN].decode()
    assert old in text
    return UnitAnswer(answer.worker, answer.seconds, answer.value, {PGN: text.replace(old, new, 1).encode()})


def test_an_illegal_move(answer):
    with pytest.raises(ValueError, match="cannot be replayed"):
        check_pairs(UNIT, edited(answer, "1. e4", "1. e5"))


def test_another_opening(answer):
    (unit,) = replace(PLAN, openings=(Opening(START_FEN, ("e2e4", "c7c5")), *OPENINGS[1:])).units()
    with pytest.raises(ValueError, match="another opening"):
        check_pairs(unit, answer)


def test_another_start(answer):
    with pytest.raises(ValueError, match="another opening"):
        check_pairs(UNIT, edited(answer, "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w", "6k1/4pppp/8/8/8/8/5PPP/1R4K1 w"))


def test_another_result(answer):
    rows = [*answer.value[:2], {**answer.value[2], "points": [0.0, 0.0]}]
    with pytest.raises(ValueError, match="another result"):
        check_pairs(UNIT, UnitAnswer("host:1", 1.0, rows, answer.files))


def test_no_games_at_all(answer):
    with pytest.raises(ValueError, match="a game is missing"):
        check_pairs(UNIT, UnitAnswer("host:1", 1.0, answer.value))


def test_pairs_that_are_missing(answer):
    with pytest.raises(ValueError, match="2 pairs instead of 3"):
        check_pairs(UNIT, UnitAnswer("host:1", 1.0, answer.value[:2], answer.files))


def last_row(answer, **changed):
    return UnitAnswer("host:1", 1.0, [*answer.value[:2], {**answer.value[2], **changed}], answer.files)


@pytest.mark.parametrize(
    "changed",
    [{"points": [1.0]}, {"forfeits": [None]}, {"points": []}, {"forfeits": []}, {"points": [1.0, 0.0, 1.0]}],
)
def test_pairs_that_have_not_two_games(answer, changed):
    """Once it is recorded, half a pair ends every attempt to continue."""
    with pytest.raises(ValueError, match="a pair that has not two games"):
        check_pairs(UNIT, last_row(answer, **changed))


@pytest.mark.parametrize(
    "rows",
    [None, 3, [1, 2, 3], [{}, {}, {}], [{"points": None, "forfeits": None}] * 3,
     [{"points": ["x", "y"], "forfeits": [None, None]}] * 3, [{"points": [[], []], "forfeits": [None, None]}] * 3],
)  # fmt: skip
def test_what_are_no_pairs(answer, rows):
    with pytest.raises(ValueError, match=r"no pairs|another result"):
        check_pairs(UNIT, UnitAnswer("host:1", 1.0, rows, answer.files))


@pytest.mark.parametrize(("change", "reason"), [(lambda data: data[: len(data) // 2], "missing|cannot be"),
                                                (lambda data: data + data, "more games")])  # fmt: skip
def test_games_that_are_missing_or_too_many(answer, change, reason):
    """A file that ends in the middle of a game has another result there, or none."""
    games = {PGN: change(answer.files[PGN])}
    with pytest.raises(ValueError, match=f"{reason}|another"):
        check_pairs(UNIT, UnitAnswer("host:1", 1.0, answer.value, games))


def test_a_wrong_answer_ends_the_run_and_is_not_recorded(answer):
    class LyingPool(InlinePool):
        def receive(self, seconds):
            wrong = edited(answer, "1. e4", "1. e5")
            return [report.__class__(report.job, wrong) for report in super().receive(seconds)]

    journal = Memory()
    with pytest.raises(RunError, match="the answer of host:1 to a unit is wrong: a game that cannot be replayed"):
        list(Runner(LyingPool({}), journal, check=check_pairs).run([UNIT]))
    assert journal.done == {}
