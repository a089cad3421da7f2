"""The gates of a round: who plays, from which openings, and what is recorded of the result."""

from dataclasses import replace

import pytest

from engine.match.pairs import Pair
from engine.match.player import TimeControl
from engine.match.sprt import Sprt
from engine.match.statistics import Counts
from engine.match.summary import MatchSummary
from engine.training.fit.settings import NetSettings
from engine.training.loop.gates import check_gates, control_of, match_of, openings_of, result_of
from engine.training.loop.nets import Nets
from engine.training.loop.rounds import Round, Step
from engine.training.loop.settings import CLOCK, VISITS, with_book
from tests.engine.training.loop.fake_work import TWO_GATES

SHAPES = {net: NetSettings(32, 64, 0.001, 0.1, 0, 1, 0) for net in ("value", "policy")}
SETTINGS = replace(TWO_GATES, gate_games=30, clock_games=20, gate_visits=50)
LINES = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n"


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.epd"
    path.write_text(LINES)
    return path


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return Nets(tmp_path_factory.mktemp("nets"))


def one_round(nets, number=1, settings=SETTINGS):
    best, new = nets.add_random(SHAPES, 1), nets.add_random(SHAPES, 2)
    return Round(number, settings, best, (), {Step("fit"): {"net": new}})


@pytest.mark.parametrize(
    ("gate", "control", "pairs", "sprt"),
    [
        (VISITS, TimeControl(visits=50), 15, Sprt(0, 20)),
        (CLOCK, TimeControl(clock=1.0, increment=0.01), 10, Sprt(-20, 10)),
    ],
)
def test_the_match_of_a_gate(nets, gate, control, pairs, sprt):
    one = one_round(nets)
    match = match_of(one, gate, nets)
    assert [player.options["EvalFile"] for player in match.plan.players] == [
        str(nets.path(name).resolve()) for name in (one.net, one.against)
    ]
    assert (match.plan.control, len(match.plan.openings), match.sprt) == (control, pairs, sprt)
    assert match.plan.is_repeatable == (gate == VISITS)
    assert control_of(SETTINGS, gate) == control
    assert match.plan == match_of(one, gate, nets).plan


def test_other_rounds_and_gates_have_other_openings(nets):
    matches = [match_of(one_round(nets, number), gate, nets) for number in (1, 2) for gate in (VISITS, CLOCK)]
    openings = [opening for match in matches for opening in match.plan.openings]
    assert len(openings) == len(set(openings)) == 50


def test_openings_of_a_book(book):
    settings = with_book(replace(SETTINGS, gate_games=4), book)
    assert {one.fen for one in openings_of(settings, VISITS, 1)} == {f"{line} 0 1" for line in LINES.splitlines()}
    assert len(openings_of(settings, CLOCK, 1)) == 10  # on a clock an opening may be used again
    check_gates(settings)
    with pytest.raises(ValueError, match="--book: the book has 2 different openings, enough for 4 games"):
        check_gates(replace(settings, gate_games=6))
    check_gates(replace(settings, clock=None))


def test_a_book_that_has_changed_is_refused(book):
    settings = with_book(replace(SETTINGS, gate_games=2), book)
    book.write_text(LINES.splitlines()[0])
    with pytest.raises(ValueError, match=r"book\.epd has changed: with --change --book FILE it is used"):
        openings_of(settings, VISITS, 1)
    book.unlink()
    with pytest.raises(ValueError, match=r"book\.epd: No such file"):
        openings_of(settings, VISITS, 1)


@pytest.mark.parametrize(
    ("pairs", "decision", "passed"),
    [
        ([(1.0, 1.0)] * 40 + [(1.0, 0.5)] * 10, "H1 accepted", True),
        ([(0.0, 0.0)] * 40 + [(0.0, 0.5)] * 10, "H0 accepted", False),
        ([(1.0, 0.5), (0.0, 1.0)], "undecided", False),
    ],
)
def test_only_a_test_that_accepts_the_larger_elo_is_passed(pairs, decision, passed):
    sprt = Sprt(0, 60)
    result = result_of(MatchSummary(("new", "best"), tuple(Pair(pair, (None, None)) for pair in pairs), sprt))
    points = [point for pair in pairs for point in pair]
    assert [result[name] for name in ("won", "drawn", "lost")] == [points.count(point) for point in (1.0, 0.5, 0.0)]
    assert (result["decision"], result["passed"]) == (decision, passed)
    assert result["llr"] == pytest.approx(sprt.llr(Counts(*result["pairs"])), abs=0.001)
