"""Game trees against the games of python-chess that they are made of; the PGN of a tree gives the same tree."""

import io
import random

import chess
import chess.pgn
import pytest

from engine.pgn import game_tree
from engine.pgn.annotated import Annotation, tree_text
from engine.pgn.game_tree import GameTree
from movegen import Position
from tests.engine.pgn.test_movetext import random_game

GAME = "1. e4 e5 (1... c5 {a name?} 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3 $1 Nc6 {[%clk 1:02:03.5] good [%emt 0:00:07]} 1-0"


def shape(tree, node=None):
    """A tree without the numbers of its nodes; the main line first, variations in any order."""
    node = node or tree.start
    below = [shape(tree, child) for child in node.children]
    if node is tree.end or not below:
        below = [None, *below]
    said = frozenset(node.comment.split()), node.name, frozenset(node.nags)
    return node.uci, node.fen, said, below[0], sorted(below[1:], key=repr)


def moves_of(tree, nodes):
    return [tree.node(number).uci for number in nodes]


def test_a_tree_has_the_nodes_of_its_game():
    tree = GameTree.of(GAME)
    assert moves_of(tree, range(1, 10)) == ["e2e4", "e7e5", "g1f3", "b8c6", "c7c5", "g1f3", "d7d6", "c2c3", "d7d5"]
    assert tree.data()[4] == {
        "id": 4,
        "parent": 3,
        "ply": 4,
        "uci": "b8c6",
        "san": "Nc6",
        "fen": "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "turn": "white",
        "check": False,
        "main": True,
        "name": "",
        "comment": "good",
        "nags": [],
        "clock": 3723.5,
        "elapsed": 7.0,
    }
    assert [node["main"] for node in tree.data()] == [True] * 5 + [False] * 5
    assert tree.data()[3]["nags"] == [1]
    assert tree.data()[0]["uci"] is None
    assert [tree.node_data(node["id"]) for node in tree.data()] == tree.data()


@pytest.mark.parametrize("count", [25, pytest.param(2000, marks=pytest.mark.soak)])
def test_random_games(count):
    """The moves are those of python-chess, the positions those of Teresa, and the PGN of a tree gives it again."""
    rng = random.Random(18)
    for _ in range(count):
        game = random_game(rng)
        tree = GameTree.of(str(game))
        main = [tree.node(number) for number in range(1, len(list(game.mainline_moves())) + 1)]
        assert [node.fen for node in main] == [node.board().fen() for node in game.mainline()]
        assert tree.main_line() == [tree.start, *main]
        lines = {tuple(map(str, line)) for line in _lines(game)}
        assert {tuple(str(node.move) for node in leaf.path()) for leaf in tree.nodes()} == lines
        for node in rng.sample(tree.nodes(), min(5, len(tree))):
            position = tree.position_at(node.id)
            assert position.fen() == node.fen
            assert (position.turn, position.in_check) == (node.turn, node.check)
            assert len(tree.position(node.id)[1]) == node.ply
        for _ in range(rng.randrange(6)):
            change(rng, tree)
        check_text(tree)


def _lines(game):
    """The moves to each node."""
    waiting = [(game, ())]
    while waiting:
        node, line = waiting.pop()
        yield line
        waiting += [(child, (*line, child.move)) for child in node.variations]


def change(rng, tree):
    node = rng.choice(tree.nodes())
    moves = list(chess.Board(node.fen, chess960=tree.chess960).legal_moves)
    if moves:
        added = tree.add(node.id, str(rng.choice(moves)))
        for operation in (lambda: tree.rename(added, "a {name}"), lambda: tree.promote(node.id)):
            try:
                if rng.random() < 0.3:
                    operation()
            except ValueError:
                continue
    last = tree.nodes()[-1]
    if rng.random() < 0.2 and last.parent is not None and not last.is_original:
        tree.remove(last.id)


def check_text(tree):
    text = tree_text(tree)
    again, theirs = GameTree.of(text), chess.pgn.read_game(io.StringIO(text))
    assert not again.note
    assert not theirs.errors
    assert [str(move) for move in theirs.mainline_moves()] == [str(node.move) for node in tree.main_line()[1:]]
    if tree.end is not None or not again.end.children:
        assert shape(again) == shape(tree)
    assert tree_text(again) == text


