"""Names of openings by position; python-chess says where transpositions meet."""

import re

import chess
import pytest

from engine.review.openings import LONGEST, TABLE, find_opening, position_digest
from movegen import Position
from tests.engine.review.openings_table import epd_after, table_of


def opening(moves, start=None):
    positions = [start or Position()]
    for san in moves.split():
        positions.append(positions[-1].play(san))
    return find_opening(positions)


@pytest.mark.parametrize(
    ("moves", "eco", "name", "ply"),
    [
        ("e4", "B00", "King's Pawn Game", 1),
        ("e4 e5 Nf3 Nc6 Bb5", "C60", "Ruy Lopez", 5),
        ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Kh1 Kf8", "C84", "Ruy Lopez: Closed", 10),
        ("Nf3 d5 d4 Nf6 c4 e6 Nc3", "D37", "Queen's Gambit Declined: Three Knights Variation", 7),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90", "Sicilian Defense: Najdorf Variation", 10),
    ],
)
def test_known_openings(moves, eco, name, ply):
    found = opening(moves)
    assert found.data() == {"eco": eco, "name": name, "ply": ply}


def test_other_orders_of_moves_have_the_same_name():
    orders = ["d4 Nf6 c4 g6 Nc3 Bg7 e4 d6", "e4 d6 d4 g6 c4 Bg7 Nc3 Nf6", "c4 g6 d4 Bg7 Nc3 d6 e4 Nf6"]
    epds = {epd_after(order) for order in orders}
    assert len(epds) == 1
    assert {opening(order).name for order in orders} == {"King's Indian Defense: Normal Variation"}


def test_positions_are_named_as_python_chess_writes_them():
    """En passant is the field in which writers differ."""
    board, position = chess.Board(), Position()
    moves = "e4 Nf6 e5 d5 exd6 e5 Nf3 c5 d4 c4 b4 cxb3 a4"
    for san in moves.split():
        board.push_san(san)
        position = position.play(san)
        assert " ".join(position.fen().split()[:4]) == board.epd()


def test_games_from_other_starts_have_no_opening():
    assert opening("e5", Position("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")) is None
    assert find_opening([Position(chess960=True)]) is None
    assert find_opening([]) is None
    assert opening("") is None


def test_the_table_is_small_and_whole():
    text = TABLE.read_text(encoding="utf-8")
    assert len(text.encode()) <= 150_000
    assert "chess-openings, CC0" in text
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    digests = [digest for line in lines for digest in line[2].split()]
    assert len(digests) == len(set(digests)) > 3500


def test_the_maker_writes_what_the_reader_reads():
    rows = [("C20", "King's Pawn Game", "1. e4 e5"), ("C20", "King's Pawn Game: Leonardis Variation", "1. e4 e5 2. d3")]
    text = table_of(["eco\tname\tpgn\n" + "".join("\t".join(row) + "\n" for row in rows)])
    digests = [position_digest(epd_after(row[2])) for row in rows]
    assert text.splitlines()[2:] == [
        f"0\tC20 King's Pawn Game\t{digests[0]}",
        f"20\t: Leonardis Variation\t{digests[1]}",
    ]
    assert all(len(re.findall(r"\S+", row[2])) < LONGEST for row in rows)
