"""Moves, texts and the state of a game as the page's modules have them, in a real browser."""

import io
import random

import chess
import chess.pgn
import pytest

from tests.engine.explorer.game_code import SMALL, node_called, run
from tests.engine.explorer.judged_games import GAME, game_data

# Moves on the board


def random_game(seed, chess960):
    """A start, and moves that prefer castling, en passant and promotion."""
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
    start, moves, boards = board.fen(), [], []
    while not board.is_game_over() and len(moves) < 200:
        legal = sorted(board.legal_moves, key=chess.Move.uci)
        rare = [move for move in legal if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
        moves.append(rng.choice(rare or legal))
        board.push(moves[-1])
        boards.append(board.board_fen())
    return start, [move.uci() for move in moves], boards


@pytest.mark.parametrize("chess960", [False, True])
def test_moves_are_drawn_as_python_chess_plays_them(code_page, chess960):
    games = [random_game(seed, chess960) for seed in range(40)]
    found = run(code_page, "played", [[start, moves] for start, moves, _ in games])
    assert [[fen.split()[0] for fen in fens] for fens in found] == [boards for _, _, boards in games]


@pytest.mark.parametrize("chess960", [False, True])
def test_typed_moves_are_those_that_python_chess_reads(code_page, chess960):
    boards = []
    for seed in range(12):
        start, moves, _ = random_game(seed, chess960)
        board = chess.Board(start, chess960=chess960)
        for uci in moves:
            boards.append(board.copy(stack=False))
            board.push_uci(uci)
    asked, expected = [], []
    for board in boards[::7]:
        legal = [move.uci() for move in board.legal_moves]
        sans = [board.san(move) for move in board.legal_moves]
        texts = [*sans, *(san.replace("=", "").rstrip("+#").replace("O", "0") for san in sans), *legal]
        asked.append([board.fen(), legal, [*texts, "", "xyzzy", "Qh9"]])
        expected.append([*([uci] for uci in legal * 3), [], [], []])
    assert run(code_page, "typed", asked) == expected


def test_kinds_of_moves_and_where_they_end(code_page):
    moves = ["O-O", "O-O-O+", "Qxf7#", "e8=Q+", "exd5", "Rxe8+", "Bb5+", "Nf3", "a3"]
    castling = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    landings = [
        [castling, "e1g1"],
        [castling, "e1h1"],
        [castling, "e1a1"],
        [castling, "a1a8"],
        [chess.STARTING_FEN, "e2e4"],
    ]
    kinds, squares = run(code_page, "names", {"moves": moves, "landings": landings})
    assert kinds == [
        ["castling", "king"],
        ["castling", "king"],
        ["a mate", "queen"],
        ["a promotion", "pawn"],
        ["a capture", "pawn"],
        ["a capture with check", "rook"],
        ["a check", "bishop"],
        ["a quiet move", "knight"],
        ["a quiet move", "pawn"],
    ]
    assert squares == ["g1", "g1", "c1", "a8", "e4"]


TEXTS = {
    "pawns": [
        (None, ""),
        ({"cp": 0}, "0.0"),
        ({"cp": -4}, "0.0"),
        ({"cp": 130}, "+1.3"),
        ({"cp": -1234}, "−12.3"),
        ({"mate": 3}, "#3"),
        ({"mate": -2, "cp": None}, "#−2"),
    ],
    "clock": [(0, "0:00"), (59.9, "0:59"), (600, "10:00"), (3661, "1:01:01"), (7205, "2:00:05")],
    "used": [(0.4, "0 s"), (59, "59 s"), (61, "1:01")],
    "glyphs": [(None, ""), ([1], "!"), ([4, 18], "??+−"), ([255], "")],
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_the_game(code_page, name):
    assert run(code_page, "texts", [name, [given for given, _ in TEXTS[name]]]) == [text for _, text in TEXTS[name]]


# The game


def lines_of(node):
    """All that a PGN says of a game."""
    before, after = (" ".join(text.split()) for text in (node.starting_comment, node.comment))  # lines are wrapped
    own = (node.move.uci(), sorted(node.nags), before, after) if node.parent else (after,)
    return [own, *map(lines_of, node.variations)]


@pytest.mark.parametrize(
    "pgn", [GAME, SMALL, '[Result "*"]\n\n*', '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n7... Kd7 8. e4 *']
)
def test_the_page_writes_pgn_that_python_chess_reads(code_page, pgn):
    text, name, odd, empty = run(code_page, "pgn", game_data(pgn, is_judged=False))
    expected, found = chess.pgn.read_game(io.StringIO(pgn)), chess.pgn.read_game(io.StringIO(text))
    assert not found.errors
    assert dict(found.headers) == dict(expected.headers)
    assert lines_of(found) == lines_of(expected)
    assert max(map(len, text.split("\n\n", 1)[1].splitlines())) <= 80
    assert (odd, empty) == ("Unal-x.html", "game.pgn")
    if pgn == GAME:
        assert name == "Kasparov-Garry-Topalov-Veselin-1999-01-20.pgn"


def test_ways_through_the_game(code_page):
    data = game_data()
    steps = [
        ("step", 1),
        ("step", -1),
        ("step", -1),
        ("marked", 1),
        ("marked", 1),
        ("marked", -1),
        ("marked", -1),
        ("marked", -1),
    ]
    steps += [
        ("to", node_called(data, "12... a6")),
        ("sibling", 1),
        ("step", 1),
        ("sibling", 1),
        ("last", 0),
        ("home", 0),
    ]
    steps += [("last", 0), ("step", 1), ("marked", 1)]
    found = [[label, branch] for label, branch, _ in run(code_page, "walk", [data, steps])]
    assert found == [
        ["1. e4", None],
        ["start", None],
        ["start", None],
        ["5… c6", None],
        ["12. Kb1", None],
        ["5… c6", None],
        ["start", None],
        ["start", None],
        ["12… a6", None],
        ["12… O-O-O", "12… O-O-O"],
        ["13. Nc1", "12… O-O-O"],
        ["13. g3", "13. g3"],
        ["13… Kb8", "13. g3"],
        ["12. Kb1", None],
        ["44. Qa7", None],
        ["44. Qa7", None],
        ["44. Qa7", None],
    ]


def test_moves_are_added_and_judgements_come(code_page):
    data = game_data(SMALL, is_judged=False)
    last = data["nodes"][-1]["id"]
    end = node_called(data, "3. Bb5")
    new = {
        "san": "a6",
        "uci": "a7a6",
        "turn": "white",
        "check": False,
        "fen": "8/8/8/8/8/8/8/8 w - - 0 4",
        "name": "",
        "comment": "",
    }
    added = [
        {**new, "id": last + 1, "parent": end, "ply": 6, "main": False},
        {**new, "id": last + 2, "parent": last + 1, "ply": 7, "main": False, "turn": "black"},
    ]
    best = {"uci": "e7e6", "san": "e6", "score": 0.5}
    news = {
        "judged": {str(node_called(data, "1... e5")): {"score": 0.75, "loss": 0.25, "mark": "blunder", "best": best}},
        "judging": {"state": "deep"},
        "cursor": 7,
    }
    found = run(code_page, "change", [data, added, news])
    assert (found["main"], found["size"], found["rows"]) == (5, 13, None)
    assert found["after"] == [5, 15, 2, True], (
        "after the end of the game a move is a variation; adding twice is adding once"
    )
    assert found["branch"] == last + 1
    assert found["merged"] == [{"state": "deep"}, 7, 0.75, None]
    assert found["exercises"] == [[], ["1… e5"]]
    assert found["marked"] == ["1… e5"]
    assert (found["gone"], found["kept"], found["other"]) == (end, 3, 1)
