"""All reasons why a position cannot be played, against python-chess and the reader of FEN."""

import random

import chess
import pytest

from engine.pgn.setup import problems_of
from movegen import Position

HARMLESS_HERE = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK  # they can be played


def random_setup(rng, chess960):
    """A position of a game, with pieces, side, castling rights and en-passant square changed."""
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    for _ in range(rng.randrange(30)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    for _ in range(rng.choice((0, 1, 2, 5))):
        square = rng.randrange(64)
        piece = rng.choice((None, chess.Piece(rng.randrange(1, 7), rng.random() < 0.5)))
        board.set_piece_at(square, piece)
    placed, side, castling, en_passant, *counters = board.fen(shredder=chess960).split()
    if rng.random() < 0.3:
        side = rng.choice("wb")
    if rng.random() < 0.3:
        letters = "HADF" if chess960 else "KQ"
        white, black = ("".join(rng.sample(letters, rng.randrange(3))) for _ in range(2))
        castling = white + black.lower() or "-"
    if rng.random() < 0.3:
        en_passant = rng.choice(chess.SQUARE_NAMES)
    return " ".join((placed, side, castling, en_passant, *counters))


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("count", [400, pytest.param(8_000, marks=pytest.mark.soak)])
def test_random_positions(count, chess960):
    rng, kinds = random.Random(18), set()
    for _ in range(count):
        fen = random_setup(rng, chess960)
        problems, board = problems_of(fen, chess960), chess.Board(fen, chess960=chess960)
        board.castling_rights = _rights(fen.split()[2])  # the reader of python-chess drops some
        status = board.status() & ~HARMLESS_HERE
        if not (chess960 and status == chess.STATUS_BAD_CASTLING_RIGHTS):  # python-chess knows no inner rooks
            assert bool(problems) == bool(status), (fen, problems, status)
        assert bool(problems) == _is_refused(fen, chess960), (fen, problems)
        kinds.add(int(status))
    assert len(kinds) > 15


def _rights(text):
    """The rooks that the castling field means."""
    files = (({"k": "h", "q": "a"}.get(letter.lower(), letter.lower()), letter.isupper()) for letter in text.strip("-"))
    return sum({chess.BB_SQUARES[chess.parse_square(file + ("1" if white else "8"))] for file, white in files})


def _is_refused(fen, chess960):
    """Does the reader refuse or repair it?"""
    try:
        repairs = Position(fen, chess960=chess960).repairs
    except ValueError:
        return True
    return any("no pawn can legally capture there" not in repair for repair in repairs)


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        (chess.STARTING_FEN, []),
        ("4k3/8/8/8/8/8/8/4K3 w", []),
        ("4k3/8/8/8/8/8/8/4K2R w K - 3", []),
        ("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1", []),
        (
            "P3k3/8/8/8/8/8/8/K2K3p b KQx - 0 1",
            [
                "White has 2 kings",
                "no pawn can stand on the first or the last rank (h1, a8)",
                "the castling field must be '-' or up to four of KQkq (or files of rooks), not 'KQx'",
            ],
        ),
        (
            "8/8/8/8/8/8/8/8 w kQ e6 x 0",
            [
                "White has no king",
                "Black has no king",
                "Black cannot castle short: the king is not on e8 and there is no rook to castle with on h8",
                "White cannot castle long: the king is not on e1 and there is no rook to castle with on a1",
                "no pawn can be captured en passant on e6: none has just jumped over it",
                "the half-move clock must be a whole number from 0 to 9999, not 'x'",
                "the move number must be a whole number from 1 to 9999, not '0'",
            ],
        ),
        (
            "4k3/4R3/8/8/7B/8/8/4K3 w - z9 0 1",
            [
                "Black is in check (from e7), but it is White's move",
                "the en-passant field must be '-' or a square, not 'z9'",
            ],
        ),
        (
            "nnnnknnn/pppppppp/pn6/8/8/8/8/4K3 x - - 0 1",
            [
                "Black has 9 pawns; there can be at most 8",
                "Black has 18 pieces; there can be at most 16",
                "the side to move must be 'w' or 'b', not 'x'",
            ],
        ),
    ],
)
def test_all_reasons_are_given(fen, expected):
    assert problems_of(fen) == expected


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "a FEN has six fields"),
        ("x", "a FEN has six fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "a FEN has six fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 " + "1" * 300, "a FEN has six fields"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "the board field cannot be read: '4k3/8/8/8/8/8/4K3'"),
        ("4k3/8/8/8/8/8/8/4\x1b3 w - - 0 1", r"the board field cannot be read: '4k3/8/8/8/8/8/8/4\x1b3'"),
        ("4k3/8/8/44/8/8/8/4K3 w - - 0 1", "the board field cannot be read"),
    ],
)
def test_what_is_no_fen(fen, reason):
    (problem,) = problems_of(fen)
    assert problem.startswith(reason)


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("1r2k3/8/8/8/8/8/8/R1R1K1R1 w Cb - 0 1", []),
        (
            "4k3/8/8/8/8/8/8/R1R1K1R1 w CAHb - 0 1",
            [
                "White cannot castle with the rook on the h-file: there is none on the first rank",
                "Black cannot castle with the rook on the b-file: there is none on the first rank",
                "only one of the rooks on a1 and c1 can have the right to castle",
            ],
        ),
        (
            "8/4k3/8/8/8/8/8/RK6 w Kk - 0 1",
            [
                "White cannot castle short: there is no rook on that side of the king, on the first rank",
                "Black cannot castle short: the king is not on its first rank",
            ],
        ),
    ],
)
def test_castling_of_chess960(fen, expected):
    assert problems_of(fen, chess960=True) == expected


def test_random_text_does_no_harm():
    rng = random.Random(4)
    for _ in range(2000):
        fen = "".join(rng.choice("pnbrqkPNBRQK12345678/ wb-KQkqe63é\x00~") for _ in range(rng.randrange(60)))
        problems = problems_of(fen, chess960=rng.random() < 0.5)
        assert problems
        assert all(problem.isprintable() for problem in problems)
