"""A whole game in the page, in a real browser: walked through, with variations, while the search follows."""

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from tests.engine.explorer.games import FOOLS_MATE
from tests.engine.explorer.pages import crumbs, follows, is_at, place_of, play, rows_of, shown
from tests.engine.explorer.views import until

pytestmark = pytest.mark.slow


def test_a_game_is_walked_through(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("ArrowRight")
    is_at(page, "1. f3")
    assert page.inner_text("#list [aria-current]").startswith("f3")
    assert page.inner_text("#white-clock") == "0:59"
    assert "judged with" in page.inner_text("#whose")
    rows = session.game.judged_move(2)["rows"]
    assert set(rows_of(page)) == {row["uci"] for row in rows}, "what was judged is there at once"
    follows(session, page, 1)
    page.keyboard.press("ArrowDown")
    is_at(page, "2. g4")
    assert "blunder" in page.inner_text("#judgement")
    assert "blunder" in page.inner_text("#spoken")
    assert page.locator("#board .badge.blunder").count() == 1
    page.keyboard.press("End")
    is_at(page, "2… Qh4#")
    until(lambda: page.inner_text("#caption") == "The game is over here.")
    until(lambda: page.inner_text("#why-title") == "Why")
    assert page.is_hidden("#more")
    assert page.is_disabled("#asked")
    page.mouse.move(*place_of(page, "e4"))
    page.mouse.wheel(0, -120)
    is_at(page, "2. g4")
    page.keyboard.press("Shift+ArrowDown")
    is_at(page, "2. e4")
    assert page.inner_text("#branch-name") == "variation"
    page.keyboard.press("Backspace")
    is_at(page, "1… e5")
    box = page.locator("#timeline canvas").bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + 30)
    is_at(page, "start")
    session.go()
    until(lambda: "judged with" not in page.inner_text("#whose"))
    session.pause()
    until(lambda: rows_of(page).items() <= {row.uci: shown(row) for row in session.report(0).rows()}.items())


def test_frames_of_another_position_are_ignored(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("ArrowRight")
    follows(session, page, 1)
    page.route("**/do/show", lambda _route: None)  # the search does not hear of the next step
    session.go()
    page.keyboard.press("ArrowRight")
    is_at(page, "1… e5")
    expected = {row["uci"] for row in session.game.judged_move(3)["rows"]}
    for _ in range(6):
        assert set(rows_of(page)) == expected
        page.wait_for_timeout(100)
    assert session.report(0).summary()["visits"] > 0


def test_the_newest_of_quick_steps_is_searched(judged_game, game_page):
    session, page = judged_game, game_page
    asked = []
    page.on("request", lambda request: "do/show" in request.url and asked.append(request.post_data_json["node"]))
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    follows(session, page, 1)
    page.wait_for_timeout(300)
    assert asked[-1] == 1
    assert len(asked) <= 4


def test_a_variation_is_tried_named_saved_and_deleted(judged_game, game_page, tmp_path):
    session, page = judged_game, game_page
    before = (tmp_path / "games.pgn").read_text(encoding="utf-8")
    play(page, "d2d4")
    is_at(page, "1. d4")
    page.click("#rename")
    page.fill("#new-name", "better")
    page.keyboard.press("Enter")
    until(lambda: page.inner_text("#branch-name") == "better")
    assert page.inner_text(".variation .name") == "better"
    page.click("#tab-files")
    page.click("#save")
    until(lambda: page.inner_text("#said") == "Saved in games.pgn.")
    assert page.is_disabled("#save")
    after = (tmp_path / "games.pgn").read_text(encoding="utf-8")
    assert "better" in after
    assert after.endswith(before[len(FOOLS_MATE) :]), "the other games stay as they are"
    page.click("#back")
    is_at(page, "start")
    page.click("#tab-list")
    page.click(".variation .move")
    is_at(page, "1. d4")
    page.click("#remove")
    assert page.inner_text("#removing-text") == "Delete better with 1 move?"
    page.click("#removing [value=yes]")
    is_at(page, "start")
    until(lambda: page.locator(".variation .name").count() == 0)
    assert len(session.game.tree) == 7


def test_a_file_that_vanished_loses_nothing(judged_game, game_page, tmp_path):
    session, page = judged_game, game_page
    session.actions()["add"]({"revision": 1, "node": 0, "move": "c2c4"})
    (tmp_path / "games.pgn").unlink()
    page.click("#tab-files")
    until(lambda: page.is_enabled("#save"))
    page.click("#save")
    until(lambda: page.is_visible("#trouble"))
    assert "Download PGN" in page.inner_text("#said")
    assert not page.inner_text("#trouble").startswith("Games.pgn")
    assert page.is_enabled("#save")


def test_what_another_page_adds_is_shown(judged_game, game_page):
    session, page = judged_game, game_page
    session.actions()["add"]({"revision": 1, "node": 0, "move": "c2c4"})
    until(lambda: "c4" in page.inner_text("#list"))
    assert crumbs(page) == ["start"]


def test_a_change_by_another_page_does_not_lead_the_search_away(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("ArrowRight")
    follows(session, page, 1)
    shown = []
    page.on("request", lambda request: "do/show" in request.url and shown.append(request.post_data_json["node"]))
    session.actions()["show"]({"revision": 1, "node": 3})
    session.go()
    until(lambda: page.inner_text("#state") == "in another window")
    session.actions()["add"]({"revision": 1, "node": 3, "move": "b8c6"})
    until(lambda: page.locator("#list .move").count() == 7)
    page.wait_for_timeout(400)
    assert shown == []
    assert session.game.current == 3
    session.actions()["show"]({"revision": 1, "node": 1})
    until(lambda: page.inner_text("#state") == "searching")
    page.keyboard.press("ArrowRight")
    follows(session, page, 2)


def test_looking_into_the_search_and_back(judged_game, game_page):
    session, page = judged_game, game_page
    session.go()
    until(lambda: session.report(0).summary()["visits"] > 300)
    session.pause()
    until(lambda: "judged with" not in page.inner_text("#whose"))
    row = page.locator("tbody tr").nth(1)
    san, uci = row.locator("th").inner_text(), row.get_attribute("data-uci")
    for _ in range(2):
        page.focus(f"tbody tr[data-uci={uci}]")
        page.keyboard.press("Enter")
        is_at(page, "start", san)
        page.click("#leave")
        is_at(page, "start")
        until(lambda: "judged with" not in page.inner_text("#whose"))
    page.focus(f"tbody tr[data-uci={uci}]")
    page.keyboard.press("Enter")
    is_at(page, "start", san)
    page.click("#descend")
    is_at(page, f"1. {san}")
    assert page.is_visible("#branch")
    page.keyboard.press("Backspace")
    is_at(page, "start")
