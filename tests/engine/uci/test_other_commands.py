"""What the commands that UCI does not have do and print, with a searcher that only notes its calls."""

from types import SimpleNamespace

import chess
import pytest

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.explain.explain import NotLegal
from engine.mcts.params import evaluation_of
from engine.mcts.tree import new_tree
from engine.report.node import LONG
from engine.report.snapshot import NotInMemoryError
from engine.report.static_eval import NetworkEval, Outcome, PieceEval, PlayoutEval
from engine.report.tree_file import GameRecord
from engine.uci import other_commands
from engine.uci.other_commands import board_lines, checking_squares, closer_look, network_lines, playout_lines
from movegen import Position
from movegen.fen import START_FEN
from tests.engine.uci.fakes import AFTER_E4, FakedTalk, FakeReport
from tests.engine.uci.test_info_lines import ROW
from tests.positions import random_positions


@pytest.fixture
def talk(monkeypatch):
    return FakedTalk(monkeypatch)


def test_the_board_is_that_of_the_searcher(talk):
    talk.hear("position startpos moves e2e4", "d")
    assert f"Fen: {AFTER_E4}" in talk.said


@pytest.mark.parametrize(("evaluator", "expected"), [("Network", "by network"), ("Playout", "by playouts")])
def test_which_evaluator_evaluates(talk, monkeypatch, evaluator, expected):
    asked, works, position = [], [], Position("4k3/8/8/8/8/8/8/QQQ1K3 b - - 0 1")
    monkeypatch.setattr(
        other_commands, "evaluate_by_network", lambda *arguments: asked.append(arguments) or "by network"
    )
    monkeypatch.setattr(
        other_commands, "evaluate_by_playouts", lambda *arguments: asked.append(arguments) or "by playouts"
    )
    for name in ("network_lines", "playout_lines"):
        monkeypatch.setattr(other_commands, name, lambda found, player, name=name: [name, found, player])
    monkeypatch.setattr(talk.session.background, "start_job", works.append)
    talk.session.resources._network = "the net"
    talk.searcher.position, talk.session.options.seed = position, 17
    talk.session.options.evaluator = evaluator
    talk.hear("eval")
    talk.session.options.seed = 18  # of a later command
    works[0](talk.said.append, None)
    assert asked == [(position, "the net", True if evaluator == "Network" else 17)]
    lines = "network_lines" if evaluator == "Network" else "playout_lines"
    assert talk.said == [f"info string {text}" for text in (lines, expected, "black")]


def test_the_table_of_moves(talk):
    report = FakeReport([ROW, ROW._replace(uci="d2d4")])
    talk.searcher.report = lambda: report
    talk.hear("moves")
    assert report.shape is LONG  # with whole lines
    assert [line.split()[2] for line in talk.said] == ["e2e4", "d2d4"]
    assert all(line.startswith("info string ") for line in talk.said)
    talk.said.clear()
    talk.searcher.report = lambda: FakeReport([])
    talk.hear("moves")
    assert talk.said == ["info string moves: nothing was searched yet; ignored"]


class Found:
    """An explanation."""

    def __init__(self, needs_search):
        self.needs_search = needs_search


@pytest.mark.parametrize(
    ("question", "needs_search", "asked", "searched"),
    [
        ("why", False, None, None),
        ("why e4", False, "e4", None),
        ("why e4", True, "e4", (None,)),
        ("why e4 300", False, "e4", (300,)),
        ("why not e4 300", True, "e4", (300,)),
        ("whynot e4", False, "e4", None),
        ("whynot e4 20", False, "e4", (20,)),
    ],
)
def test_which_questions_need_a_search(talk, monkeypatch, question, needs_search, asked, searched):
    asked_for, looks, found = [], [], Found(needs_search)
    monkeypatch.setattr(other_commands, "explain", lambda _report, move: asked_for.append(move) or found)
    monkeypatch.setattr(other_commands, "lines_of", lambda _found, _hint: ["because", "of that"])
    monkeypatch.setattr(other_commands, "closer_look", lambda found, visits: looks.append((found, visits)))
    monkeypatch.setattr(talk.session.background, "start_extra", lambda _work: looks.append("started"))
    talk.hear(question)
    assert asked_for == [asked]
    if searched is None:
        assert looks == []
        assert talk.said == ["info string because", "info string of that"]
    else:
        assert looks == [(found, *searched), "started"]
        assert talk.said == []


def test_a_move_that_is_not_legal_needs_no_search(talk, monkeypatch):
    monkeypatch.setattr(other_commands, "explain", lambda *_: NotLegal.__new__(NotLegal))
    monkeypatch.setattr(other_commands, "lines_of", lambda *_: ["not legal"])
    talk.hear("why Ke2 300")
    assert talk.said == ["info string not legal"]


def fail(*_arguments):
    raise NotInMemoryError("it is gone")


def test_what_was_recycled_is_said(talk, monkeypatch):
    monkeypatch.setattr(other_commands, "explain", fail)
    talk.hear("why e4")
    assert talk.said == ["info string why: it is gone; ignored"]
    said = []
    monkeypatch.setattr(other_commands, "settle", fail)
    closer_look(Found(True), 10)(said.append, lambda: False)
    assert said == ["info string it is gone"]


