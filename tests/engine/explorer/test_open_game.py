"""The open game: what a page reads of it, and what is new since a moment."""

import pytest

from engine.explorer.asked import OldRevisionError
from engine.explorer.open_game import Moments, OpenGame
from engine.pgn.annotated import Annotation
from engine.pgn.game_tree import GameTree
from tests.engine.explorer.games import FOOLS_MATE


@pytest.fixture
def game():
    return OpenGame(GameTree.of(FOOLS_MATE), 3, Moments(), 7)


def test_all_of_a_game(game):
    data = game.data()
    assert (data["revision"], data["number"], data["current"], data["changed"]) == (3, 7, 0, False)
    assert data["start"] == {"fen": GameTree.empty().start.fen, "turn": "white", "chess960": False}
    assert [(node["parent"], node["san"], node["main"]) for node in data["nodes"]] == [
        (None, None, True),
        (0, "f3", True),
        (1, "e5", True),
        (2, "g4", True),
        (3, "Qh4#", True),
        (2, "e4", False),
        (5, "Nc6", False),
    ]
    assert data["nodes"][1]["clock"] == 59
    assert game.clocks() == [59.0, None, None, None]
    assert data["judging"] == {"state": "off", "done": 0, "of": 4, "message": ""}
    assert (data["judged"], data["opening"], data["players"]) == ({}, None, None)


def test_requests_about_another_game_are_refused(game):
    game.check(3)
    for revision in (2, 4):
        with pytest.raises(OldRevisionError, match="another game is open"):
            game.check(revision)


def test_news_are_what_was_judged_since(game):
    cursor = game.data()["cursor"]
    assert game.news(cursor) is None
    game.add_judged(1, {"loss": 0.1}, Annotation(), {"state": "quick", "done": 1})
    game.add_judged(2, {"loss": 0.0}, Annotation(), {"state": "quick", "done": 2})
    first = game.news(cursor)
    assert (first["judged"], first["judging"]["done"]) == ({"1": {"loss": 0.1}, "2": {"loss": 0.0}}, 2)
    assert game.news(first["cursor"]) is None
    game.add_judged(1, {"loss": 0.2}, Annotation(), {"state": "deep"})
    game.set_numbers({"opening": None, "phases": {}, "players": {}})
    second = game.news(first["cursor"])
    assert (second["judged"], second["players"]) == ({"1": {"loss": 0.2}}, {})
    assert "players" not in first
    assert game.news(0)["judged"] == game.data()["judged"]
    assert game.judged_move(1) == {"loss": 0.2}
    assert game.judged_move(3) is None


def test_news_never_wait(game):
    """The event loop asks for them: it does not wait while the game is changed."""
    from threading import Thread

    found = []
    with game.lock:
        thread = Thread(target=lambda: found.append(game.news(0)))
        thread.start()
        thread.join(5)
    assert found == [None]


def test_the_moments_of_a_session_never_go_back():
    moments = Moments()
    first = OpenGame(GameTree.of(FOOLS_MATE), 1, moments)
    first.set_judging("done")
    cursor = first.data()["cursor"]
    second = OpenGame(GameTree.empty(), 2, moments)
    assert second.news(cursor)["revision"] == 2


def test_variations_come_and_go(game):
    added = game.add(2, "g2g3", "mine")
    assert (added["parent"], added["san"], added["main"], added["name"]) == (2, "g3", False, "mine")
    assert game.add(2, "g2g3", "yours") == added, "the same move is the same node"
    assert game.add(added["id"], "d8h4", "deeper")["name"] == "", "it begins no variation"
    assert (game.changes, game.data()["changed"]) == (2, True)
    game.current = added["id"]
    data = game.change(lambda tree: tree.remove(added["id"]))
    assert (data["current"], data["changes"]) == (0, 3)
    with pytest.raises(ValueError, match="there is no node"):
        game.check_node(added["id"])
    with pytest.raises(ValueError, match="is not a legal move"):
        game.add(0, "e2e5" * 99)


def test_what_follows_in_the_game(game):
    assert [game.move_after(node) for node in range(7)] == [1, 2, 3, 4, None, None, None]
    game.change(lambda tree: tree.promote(5))
    assert game.move_after(2) == 3, "the game stays what was played"


class Kept:
    def __init__(self, notes):
        self.given, self.added = notes, []

    def notes(self, _kind):
        return self.given

    def note(self, kind, ply, data):
        self.added.append((kind, ply, data))


def test_exercises_are_kept_and_what_was_solved_stays_so(game):
    kept = Kept({1: {"solved": True, "hints": 2}, 99: {"solved": True, "hints": 0}, 3: {"solved": 1}})
    game.keep(kept)
    assert game.exercises == {"1": {"solved": True, "hints": 2}}
    game.set_exercise(3, is_solved=False, hints=1)
    game.set_exercise(1, is_solved=False, hints=1)
    assert game.exercises == {"1": {"solved": True, "hints": 2}, "3": {"solved": False, "hints": 1}}
    assert kept.added == [("exercise", 3, {"solved": False, "hints": 1})]
