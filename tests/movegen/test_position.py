import copy
import doctest
import pickle
import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

import movegen.position
from movegen import Ending, Position
from movegen.moves import MAX_MOVES
from tests.positions import random_positions


def mirrored_move(uci):
    return "".join(str(9 - int(c)) if c.isdigit() else c for c in uci)


@pytest.mark.thorough
@given(st.integers(0, 10**9))
def test_a_mirrored_position_has_mirrored_moves(seed):
    for board in random_positions(10, seed):
        position = Position(board.fen(), chess960=board.chess960)
        mirrored = Position(board.mirror().fen(), chess960=board.chess960)
        assert {mirrored_move(move) for move in position.legal_moves} == set(mirrored.legal_moves)
        assert position.board == mirrored.board  # both are seen by the player to move
        assert position != mirrored
        assert position.key != mirrored.key


@pytest.mark.thorough
@given(st.integers(0, 10**9))
def test_the_key_after_a_move_is_the_key_from_scratch(seed):
    for board in random_positions(2, seed):
        position = Position(board.fen(), chess960=board.chess960)
        for code in position.move_codes:
            after = position.play(code)
            assert after.key == Position(after.fen(), chess960=board.chess960).key


def test_documentation_examples():
    assert doctest.testmod(movegen.position).failed == 0


def test_start_position():
    position = Position()
    assert position.turn == "white"
    assert (position.halfmove_clock, position.fullmove_number) == (0, 1)
    assert position.piece_at("e1") == "K"
    assert position.piece_at("d8") == "q"
    assert position.piece_at("e4") is None
    assert str(position).splitlines()[0] == "r n b q k b n r"
    assert str(position).splitlines()[4] == ". . . . . . . ."
    assert repr(position) == f"Position({chess.STARTING_FEN!r})"
    assert eval(repr(position)) == position  # noqa: S307  (our own text)


def test_positions_do_not_change_and_can_be_copied():
    position = Position()
    after = position.play("e4")
    assert position == Position()
    assert position != after
    duplicate = copy.copy(after)
    assert duplicate == after
    assert duplicate is not after
    assert copy.deepcopy(after).fen() == after.fen()
    assert pickle.loads(pickle.dumps(after)).fen() == after.fen()  # noqa: S301  (our own bytes)


def test_equality_is_that_of_the_repetition_rule():
    position = Position()
    back = position.play_all("Nf3 Nf6 Ng1 Ng8")
    assert back == position
    assert hash(back) == hash(position)
    assert len({back, position}) == 1
    assert back.fen() != position.fen()
    assert position.play_all("e4 e5 Ke2 Ke7 Ke1 Ke8") != position.play_all("e4 e5")  # castling rights are gone
    assert position != "a text"


def test_moves_as_text_and_as_numbers():
    position = Position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert position.is_legal("O-O")
    assert position.is_legal("e1g1")
    assert position.is_legal("e1h1")
    assert not position.is_legal("e1e3")
    assert position.uci("O-O-O") == "e1c1"
    assert position.san("e1a1") == "O-O-O"
    assert position.play(position.code("O-O")).fen() == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"
    assert position.uci(position.code("Rb1")) == "a1b1"
    assert Position(position.fen(), chess960=True).uci("O-O") == "e1h1"


def test_in_chess960_e1g1_is_a_king_move_where_there_is_one():
    position = Position("4k3/8/8/8/8/8/8/5K1R w H - 0 1", chess960=True)
    assert position.san("f1g1") == "Kg1"
    assert position.san("f1h1") == "O-O"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("e2e5", "e2e5 is not a legal move in rnbq"),
        ("Nf6", "'Nf6' is not a legal move"),
        ("O-O", "O-O is not a legal move"),
        ("", "'' is not a move in UCI notation or SAN"),
        ("hello", "'hello' is not a move"),
        ("e2e4\n", "'e2e4\\n' is not a move"),
        ("x" * 1000, "..."),
        (7, "7 is not the number of a legal move"),
        (-1, "-1 is not the number"),
        (1 << 70, "is not the number"),
    ],
)
def test_bad_moves_are_refused_with_a_reason(move, reason):
    with pytest.raises(ValueError, match=re.escape(reason)) as error:
        Position().play(move)
    assert len(str(error.value)) < 200