def test_changes_of_variations():
    tree = GameTree.of(GAME)
    assert tree.add(1, "e7e5") == 2
    assert not tree.is_changed
    added = tree.add(tree.add(1, "d7d5"), "e4d5")
    assert tree.is_changed
    assert tree.node(added).path()[-2:] == [tree.node(10), tree.node(11)]
    assert tree.rename(added, " against\n1600 {x} ") == 10
    assert tree.node(10).name == "against 1600 (x)"
    tree.promote(added)
    assert [child.uci for child in tree.node(1).children] == ["e7e5", "d7d5", "c7c5"]
    tree.promote(added)
    assert [node.uci for node in tree.main_line()[1:]] == ["e2e4", "d7d5", "e4d5"]
    assert (tree.node(10).name, tree.node(10).comment) == ("", "against 1600 (x)")
    with pytest.raises(ValueError, match="it is the main line already"):
        tree.promote(added)
    with pytest.raises(ValueError, match="the moves of the game cannot be removed"):
        tree.remove(3)
    assert sorted(tree.remove(5)) == [5, 6, 7, 8, 9]
    assert 6 not in tree
    assert tree.remove(10) == [10, 11]
    assert [node.uci for node in tree.main_line()[1:]] == ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert tree.add(0, "d2d4") == 12  # numbers are not used again


def test_what_follows_the_end_is_a_variation():
    tree = GameTree.of("1. e4 e5 1-0")
    after = tree.add(tree.add(2, "g1f3"), "b8c6")
    tree.rename(after, "against 1600")
    tree.add(2, "f2f4")
    assert [node["main"] for node in tree.data()] == [True, True, True, False, False, False]
    text = tree_text(tree)
    assert text == "1. e4 e5 ( { against 1600 } 1... e5 2. Nf3 Nc6 ) ( 1... e5 2. f4 ) 1-0"
    assert shape(GameTree.of(text)) == shape(tree)
    tree.promote(after)
    assert tree_text(tree) == "1. e4 e5 2. Nf3 { against 1600 } ( 2. f4 ) 2... Nc6 1-0"


def test_an_empty_game_grows():
    tree = GameTree.empty("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    after = tree.add(tree.add(0, "a2a7"), "h8g8")
    assert [node.id for node in tree.main_line()] == [0, 1, 2]
    assert tree.add(0, "a2b2") == 3
    text = tree_text(tree)
    assert '[FEN "7k/8/8/8/8/8/R7/K7 w - - 0 1"]' in text
    assert text.endswith("\n\n1. Ra7 ( 1. Rb2 ) 1... Kg8 *")
    assert tree.remove(after) == [after]
    assert GameTree.empty("bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w KQkq - 0 1", chess960=True).chess960


def test_wrong_nodes_moves_and_names():
    tree = GameTree.of(GAME)
    for wrong in (-1, 10, True, "1", None, 1.0):
        for operation in (tree.remove, tree.promote, tree.position, lambda n: tree.add(n, "e2e4")):
            with pytest.raises(ValueError, match="there is no node"):
                operation(wrong)
    for move in ("e2e5", "0000", "--", "Nf3", "", "e7e8k", "\x1b"):
        with pytest.raises(ValueError, match="is not a legal move in"):
            tree.add(0, move)
    with pytest.raises(ValueError, match="the start cannot be removed"):
        tree.remove(0)
    with pytest.raises(ValueError, match="only a variation can be named"):
        tree.rename(2, "x")
    with pytest.raises(ValueError, match="a name may have 200 letters"):
        tree.rename(5, "x" * 201)
    assert not tree.is_changed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no game in the text"),
        ("My notes", "there is no game in the text"),
        ('[Variant "Atomic"]\n\n1. e4 *', "game 1: Atomic is not played here"),
        ('[FEN "rubbish"]\n\n*', "game 1: its FEN is wrong"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "game 1: board field has 0 kings"),
        ('[FEN "7k/8/6QK/8/8/8/8/7R w - - 0 1"]\n\n*', None),
        ('[FEN "7k/8/6QK/8/8/8/8/8 b - - 0 1"]\n\n*', None),
        ('[FEN "7k/7R/6QK/8/8/8/8/8 w - - 0 1"]\n\n*', "game 1: side field: Black is in check"),
    ],
)
def test_games_that_cannot_begin(text, reason):
    if reason is None:
        assert len(GameTree.of(text)) == 1
    else:
        with pytest.raises(ValueError, match=reason):
            GameTree.of(text)


def test_a_game_may_have_many_moves_and_not_more(monkeypatch):
    monkeypatch.setattr(game_tree, "MOST_NODES", 10)
    tree = GameTree.of(GAME)
    assert len(tree) == 10
    assert tree.add(0, "e2e4") == 1
    with pytest.raises(ValueError, match=r"the text, game 1: a game may have 9 moves, variations included"):
        tree.add(0, "d2d4")
    with pytest.raises(ValueError, match="a game may have 9 moves"):
        GameTree.of(GAME.replace("1-0", "3. d4 1-0"))


