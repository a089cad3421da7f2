"""Winning sacrifices of real games must not be condemned; real blunders must be."""

import chess
import pytest

from engine.review.judge import ENOUGH_VISITS
from engine.review.marks import Severity
from tests.engine.network.reference import exchange, seen_by_mover
from tests.engine.review.sacrifices import BLUNDERS, Judges, Sacrifice, balance, gives_up, is_condemned, measure, read

# Kasparov - Topalov 1999: wins, and was called a blunder at 8,000 visits and refuted on 635 of 150,000.
KASPAROV = Sacrifice("3r3r/1R3p1p/Q5p1/1p6/1kq5/5PPB/2P4P/1K6 w - - 0 33", "c2c3", "33. c3+")
MOST_CONDEMNED = 0.05
# At 8,000 visits, without searches for the move alone, all of these were condemned.
HARD = (
    "Tal - Lutikov 1969",
    "Tal - Romanishin 1982",
    "Tal - Benko 1959",
    "Morphy - Baucher 1858",
    "Barnes - Morphy 1858",
    "Suhle - Anderssen 1859",
    "Anderssen - Mayet 1855",
    "Hillel - Anderssen 1856",
    "Mayet - Anderssen 1865",
    "Alekhine - Castiarena 1926",
    "Shirov - Hodgson 1991",
    "Shirov - Breuil 2024",
)


def test_the_positions_are_sacrifices_of_legal_moves():
    positions = read()
    assert len(positions) == 200
    assert len({one.fen for one in positions}) == 200
    for one in positions:
        board = chess.Board(one.fen)
        assert chess.Move.from_uci(one.uci) in board.legal_moves


def test_what_counts_as_a_sacrifice():
    """Rxd4 gives the rook for two pawns: cxd4, Qxd4+."""
    before = chess.Board("b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 0 24")
    move = before.parse_san("Rxd4")
    assert exchange(seen_by_mover(before), move) == -3
    assert gives_up(before, move, [before])
    assert balance(before, chess.WHITE) == -balance(before, chess.BLACK)
    quiet = before.parse_san("Kb2") if before.is_legal(chess.Move.from_uci("b1b2")) else before.parse_san("Ka2")
    assert not gives_up(before, quiet, [before])
    poorer = before.copy()
    poorer.remove_piece_at(chess.H3)
    assert gives_up(before, quiet, [poorer])


@pytest.mark.slow
def test_a_famous_sacrifice_is_not_condemned():
    quick, usual = Judges(8000), Judges(150_000)
    assert quick.review(KASPAROV) not in (Severity.MISTAKE, Severity.BLUNDER)
    assert not is_condemned(usual.review(KASPAROV), usual.why(KASPAROV))


@pytest.mark.parametrize(
    ("step", "least", "called"),
    [pytest.param(3, 10, 8, marks=pytest.mark.slow), pytest.param(1, 29, 26, marks=pytest.mark.soak)],
)
def test_blunders_are_called_so_in_spite_of_second_looks(step, least, called):
    judges, blunders = Judges(8000), read(BLUNDERS)[::step]
    found = [judges.review(one) in (Severity.MISTAKE, Severity.BLUNDER) for one in blunders]
    assert len(blunders) >= least
    assert sum(found) >= called


@pytest.mark.slow
def test_the_hardest_sacrifices_are_not_condemned():
    judges = Judges(8000)
    hard = [one for one in read() if one.name.startswith(HARD)]
    assert {one.name.split(",")[0] for one in hard} == set(HARD)
    found = [one.name for one in hard if is_condemned(judges.review(one), judges.why(one))]
    assert len(found) <= 1, found


@pytest.mark.soak
@pytest.mark.parametrize("visits", [8000, ENOUGH_VISITS])
def test_winning_sacrifices_are_rarely_condemned(visits):
    assert measure(read(), visits) < MOST_CONDEMNED
