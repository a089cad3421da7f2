import re
import string

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from movegen import Position
from movegen.fen import START_FEN, read_fen

KINGS = "4k3/8/8/8/8/8/8/4K3"


@pytest.mark.parametrize(
    ("fen", "field", "reason"),
    [
        ("", "FEN", "empty"),
        ("   ", "FEN", "empty"),
        (KINGS, "side", "'w' or 'b'"),
        (f"{KINGS} x - - 0 1", "side", "'x'"),
        (f"{KINGS} W - - 0 1", "side", "'W'"),
        (f"{KINGS} w - - 0 1 extra", "FEN", "7 fields"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "board", "7 ranks"),
        ("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", "board", "9 ranks"),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "board", "7 squares instead of 8 in rank 1"),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "board", "more than 8 squares"),
        ("4k3/8/8/8/8/8/8/4K12 w - - 0 1", "board", "two digits in a row"),
        ("4k3/8/8/8/8/8/9/4K3 w - - 0 1", "board", "unknown symbol '9'"),
        ("4k3/8/8/8/8/8/8/4X3 w - - 0 1", "board", "unknown symbol 'X'"),
        ("4k3/8/8/8/8/8/8/4\u212a3 w - - 0 1", "board", "unknown symbol '\\u212a'"),  # the sign for Kelvin
        ("4k3/8/8/8/8/8/8/²4K1² w - - 0 1", "board", "unknown symbol"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "board", "0 kings for Black"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "board", "2 kings for White"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "board", "pawn on a8"),
        ("4k3/8/8/8/8/8/8/4K2p w - - 0 1", "board", "pawn on h1"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "board", "9 pawns for Black"),
        ("4k3/8/8/8/8/N7/NNNNNNNN/NNNNKNNN w - - 0 1", "board", "17 pieces for White"),
        ("4k3/8/8/8/8/8/8/4K2R b KQx - 0 1", "castling", "'KQx'"),
        (f"{KINGS} w KQkqK - 0 1", "castling", "up to four"),
        (f"{KINGS} w - e9 0 1", "en-passant", "'e9'"),
        (f"{KINGS} w - e44 0 1", "en-passant", "'e44'"),
        (f"{KINGS} w - - x 1", "half-move", "'x'"),
        (f"{KINGS} w - - 0 1.5", "full-move", "'1.5'"),
        (f"{KINGS} w - - ٣ 1", "half-move", "whole number"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "side", "Black is in check"),
        ("4k3/8/8/8/8/8/4r3/4K3 b - - 0 1", "side", "White is in check"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "side", "in check"),  # kings side by side
    ],
)
def test_bad_fens_are_refused_with_field_and_reason(fen, field, reason):
    with pytest.raises(ValueError, match=f"^{field}.*{re.escape(reason)}"):
        Position(fen)


@pytest.mark.parametrize(
    ("fen", "repaired", "report"),
    [
        (f"{KINGS} w KQkq - 0 1", f"{KINGS} w - - 0 1", "castling right K dropped"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", None),
        ("4k3/8/8/8/8/8/8/R3K1R1 w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K1R1 w Q - 0 1", "castling right K dropped"),
        ("4k3/8/8/8/8/8/8/R3KN1R w QK - 0 1", "4k3/8/8/8/8/8/8/R3KN1R w KQ - 0 1", None),
        (f"{KINGS} w - e6 0 1", f"{KINGS} w - - 0 1", "no pawn has just jumped"),
        ("4k3/8/8/4p3/8/8/8/4K3 w - e6 0 1", "4k3/8/8/4p3/8/8/8/4K3 w - - 0 1", "no pawn can legally capture"),
        ("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", None),
        ("4k3/4n3/8/3Pp3/8/8/8/4K3 w - e6 0 1", "4k3/4n3/8/3Pp3/8/8/8/4K3 w - - 0 1", "no pawn has just jumped"),
        ("4k3/8/8/3Pp3/8/8/8/4K3 b - e6 0 1", "4k3/8/8/3Pp3/8/8/8/4K3 b - - 0 1", "no pawn has just jumped"),
        ("4k3/4n3/4n3/3Pp3/8/8/8/4K3 w - e6 0 1", "4k3/4n3/4n3/3Pp3/8/8/8/4K3 w - - 0 1", "no pawn has just"),
        ("4k3/8/8/8/8/8/8/4K3 w -", f"{KINGS} w - - 0 1", "en-passant field is missing"),
        (f"{KINGS} w", f"{KINGS} w - - 0 1", "castling field is missing"),
        (f"{KINGS} w - -", f"{KINGS} w - - 0 1", "half-move field is missing"),
        (f"{KINGS} w - - 12", f"{KINGS} w - - 12 1", "full-move field is missing"),
        (f"{KINGS} w - - -5 0", f"{KINGS} w - - 0 1", "half-move field '-5' is out of range"),
        (f"{KINGS} w - - 0 99999999999", f"{KINGS} w - - 0 9999", "full-move field '99999999999' is out of range"),
        (f"{KINGS} w - - +007 +3", f"{KINGS} w - - 7 3", None),
        ("4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "promoted pieces"),
    ],
)
def test_slips_are_repaired_and_reported(fen, repaired, report):
    position = Position(fen)
    assert position.fen() == repaired
    assert any(report in repair for repair in position.repairs) if report else position.repairs == ()


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1", "KQkq"),
        ("1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/RR2KR1R w FB - 0 1", "FB"),  # the inner rooks: letters are needed
        ("4k3/8/8/8/8/8/8/RR2KR1R w KQ - 0 1", "KQ"),  # the outermost
        ("4k3/8/8/8/8/8/8/RR2KR1R w HF - 0 1", "K"),  # one rook a side
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "-"),  # the king has left its rank
        ("4k3/8/8/8/8/8/8/R3K3 w H - 0 1", "-"),
    ],
)
def test_x_fen_and_shredder_fen(fen, expected):
    position = Position(fen, chess960=True)
    assert position.fen().split()[2] == expected
    board = chess.Board(fen, chess960=True)
    assert position.fen() == board.fen()
    assert position.fen(shredder=True) == board.fen(shredder=True)


