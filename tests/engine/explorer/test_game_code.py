"""The modules of the page's game one by one, in a real browser, on a saved page: nothing else runs."""

import io
import random
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.explorer.page_files import page_with
from tests.engine.explorer.judged_games import GAME, game_data, saved_game

CODE = Path(__file__).with_name("game_code.js").read_text(encoding="utf-8").partition("\n")[2].strip()
SMALL = """[White "A"]\n[Black "B {x}"]\n[Result "1-0"]

{Before.} 1. e4 e5 $1 {good} (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3 ({named} 2. f4 exf4) Nc6 3. Bb5 1-0
"""


def run(page, name, given=None):
    """What one of the scripts of game_code.js returns."""
    return page.evaluate(f"(given) => {CODE}.{name}(given)", given)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "game.html"
    file.write_bytes(page_with(saved_game()))
    opened = browser.new_page()
    opened.goto(file.as_uri())
    opened.wait_for_selector("#list [role=treeitem]")
    yield opened
    opened.close()


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
def test_moves_are_drawn_as_python_chess_plays_them(page, chess960):
    games = [random_game(seed, chess960) for seed in range(40)]
    found = run(page, "played", [[start, moves] for start, moves, _ in games])
    assert [[fen.split()[0] for fen in fens] for fens in found] == [boards for _, _, boards in games]


def test_kinds_of_moves_and_where_they_end(page):
    moves = ["O-O", "O-O-O+", "Qxf7#", "e8=Q+", "exd5", "Rxe8+", "Bb5+", "Nf3", "a3"]
    castling = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
    landings = [
        [castling, "e1g1"],
        [castling, "e1h1"],
        [castling, "e1a1"],
        [castling, "a1a8"],
        [chess.STARTING_FEN, "e2e4"],
    ]
    kinds, squares = run(page, "names", {"moves": moves, "landings": landings})
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
def test_texts_of_the_game(page, name):
    assert run(page, "texts", [name, [given for given, _ in TEXTS[name]]]) == [text for _, text in TEXTS[name]]


# The game


def lines_of(node):
    """All that a PGN says of a game."""
    before, after = (" ".join(text.split()) for text in (node.starting_comment, node.comment))  # lines are wrapped
    own = (node.move.uci(), sorted(node.nags), before, after) if node.parent else (after,)
    return [own, *map(lines_of, node.variations)]


@pytest.mark.parametrize(
    "pgn", [GAME, SMALL, '[Result "*"]\n\n*', '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n7... Kd7 8. e4 *']
)
def test_the_page_writes_pgn_that_python_chess_reads(page, pgn):
    text, name, odd, empty = run(page, "pgn", game_data(pgn, is_judged=False))
    expected, found = chess.pgn.read_game(io.StringIO(pgn)), chess.pgn.read_game(io.StringIO(text))
    assert not found.errors
    assert dict(found.headers) == dict(expected.headers)
    assert lines_of(found) == lines_of(expected)
    assert max(map(len, text.split("\n\n", 1)[1].splitlines())) <= 80
    assert (odd, empty) == ("Unal-x.html", "game.pgn")
    if pgn == GAME:
        assert name == "Kasparov-Garry-Topalov-Veselin-1999-01-20.pgn"


def node_called(data, label):
    """The id of a move of the game, such as 13. g3: by SAN and ply."""
    number, san = label.split()
    ply = 2 * int(number.rstrip(".")) - (0 if number.endswith("...") else 1)
    return next(node["id"] for node in data["nodes"] if node["san"] == san and node["ply"] == ply)


def test_ways_through_the_game(page):
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
    found = [[label, branch] for label, branch, _ in run(page, "walk", [data, steps])]
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


def test_moves_are_added_and_judgements_come(page):
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
    found = run(page, "change", [data, added, news])
    assert (found["main"], found["size"], found["rows"]) == (5, 13, None)
    assert found["after"] == [5, 15, 2, True], (
        "after the end of the game a move is a variation; adding twice is adding once"
    )
    assert found["branch"] == last + 1
    assert found["merged"] == [{"state": "deep"}, 7, 0.75, None]
    assert found["exercises"] == [[], ["1… e5"]]
    assert found["marked"] == ["1… e5"]
    assert (found["gone"], found["kept"], found["other"]) == (0, 3, 1)


def test_the_list_of_moves(page):
    data = game_data(SMALL, is_judged=False)
    found = run(page, "list", [data, node_called(data, "2. Nf3")])
    text = "Before. 1. e4 e5! good 1… c5 Sicilian 2. Nf3 2. c3 d5 2… d6 2. Nf3 named 2. f4 exf4 2. … Nc6 3. Bb5 1-0"
    assert found["text"].replace(" ", "") == text.replace(" ", "")
    assert found["labels"][:3] == ["1. e4", "1… e5", "1… c5"]
    assert found["groups"] == ["variation", "variation", "variation: named"]
    assert found["stops"] == [found["current"]], "one stop for the Tab key"
    assert found["chosen"] == [3, 5]
    assert found["marked"].endswith("?? #−3") or found["marked"].endswith("??")
    assert found["focused"] == "3", "the focus goes with the move"


