"""Books of openings, good and bad."""

import chess
import pytest

from engine.match.openings import Opening, random_opening, read_openings
from engine.match.play import choose_openings
from movegen.fen import START_FEN

ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq -"
CHESS960 = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"
PGN = """[Event "?"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *

[Event "?"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]

1. e4 Ke7 *
"""


def book(folder, text, name="book.epd"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_epd_and_fen_lines(tmp_path):
    path = book(tmp_path, f"# a comment\n\n{ITALIAN} hmvc 3; fmvn 3;\n{START_FEN}\n")
    first, second = read_openings(path)
    assert first.position().fen() == f"{ITALIAN} 0 1"
    assert second.position().fen() == START_FEN


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("this is no position at all", "field"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "over"),  # stalemate
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "over"),  # no material
        (CHESS960, "castling"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, reason):
    path = book(tmp_path, f"{ITALIAN}\n\n{line}\n")
    with pytest.raises(ValueError, match=rf"book.epd:3: .*{reason}"):
        read_openings(path)


@pytest.mark.parametrize(("text", "name"), [("", "a.epd"), ("# only\n", "a.epd"), ("", "a.pgn")])
def test_empty_books(tmp_path, text, name):
    with pytest.raises(ValueError, match=f"{name}: there is no"):
        read_openings(book(tmp_path, text, name))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("name", ["a.epd", "a.pgn"])
def test_encodings(tmp_path, encoding, name):
    text = f'# é\r\n{ITALIAN} id "é";\r\n' if name == "a.epd" else '[White "é"]\r\n\r\n1. e4 e5 *\r\n'
    (tmp_path / name).write_bytes(text.encode(encoding))
    (opening,) = read_openings(tmp_path / name)
    assert opening == (Opening(f"{ITALIAN} 0 1") if name == "a.epd" else Opening(START_FEN, ("e2e4", "e7e5")))


def test_no_text_is_no_book(tmp_path):
    (tmp_path / "a.epd").write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match=r"a.epd: it is no text"):
        read_openings(tmp_path / "a.epd")


@pytest.mark.parametrize("name", ["missing.epd", "missing.pgn"])
def test_missing_books(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name}: No such file"):
        read_openings(tmp_path / name)


def test_chess960_books(tmp_path):
    (opening,) = read_openings(book(tmp_path, CHESS960), chess960=True)
    assert opening.position().chess960
    board = chess.Board(CHESS960, chess960=True)
    assert sorted(opening.position().legal_moves) == sorted(board.uci(move) for move in board.legal_moves)


def test_games_of_a_pgn_file(tmp_path):
    first, second = read_openings(book(tmp_path, PGN, "book.pgn"), plies=4)
    assert first.moves == ("e2e4", "e7e5", "g1f3", "b8c6")
    assert second.position().fen() == "8/4k3/8/8/4P3/8/8/4K3 w - - 1 2"


def test_illegal_games_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"book.pgn, game 2: "):
        read_openings(book(tmp_path, PGN.replace("1. e4 Ke7", "1. e4 Ke5"), "book.pgn"))


def test_games_that_are_over_are_named(tmp_path):
    path = book(tmp_path, "1. f3 e5 2. g4 Qh4# 0-1\n", "book.pgn")
    with pytest.raises(ValueError, match=r"book.pgn, game 1: the game is over"):
        read_openings(path)


# Choosing


def test_random_openings_differ_and_are_repeatable():
    openings = choose_openings(None, 300, seed=5, is_repeatable=True)
    assert len(set(openings)) == 300
    assert openings == choose_openings(None, 300, seed=5, is_repeatable=True)
    assert openings[:100] == choose_openings(None, 100, seed=5, is_repeatable=True)
    assert not set(openings) & set(choose_openings(None, 300, seed=6, is_repeatable=True))
    assert all(len(opening.moves) == 8 for opening in openings)
    for opening in openings[:20]:
        board = chess.Board()
        for move in opening.moves:
            board.push_uci(move)
        assert not board.is_game_over()


def test_random_openings_by_seed():
    assert random_opening("1 1") == random_opening("1 1") != random_opening("1 2")


def test_books_are_shuffled_and_used_up_before_they_repeat():
    openings = [Opening(START_FEN, (move,)) for move in ("e2e4", "d2d4", "c2c4", "g1f3", "b1c3")]
    chosen = choose_openings(openings, 13, seed=1, is_repeatable=False)
    assert set(chosen[:5]) == set(chosen[5:10]) == set(openings)
    assert chosen[:5] != openings
    assert chosen == choose_openings(openings, 13, seed=1, is_repeatable=False)


def test_fixed_visits_need_an_opening_for_each_pair():
    openings = [Opening(START_FEN, (move,)) for move in ("e2e4", "d2d4", "e2e4")]
    assert len(choose_openings(openings, 2, seed=1, is_repeatable=True)) == 2
    with pytest.raises(ValueError, match="2 different openings, enough for 4 games"):
        choose_openings(openings, 3, seed=1, is_repeatable=True)


TRANSPOSED = """[Event "?"]

1. e4 e5 2. Nf3 Nc6 *

[Event "?"]

1. Nf3 Nc6 2. e4 e5 *

[Event "?"]

1. e4 e5 2. Bc4 Nc6 *
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [(TRANSPOSED, "book.pgn"), (f"{ITALIAN} 0 1\n{ITALIAN} 3 9\n{ITALIAN}\n{START_FEN}\n", "book.epd")],
)
def test_with_fixed_visits_a_position_is_used_once_however_it_is_reached(tmp_path, text, name):
    """The ways to it differ, the games after it do not."""
    openings = read_openings(book(tmp_path, text, name), plies=4)
    positions = {opening.position().fen().rsplit(" ", 2)[0] for opening in openings}
    assert len(positions) == 2 < len(openings)
    chosen = choose_openings(openings, 2, seed=1, is_repeatable=True)
    assert {opening.position().fen().rsplit(" ", 2)[0] for opening in chosen} == positions
    with pytest.raises(ValueError, match="the book has 2 different openings, enough for 4 games"):
        choose_openings(openings, 3, seed=1, is_repeatable=True)
    assert len(choose_openings(openings, 3, seed=1, is_repeatable=False)) == 3  # on a clock games differ