def test_history_and_null_moves():
    tree = GameTree.of("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 (4... -- 5. e4 -- 6. d4 d5) *")
    assert tree.position_at(8).occurrences == 3
    start, codes = tree.position(8)
    assert start == Position()
    assert len(codes) == 8
    last = tree.nodes()[-1]
    start, codes = tree.position(last.id)
    assert (last.san, len(codes), start.fen()) == ("d5", 2, last.path()[-3].fen)
    null = next(node for node in tree.nodes() if node.san == "--")
    assert tree.position(null.id)[1] == []
    checked = GameTree.of("1. e4 e5 2. Qh5 Nc6 3. Qxf7+ (3. Qxe5+ -- 4. Qd4) *")
    with pytest.raises(ValueError, match="is in check, but it is the opponent's move"):
        checked.position(7)


def test_same_variations_are_one():
    tree = GameTree.of("1. e4 {one} e5 (1... e5 {two} 2. Nf3) (1... e5 $3 2. Nf3 d6) 2. d4 (2. Nf3 a6) *")
    assert len(tree) == 7
    assert (tree.node(2).comment, tree.node(2).nags) == ("two", {3})
    assert [child.uci for child in tree.node(4).children] == ["a7a6", "d7d6"] or tree.node(4).uci == "g1f3"


# Text


def test_what_stands_in_the_file_is_kept():
    headers = '[White  "A "b" c"]\n[broken\n%escape\n[Result "1-0"]\n\n'
    text = headers + "{ begin } 1. e4 $14 { [%clk 0:01:00] [%eval 0.3] x } 1... e5 ( 1... c5 $6 ) 2. Nf3 1/2"
    assert tree_text(GameTree.of(text)).replace("\n", " ") == text.replace("\n", " ")
    broken = headers + "1. e4 e5 2. Ke3 ( 2. Nf3 ) Nc6 { why\n not } 0-1"
    tree = GameTree.of(broken)
    assert tree.note == "2. Ke3 is not a legal move"
    assert tree_text(tree) == broken.replace(" 2. Ke3", "\n2. Ke3")
    tree.add(1, "c7c5")
    again = GameTree.of(tree_text(tree))
    assert (again.note, again.rest, len(again)) == (tree.note, tree.rest, 4)
    tree.promote(3)
    assert (
        tree_text(tree)
        .replace("\n", " ")
        .endswith("  1. e4 c5 ( 1... e5 { Not legal from here on: Ke3 ( 2. Nf3 ) Nc6   why not   0-1 } ) 0-1")
    )
    tree = GameTree.of("1. Ke3 e5 *")
    assert tree_text(tree) == "1. Ke3 e5 *"
    tree.add(0, "e2e4")
    assert tree_text(tree) == "{ Not legal from here on: Ke3 e5 * } 1. e4 *"


WORDS = (
    "(",
    ")",
    "{",
    "} ",
    " ; ",
    "--",
    " Z0 ",
    "$3 ",
    "!",
    "\n",
    "1-0",
    "e4 ",
    "Nf3 ",
    "% ",
    "\n%x\n",
    " ( -- ",
    "*",
    "",
)


@pytest.mark.parametrize("count", [40, pytest.param(3000, marks=pytest.mark.soak)])
def test_damaged_games_are_written_as_they_are_read(count):
    rng = random.Random(18)
    for number in range(count):
        text = str(random_game(rng)) if number % 3 else '[Event "?"]\n\n' + "".join(rng.choices(WORDS, k=60))
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(text))
            text = text[:place] + rng.choice(WORDS) + text[place + rng.randrange(3) :]
        try:
            tree = GameTree.of(text)
        except ValueError:
            continue
        again = GameTree.of(tree_text(tree))
        assert (again.note, again.rest.split(), shape(again)) == (tree.note, tree.rest.split(), shape(tree)), text


def test_what_a_judge_says():
    tree = GameTree.of('[White "A"]\n\n1. f3 { [%clk 0:00:59] } 1... e5 2. g4 Qh4# 0-1')
    annotations = {
        1: Annotation({"cp": -30}, [6], "Inaccuracy: hm.", ["e2e4", "e7e5"], {"cp": 25}),
        2: Annotation({"cp": -40}),
        3: Annotation({"mate": -1}, [4], "Blunder.", ["e1f2"], {"mate": -7}),
        4: Annotation(),
    }
    text = tree_text(tree, annotations, {"Annotator": "Teresa", "White": "B"})
    assert text.replace("\n", " ") == (
        '[Annotator "Teresa"] [White "B"]  1. f3 $6 { [%clk 0:00:59] [%eval -0.30] Inaccuracy: hm. } '
        "( 1. e4 { [%eval 0.25] } 1... e5 ) 1... e5 { [%eval -0.40] } 2. g4 $4 { [%eval #-1] Blunder. } "
        "( 2. Kf2 { [%eval #-7] } ) 2... Qh4# 0-1"
    )
    assert tree_text(tree) == '[White "A"]\n\n1. f3 { [%clk 0:00:59] } 1... e5 2. g4 Qh4# 0-1'
    with pytest.raises(ValueError, match="there is no node 9"):
        tree_text(tree, {9: Annotation()})