def test_the_curve(page):
    data = game_data()
    del data["judged"][str(node_called(data, "3. Nc3"))]
    found = run(page, "curve", data)
    plies = sum(node["main"] for node in data["nodes"]) - 1
    assert found["xs"] == [5, 405]
    assert found["ys"] == [115, 65, 15]
    assert found["at"] == [0, 0, plies, plies]
    assert found["runs"] == [[0, plies]], "a score is also known from the best move of the next position"
    assert found["words"].startswith("1… d6, .")
    assert found["now"] == ["2", str(plies), found["words"]]
    assert found["chosen"] == [next(node["id"] for node in data["nodes"] if node["ply"] == plies)]


def test_an_exercise_and_its_hints(page):
    data = game_data()
    mistake = node_called(data, "21. Rhe1")
    judged = data["judged"][str(mistake)]
    rows = judged["rows"]
    rows[1]["q"] = round(rows[0]["q"] - 0.015, 3)
    rows[2]["q"] = round(rows[0]["q"] - 0.12, 3)
    moves = [data["nodes"][mistake]["uci"], "a1a8", rows[2]["uci"], rows[1]["uci"]]
    found = run(page, "exercise", [data, moves])
    assert found["choices"][0] == "21. Rhe1, missed win, open"
    assert found["said"] == [
        ["said bad", "Not that one. That is what was played."],
        ["said fair", "This move was not judged."],
        ["said bad", "Not that one: it loses .12."],
        ["said good", "Good: as strong as the best move."],
    ]
    assert found["hints"] == ["Hint", "Hint", "Hint", "Show the move"]
    best = judged["best"]
    assert found["shown"][2:] == [f"It stands on {best['uci'][:2]}.", f"{best['san']}."]
    assert found["why"]
    parent = data["nodes"][mistake]["parent"]
    calls = found["calls"]
    assert calls[0] == ["begin", parent, "white"]
    assert [call[0] for call in calls if call[0] == "back"] == ["back"] * 3, "a move that is not good is taken back"
    asked = [call[2] for call in calls if call[0] == "post"]
    assert asked[0] == {"node": parent, "move": moves[0], "hints": 0}
    assert asked[-1] == {"node": parent, "move": best["uci"], "hints": 4, "reveal": True}
    assert found["results"] == {str(mistake): {"solved": False, "hints": 4}}
    assert found["after"][0] == "21. Rhe1, missed win, shown"


def test_a_list_of_twenty_thousand_games(page):
    found = run(page, "games", 20_000)
    assert found["state"] == "20,000 games"
    assert found["first"][0].startswith("1 W0 – B 1–0")
    assert "41 moves" in found["first"][0]
    assert "broken: illegal move" in found["first"][1]
    assert found["broken"] == 1
    assert max(found["count"], found["few"]) < 15, "only what is in sight is there"
    assert found["middle"].startswith("10001 W10000")
    assert found["found"][0] == "1 of 20,000 games"
    assert found["opened"] == [20_000, 1]
    assert all(count == 200 for _, count, _ in found["asked"])
    assert len(found["asked"]) <= 6


def test_numbers_of_both_players(page):
    data = game_data()
    found = run(page, "numbers", [data, game_data(is_judged=False)])
    white, black = data["players"]["white"], data["players"]["black"]
    assert found["rows"][1] == ["Accuracy", f"{white['accuracy']:.1f} %", f"{black['accuracy']:.1f} %"]
    assert found["rows"][2] == ["Average centipawn loss", "23", "23"]
    assert ["?? Blunders", str(white["blunder"]), str(black["blunder"])] in found["rows"]
    opening = white["by_phase"]["opening"]
    row = next(row for row in found["rows"] if row[0] == "Opening")
    assert row[3:5] == [f"{opening['accuracy']:.1f} %", str(opening["average_centipawn_loss"])]
    assert len(found["calls"]) == 1
    assert found["empty"] == "The numbers come when the game has been judged."


def test_the_verdict_in_words(page):
    data = game_data()
    blunder, quiet = node_called(data, "24... cxd4"), node_called(data, "2. d4")
    judged = data["judged"][str(blunder)]
    found = run(page, "verdict", [data, [0, blunder, quiet]])
    (start, _), (texts, spoken), (plain, _) = found["all"]
    assert start == ["The start", "Hoogovens Group A · round 4 · Wijk aan Zee NED · 1999.01.20"]
    assert texts[0].startswith("24… cxd4??blunder")
    assert texts[1].startswith(f"Loses .34; better {judged['best']['san']} ")
    assert texts[2] == judged["text"].capitalize().replace("rxd4", "Rxd4") or texts[2].startswith("After it")
    assert spoken.startswith("24… cxd4, blunder, White’s score ")
    assert spoken.endswith(f"better was {judged['best']['san']}")
    assert plain[1] == "The best move."
    assert [call[0] for call in found["calls"]] == ["play", "exercise"]
    assert found["calls"][0][1:] == [data["nodes"][blunder]["parent"], judged["best"]["uci"]]