def test_standard_chess_knows_no_rights_of_chess960():
    position = Position("1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1")
    assert position.fen().split()[2] == "-"
    assert any("in standard chess" in repair for repair in position.repairs)


@pytest.mark.thorough
@given(st.text())
@example(START_FEN)
@example("\0")
@example("k" * 5000)
@example("8/" * 4000)
@example(f"{KINGS} w - - {'9' * 5000} 1")
def test_any_text_gives_a_value_error_or_a_position(text):
    assert_error_or_round_trip(text)


PIECE_FIELDS = st.lists(st.text("pnbrqkPNBRQK12345678", max_size=8), min_size=8, max_size=8).map("/".join)
FENS = st.tuples(
    st.one_of(PIECE_FIELDS, st.just("r3k2r/8/8/3pP3/3Pp3/8/8/R3K2R")),
    st.sampled_from(["w", "b", "-", "x"]),
    st.text("KQkqABCDEFGHabcdefgh-", max_size=5),
    st.one_of(st.just("-"), st.text("abcdefgh123456789", max_size=3)),
    st.one_of(st.integers().map(str), st.text(string.printable, max_size=4)),
    st.one_of(st.integers().map(str), st.text(string.printable, max_size=4)),
).map(" ".join)


@pytest.mark.thorough
@given(FENS, st.booleans())
def test_texts_like_fens_give_a_value_error_or_a_position(text, chess960):
    assert_error_or_round_trip(text, chess960)


def assert_error_or_round_trip(text, chess960=False):
    try:
        position = Position(text, chess960=chess960)
    except ValueError as error:
        message = str(error)
        assert message.isprintable(), message
        return
    again = Position(position.fen(), chess960=chess960)
    assert again.fen() == position.fen()
    assert again.repairs == ()
    assert position.legal_moves == again.legal_moves


@pytest.mark.thorough
@given(st.data())
def test_what_python_chess_can_play_is_accepted(data):
    """Random pieces on random squares: accepted exactly when python-chess finds no fault of the kinds we refuse."""
    squares = data.draw(st.lists(st.integers(0, 63), min_size=2, max_size=33, unique=True))
    pieces = "Kk" + data.draw(st.text("PNBRQpnbrqPpQq", min_size=len(squares) - 2, max_size=len(squares) - 2))
    board = chess.Board(None)
    for square, piece in zip(squares, pieces, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn = data.draw(st.booleans())
    refused = (
        chess.STATUS_NO_WHITE_KING
        | chess.STATUS_NO_BLACK_KING
        | chess.STATUS_TOO_MANY_KINGS
        | chess.STATUS_TOO_MANY_WHITE_PAWNS
        | chess.STATUS_TOO_MANY_BLACK_PAWNS
        | chess.STATUS_PAWNS_ON_BACKRANK
        | chess.STATUS_TOO_MANY_WHITE_PIECES
        | chess.STATUS_TOO_MANY_BLACK_PIECES
        | chess.STATUS_OPPOSITE_CHECK
    )
    if board.status() & refused:
        with pytest.raises(ValueError, match="field"):
            Position(board.fen())
    else:
        position = Position(board.fen())
        assert position.fen() == board.fen()
        assert set(position.legal_moves) == {move.uci() for move in board.legal_moves}


def test_reading_needs_no_kernels():
    setup = read_fen(START_FEN)
    assert len(setup.pieces) == 32
    assert setup.castling_rooks == {0, 7, 56, 63}
