import io
import random

import chess
import chess.pgn
import pytest

from engine.pgn.headers import read_tags
from engine.pgn.movetext import is_game, read_game

COMMENTS = [
    "over\n% lines\n[of] text",
    "hello",
    "a (b) ; c",
    "[%eval 0.3] x",
    "two\nlines",
    "1-0",
    "{ open",
    "% no escape",
]


def grow(rng, node, board, depth, plies):
    """Random moves with comments, marks and nested variations."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        move, other = rng.choice(moves), rng.choice(moves)
        child = node.add_variation(move)
        if rng.random() < 0.2:
            child.comment = rng.choice(COMMENTS)
        if rng.random() < 0.2:
            child.nags.add(rng.randrange(1, 140))
        if depth < 3 and other != move and rng.random() < 0.3:
            variation = node.add_variation(other)
            variation.starting_comment = rng.choice(["", "before"])
            after = board.copy()
            after.push(other)
            grow(rng, variation, after, depth + 1, rng.randrange(4))
        board.push(move)
        node = child


def random_game(rng):
    game = chess.pgn.Game()
    if rng.random() < 0.3:
        game.setup(chess.Board.from_chess960_pos(rng.randrange(960)))
    game.headers["White"] = 'Anna "the \\"rook\\""'
    game.comment = rng.choice(["", "a beginning"])
    game.headers["Result"] = rng.choice(["*", "1-0", "0-1", "1/2-1/2"])
    grow(rng, game, game.board(), 0, rng.randrange(1, 30))
    return game


@pytest.mark.thorough
def test_games_are_read_as_python_chess_reads_them():
    rng = random.Random(14)
    for _ in range(60):
        text = str(random_game(rng))
        expected, actual = chess.pgn.read_game(io.StringIO(text)), read_game(text)
        assert not expected.errors
        assert not actual.problem
        assert not actual.has_other_text
        assert str(actual.game) == str(expected)
        assert is_game(text)
        assert is_game(text.split("\n\n", 1)[1]) or "FEN" in actual.game.headers


@pytest.mark.parametrize(
    ("text", "problem", "played", "rest"),
    [
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bg9 Be7 *", "4. Bg9 is no move", 6, "Bg9 Be7 *"),
        ("1. e4 e5 2. Ke3 d5 *", "2. Ke3 is not a legal move", 2, "Ke3 d5 *"),
        ("1. e4 e5 2. Nf3 Ke3 3. d4 *", "2... Ke3 is not a legal move", 3, "Ke3 3. d4 *"),
        ("1. e4 e5 2. Sf3 *", "2. Sf3 is no move", 2, "Sf3 *"),
        ("1. Nf3 d5 2. d3 e5 3. Nd2 *", "3. Nd2 is ambiguous", 4, "Nd2 *"),
        ("1. e4 e5 2. -- d5 *", "2. -- is no move", 2, "-- d5 *"),
        ("1. e4 e5 1-0 2. d4", "2. d4 comes after the result", 2, "d4"),
        ("1. e4 e5 2. Ke3 ) ( 2... Nf6 ) d5 *", "2. Ke3 is not a legal move", 2, "Ke3 ) ( 2... Nf6 ) d5 *"),
        ("( 1. Ke9 ) 1. e4 e5 *", "1. Ke9 is no move", 0, "Ke9 ) 1. e4 e5 *"),
        ("( 1. -- ) 1. e4 e5 *", "1. -- is no move", 0, "-- ) 1. e4 e5 *"),
        ("1. \x1b[31me9 e5", "1. ?[31me9 is no move", 0, "\x1b[31me9 e5"),
    ],
)
def test_the_move_that_cannot_be_played_is_named(text, problem, played, rest):
    found = read_game('[Event "?"]\n\n' + text)
    assert (found.problem, found.rest) == (problem, rest)
    assert len(list(found.game.mainline_moves())) == played


def test_a_result_in_a_variation_is_not_that_of_the_game():
    found = read_game("1. e4 (1. d4 d5 1-0 2. c4) 1... e5 0-1")
    assert found.problem == ""
    assert found.game.headers["Result"] == "0-1"
    other = found.game.variations[1]
    assert [node.san() for node in (other, *other.mainline())] == ["d4", "d5", "c4"]


def test_a_wrong_move_in_a_variation_leaves_the_main_line_alone():
    text = "1. e4 e5 ( 1... c5 2. Bg9 { why } Nc6 ( 2... d6 ) ) 2. Nf3 Nc6 3. Bb5 a6 *"
    found = read_game(text)
    assert not found.problem
    assert [str(move) for move in found.game.mainline_moves()] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]
    written = str(found.game)
    assert "1... c5 { Bg9 why Nc6 ( 2... d6 ) }" in written


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1.e4 e5 2.0-0", None),
        ("1.e4!? e5?! 2.Nf3!! Nc6?? $1 *", "e2e4 e7e5 g1f3 b8c6"),
        ("1... e5", None),
        ("1. e4 d5 2. exd5 c5 3. dxc6e.p. *", "e2e4 d7d5 e4d5 c7c5 d5c6"),
        ("1. e4 d5 2. e5 f5 3. exf6 e.p. *", "e2e4 d7d5 e4e5 f7f5 e5f6"),
        ("1. e2e4 e7-e5 2. Ng1f3 Nb8-c6 *", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4 ; a remark } here\n e5 *", "e2e4 e7e5"),
        ("1. e4\n% an escape Nf3\ne5 *", "e2e4 e7e5"),
        ("((1. e4 ( ( 1. d4 ) ) e5 *", "e2e4 e7e5"),
        ("1. e4 { never closed", "e2e4"),
        ("1. e4 ( 1. d4 d5 { never closed", "e2e4"),
        ("1. e4 ( { only a comment } ) *", "e2e4"),
        ("1. e4 +/- e5 = N *", "e2e4 e7e5"),
    ],
)
def test_unusual_writing(text, moves):
    found = read_game(text)
    assert bool(found.problem) == (moves is None)
    if moves is not None:
        assert [str(move) for move in found.game.mainline_moves()] == moves.split()
        again = chess.pgn.read_game(io.StringIO(str(found.game)))
        assert not again.errors
        for word in ("a remark", "only a comment", "never closed"):
            assert (word in text) == (word in str(again))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My notes: e4 is best", False),
        ("Buy 2 eggs", False),
        ("*", False),
        ("[Event", False),
        ('[remote "origin"]\n  url = x', False),
        ("{ a comment }", False),
        ("", False),
        ("e4", True),
        ("1. e4 e5", True),
        ("1. Ke3", True),
        ('[White "A"]', True),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]', True),
        ("Ke3", False),
    ],
)
def test_what_is_a_game(text, expected):
    assert is_game(text) == expected


def test_headers_as_people_write_them():
    assert read_tags('[Event "a"]') == [("Event", "a")]
    assert read_tags(' [ Event  "a" ] ') == [("Event", "a")]
    assert read_tags('[Event "a"] [Site "b"]') == [("Event", "a"), ("Site", "b")]
    assert read_tags('[Event "a "quoted" b"]') == [("Event", 'a "quoted" b')]
    assert read_tags("[%clk 0:01]") == read_tags("1. e4 [x]") == []


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ('[Variant "Atomic"]', "Atomic is not played here"),
        ('[Variant "Cra\x07zyhouse"]', "Cra?zyhouse is not played here"),
        ('[FEN "rubbish"]', "its FEN is wrong"),
        ('[Variant "Fischer Random"]', ""),
        ('[Variant "Classical"]', ""),
        ('[Variant "From Position"]\n[FEN "8/8/8/8/8/k7/7R/K7 w - - 0 1"]', ""),
    ],
)
def test_other_rules_are_refused_by_name(headers, problem):
    found = read_game(headers + "\n\n*")
    assert found.problem.startswith(problem)
    assert bool(found.problem) == bool(problem)
    assert found.can_start == (not problem)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[White "A"]\n\n1. e4 {x} $3 ( 1. d4 ) e5! 1-0', False),
        ('[White "A"]\n%escape\n\n1. e4 *', True),
        ('[White "A"]\n[White B]\n\n1. e4 *', True),
        ('[White "A"]\n\n1. e4 hello *', True),
        ('[White "A"]\n\n1. e4\n%escape\ne5 *', True),
        ('[White "A"]\n\n1. e4 {\n[%clk 0:01] x\n} *', False),
    ],
)
def test_what_would_be_lost_in_writing_is_noticed(text, expected):
    assert read_game(text).has_other_text == expected


def test_random_bytes_do_no_harm():
    rng = random.Random(2)
    for _ in range(300):
        text = "".join(rng.choice('()[]{};$%!? \n.*1280abcdefgNBRQKxO-=+"') for _ in range(300))
        found = read_game(f'[Event "?"]\n\n{text}')
        str(found.game)
        is_game(text)
