"""A game by keyboard alone, by touch, with a broken connection, and beside another page, in a real browser."""

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer import server as servers
from engine.explorer.page_files import page_with
from engine.explorer.server import Server
from engine.pgn.game_tree import GameTree
from tests.engine.explorer.games import new_page as session_of
from tests.engine.explorer.judged_games import saved_game
from tests.engine.explorer.pages import crumbs, follows, is_at
from tests.engine.explorer.views import until
from tests.engine.report.searches import MIDDLEGAME

pytestmark = pytest.mark.slow

FOCUSED = "document.activeElement.textContent"
DRAG = """([from, to]) => {
  const finger = {pointerId: 7, pointerType: 'touch', isPrimary: true, bubbles: true};
  const point = (type, [clientX, clientY]) => document.querySelector('#judgement').dispatchEvent(
    new PointerEvent(type, {...finger, clientX, clientY}));
  point('pointerdown', from);
  point('pointerup', to);
}"""


def type_move(page, text):
    page.keyboard.press("i")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_an_exercise_by_keyboard_alone(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    is_at(page, "1… e5")
    assert page.evaluate(FOCUSED) == "Hint"
    for hints in (1, 2, 3):
        page.keyboard.press("Enter")
        until(lambda hints=hints: page.locator(".hints li").count() == hints)
    assert page.evaluate(FOCUSED) == "Show the move", "the focus stays where it was"
    assert "king e1" in page.get_attribute("#board", "aria-label")
    follows(session, page, 2)
    page.wait_for_timeout(200)
    type_move(page, "Ke4")
    assert page.inner_text("#typing-problem") == "No move here is written so."
    page.keyboard.press("Escape")
    type_move(page, session.game.judged_move(3)["best"]["san"])
    until(lambda: page.locator("#exercises .said.good").count())


def test_another_game_ends_what_is_practised(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("e")
    page.click(".tasks button")
    until(lambda: session.game.current == 2)
    follows(session, page, 2)
    session.actions()["try"]({"revision": 1, "node": 2, "move": session.game.judged_move(3)["best"]["uci"]})
    session.actions()["open"]({"number": 3})
    until(lambda: page.inner_text("#white-name") == "Dora")
    is_at(page, "start")
    assert page.is_visible("#moves"), "hints are back"
    assert page.locator(".done").count() == 0, "nothing of this game was found"


def test_where_one_went_without_the_engine_is_searched_later(judged_game, new_page, monkeypatch):
    monkeypatch.setattr(servers, "new_token", lambda: "t" * 43)
    session, server = judged_game, Server(judged_game)
    page = new_page(server.address, loses_engine=True)
    until(lambda: page.locator("#board square").count() == 0)
    server.close()
    until(lambda: page.is_visible("#trouble"))
    page.keyboard.press("ArrowRight")
    is_at(page, "1. f3")
    page.wait_for_timeout(300)
    server = Server(session, server.port)
    until(lambda: page.is_hidden("#trouble"))
    until(lambda: session.game.current == 1)
    page.close()
    server.close()


def test_a_swipe_turns_to_the_next_move(game_page):
    page = game_page
    page.evaluate(DRAG, [[200, 100], [90, 120]])
    is_at(page, "1. f3")
    page.evaluate(DRAG, [[200, 100], [150, 180]])
    assert crumbs(page) == ["1. f3"], "up and down is scrolling"
    page.evaluate(DRAG, [[100, 100], [190, 100]])
    is_at(page, "start")


def test_a_position_alone_has_no_column_for_a_game(new_page):
    session = session_of(GameTree.empty(MIDDLEGAME))
    server = Server(session)
    session.go()
    page = new_page(server.address)
    session.pause()
    assert page.is_hidden("#game")
    wide = page.locator("#moves").bounding_box()["width"]
    page.keyboard.press("p")
    assert page.is_visible("#playout"), "it can be played out"
    page.reload()
    page.wait_for_selector("tbody tr")
    follows(session, page, 0)
    page.wait_for_timeout(200)
    type_move(page, "a4")
    until(lambda: page.is_visible("#game"))
    assert page.locator("#moves").bounding_box()["width"] < wide
    page.close()
    server.close()
    session.close()


def test_unsaved_variations_are_not_left_without_a_question(judged_game, game_page):
    session, page = judged_game, game_page
    follows(session, page, 0)
    page.wait_for_timeout(200)
    type_move(page, "d4")
    is_at(page, "1. d4")
    until(lambda: session.game.current > 6)
    asked = []
    page.on("dialog", lambda dialog: asked.append(dialog.type) or dialog.accept())
    page.reload()
    assert asked == ["beforeunload"]
    is_at(page, "1. d4")


def test_a_saved_page_says_how_far_the_game_was_judged(new_page, tmp_path):
    data = saved_game()
    judged = data["game"]["judged"]
    data["game"]["judged"] = {node: judged[node] for node in list(judged)[:11]}
    data["game"]["judging"] = {"state": "quick", "done": 11, "of": 87}
    file = tmp_path / "game.html"
    file.write_bytes(page_with(data))
    page = new_page(file.as_uri())
    assert page.inner_text("#judging") == "11 of 87 moves are judged"
    assert page.is_hidden("#judged"), "nothing runs"