def test_a_closer_look_explains_what_it_found(monkeypatch):
    said, asked, found = [], [], Found(True)
    stop = lambda: False  # noqa: E731  (compared)
    monkeypatch.setattr(other_commands, "settle", lambda *arguments: asked.append(arguments) or "settled")
    monkeypatch.setattr(other_commands, "lines_of", lambda settled, _hint: [settled, "more"])
    closer_look(found, 10)(said.append, stop)
    assert asked == [(found, 10, stop)]
    assert said == ["info string settled", "info string more"]


@pytest.mark.parametrize(("text", "visits"), [("", 5000), ("70", 70), ("0", 5000), ("-3", 1), ("x", 5000), ("9 8", 9)])
def test_the_visits_of_a_bench(talk, monkeypatch, text, visits):
    asked, works = [], []
    monkeypatch.setattr(other_commands, "search_all", lambda *arguments: asked.append(arguments) or ["a line"])
    monkeypatch.setattr(talk.session.background, "start_job", works.append)
    talk.hear(f"bench {text}")
    works[0](talk.said.append, fail)
    assert asked == [(visits, fail)]
    assert talk.said == ["a line"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("savetree", "savetree: the name of a file must follow; ignored"),
        ("savetree --force", "savetree: nothing was searched yet; ignored"),
        ("savetree tree.npz", "savetree: nothing was searched yet; ignored"),
        ("loadtree", "loadtree: the name of a file must follow; ignored"),
    ],
)
def test_what_other_commands_refuse(talk, line, complaint):
    talk.hear(line)
    assert talk.said == [f"info string {complaint}"]


@pytest.mark.parametrize(
    ("text", "name", "force"),
    [
        ("tree.npz", "tree.npz", False),
        ("two  blanks.npz", "two  blanks.npz", False),
        ("--force tree.npz", "tree.npz", True),
        ("--force   two  blanks.npz", "two  blanks.npz", True),
        ("--forced.npz", "--forced.npz", False),
    ],
)
def test_where_a_tree_is_saved(talk, monkeypatch, text, name, force):
    saved = []

    def save(path, record, *_parts, force):
        saved.append((str(path), record.start, record.moves, record.chess960, force))
        return 12_345

    monkeypatch.setattr(other_commands, "save", save)
    talk.searcher.report, talk.searcher.history = lambda: FakeReport([ROW]), None
    talk.hear("position startpos moves e2e4", f"savetree {text}")
    assert saved == [(name, START_FEN, ("e2e4",), False, force)]
    assert talk.said == [f"info string 12,345 moves saved in {name}"]


@pytest.mark.parametrize("lost_proofs", [0, 2500])
def test_a_saved_search_is_taken_over_with_its_game(talk, monkeypatch, lost_proofs):
    tree = new_tree(1)
    tree.visits[0] = 12_000
    position, asked = Position().play("e4"), []
    game = GameRecord(START_FEN, ("e2e4",), chess960=True)
    parts = {"position": position, "history": "history", "fill": "fill", "game": game, "options": Options()}
    evaluation = evaluation_of(search_params(talk.session.options))
    found = SimpleNamespace(**parts, lost_proofs=lost_proofs, evaluation=evaluation)
    monkeypatch.setattr(other_commands, "load", lambda path, room: asked.append((str(path), room)) or found)
    talk.searcher.prepare = lambda: tree
    talk.searcher.load = lambda *arguments: talk.calls.append(arguments)
    talk.hear("loadtree two  blanks.npz")
    assert asked == [("two  blanks.npz", tree.visits.size)]
    assert talk.calls[-1] == (position, "history", "fill")
    game = talk.search.game
    assert (game.fen, game.chess960, game.texts, game.position) == (START_FEN, True, ("e2e4",), position)
    lost = ["info string 2,500 proofs are left out: the moves they rest on were recycled"] if lost_proofs else []
    assert talk.said == [f"info string 12,000 visits of {AFTER_E4}", *lost]


# Lines


def test_lines_of_evaluations():
    assert playout_lines(PlayoutEval(wins=1400, draws=200, losses=400), "black") == [
        "2000 random games: 1400 won, 200 drawn, 400 lost by black",
        "score 0.750 ± 0.009 for black, 275 centipawns",
    ]
    pieces = [PieceEval("d8", "q", 0.5), PieceEval("a2", "P", -0.0625)]
    found = NetworkEval(Outcome(0.5, 0.25, 0.25), pieces, [("e7e5", 0.75), ("h7h5", 0.005)])
    assert network_lines(found, "black") == [
        "black to move: score 0.625, 128 centipawns, win 50.0% draw 25.0% loss 25.0%",
        "q on d8: +0.500 score",
        "P on a2: -0.062 score",
        "e7e5 prior 75.0%",
        "h7h5 prior 0.5%",
    ]


def test_lines_of_a_board():
    position = Position("4k3/8/8/8/1b6/8/4r3/4K2R w K - 0 1")
    assert board_lines(position) == [
        "8  . . . . k . . .",
        *(f"{rank}  . . . . . . . ." for rank in (7, 6, 5)),
        "4  . b . . . . . .",
        "3  . . . . . . . .",
        "2  . . . . r . . .",
        "1  . . . . K . . R",
        "",
        "   a b c d e f g h",
        "",
        "Fen: 4k3/8/8/8/1b6/8/4r3/4K2R w K - 0 1",
        f"Key: {position.key:016X}",
        "To move: white",
        "Checkers: b4 e2",
    ]


def test_checkers_against_python_chess():
    for board in random_positions(60, seed=4):
        expected = sorted(chess.square_name(square) for square in board.checkers())
        assert sorted(checking_squares(Position(board.fen(), chess960=board.chess960))) == expected