def test_ambiguous_moves_name_the_choices():
    with pytest.raises(ValueError, match=r"'Nd2' is ambiguous: (b1d2 or f3d2|f3d2 or b1d2)"):
        Position("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1").play("Nd2")


def test_a_bad_move_in_a_sequence_is_named_by_its_place():
    with pytest.raises(ValueError, match="move 3 of the sequence: 'Ke3' is not a legal move"):
        Position().play_all("e4 e5 Ke3")


@pytest.mark.parametrize("text", ["e8=Q", "e8Q", "e8=q", "e8=Q+", "e8(Q)", "e8/Q", "e7e8q", "e7-e8=Q", "e8=Q!?"])
def test_promotions_are_read_in_all_spellings(text):
    assert Position("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1").uci(text) == "e7e8q"


def test_a_promotion_must_name_the_piece():
    with pytest.raises(ValueError, match="not a legal move"):
        Position("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1").play("e8")


def test_squares_are_checked():
    with pytest.raises(ValueError, match="no square is called 'z9'"):
        Position().piece_at("z9")
    with pytest.raises(ValueError, match="no square is called 'e'"):
        Position().attackers("e", "white")


@pytest.mark.parametrize(
    ("fen", "ending", "score"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Ending.CHECKMATE, 1.0),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 1", Ending.CHECKMATE, 0.0),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Ending.STALEMATE, 0.5),
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", Ending.INSUFFICIENT_MATERIAL, 0.5),
        ("7k/8/6K1/8/8/8/8/R7 b - - 149 100", Ending.NONE, None),
        ("7k/8/6K1/8/8/8/8/R7 b - - 150 100", Ending.SEVENTY_FIVE_MOVES, 0.5),
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 100", Ending.NONE, None),
    ],
)
def test_endings_and_scores(fen, ending, score):
    position = Position(fen)
    assert position.outcome() is ending
    assert position.score() == score
    assert position.is_game_over() == (score is not None)


def test_draws_by_claim():
    position = Position("7k/8/6K1/8/8/8/8/R7 b - - 99 100")
    assert position.outcome(claim_draw=True) is Ending.NONE
    assert position.play("Kg8").outcome(claim_draw=True) is Ending.FIFTY_MOVES
    assert position.play("Kg8").score(claim_draw=True) == 0.5


def test_repetition_counts_as_python_chess_counts():
    position, board = Position(), chess.Board()
    for move in ("e4 e5" + 2 * " Nf3 Nf6 Ng1 Ng8" + 2 * " Ke2 Ke7 Ke1 Ke8").split():
        position = position.play(move)
        board.push_san(move)
        assert position.occurrences == next(n for n in range(5, 0, -1) if board.is_repetition(n))
    assert not position.is_game_over()


def test_threefold_and_fivefold():
    position = Position()
    for occurrence in range(2, 6):
        position = position.play_all("Nf3 Nf6 Ng1 Ng8")
        assert position.occurrences == occurrence
        claimed = Ending.THREEFOLD_REPETITION if occurrence >= 3 else Ending.NONE
        if occurrence < 5:
            assert position.outcome() is Ending.NONE
            assert position.outcome(claim_draw=True) is claimed
    assert position.outcome() is Ending.FIVEFOLD_REPETITION


def test_history_ends_at_an_irreversible_move():
    position = Position().play_all("Nf3 Nf6 Ng1 Ng8 e4")
    assert position.past_keys == ()
    assert len(Position().play_all("Nf3 Nf6 Ng1").past_keys) == 3


def test_more_moves_than_any_game_can_have_fit_the_buffer():
    """The record of reachable positions (218), and as many queens as 16 pieces allow."""
    assert len(Position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").legal_moves) == 218
    board = chess.Board("3Q2nk/KQ3Qbp/Q6Q/2Q1Q3/Q5Q1/Q5Q1/3Q4/1Q3Q1Q w - - 0 1")
    assert len(board.pieces(chess.QUEEN, chess.WHITE)) == 15
    assert not board.was_into_check()
    expected = {move.uci() for move in board.legal_moves}
    assert set(Position(board.fen()).legal_moves) == expected
    assert len(expected) == 238 <= MAX_MOVES


def test_pictures():
    svg = Position("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")._repr_svg_()
    assert svg.startswith("<svg")
    assert "check" in svg
