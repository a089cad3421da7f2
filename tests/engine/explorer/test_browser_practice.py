"""Exercises, play-outs, other games, and what is saved, in a real browser."""

import chess
import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.export import page as saved_page
from tests.engine.explorer.games import LONG
from tests.engine.explorer.pages import crumbs, is_at, place_of, play
from tests.engine.explorer.views import until

pytestmark = pytest.mark.slow


def test_the_better_move_is_found(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("e")
    page.click(".tasks button")
    is_at(page, "1… e5")
    assert page.is_hidden("#moves"), "no hints meanwhile"
    play(page, "g2g4")
    until(lambda: page.locator("#exercises .said.bad").count())
    hints = []
    for _ in range(3):
        page.click("#exercises .row button")
        hints = page.locator(".hints li").all_inner_texts()
    best = session.game.judged_move(3)["best"]
    assert hints[2] == f"It stands on {best['uci'][:2]}."
    play(page, best["uci"])
    until(lambda: page.locator("#exercises .said.good").count())
    assert "Why:" in page.inner_text("#exercises")
    page.click("#exercises >> text=End")
    is_at(page, "2. g4")
    until(lambda: page.is_visible("#moves"))
    assert "found" in page.get_attribute(".tasks button", "aria-label")
    assert session.game.exercises == {"3": {"solved": True, "hints": 3}}


def test_a_position_is_played_out(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    page.select_option("#playout [name=elo]", index=0)
    page.select_option("#playout [name=side]", "white")
    page.click("#playout button >> text=Play")
    until(lambda: "Your move" in page.inner_text("#playout"))
    until(lambda: crumbs(page)[0].startswith("1… "))
    play(page, "e2e4")
    until(lambda: crumbs(page)[0].startswith("2… "))
    page.click("#playout >> text=End")
    until(lambda: page.is_visible("#moves"))
    page.click("#tab-list")
    assert page.inner_text("#branch-name").startswith("against")
    node = session.game.tree.node(session.game.current)
    until(lambda: session.game.tree.node(session.game.current).ply >= 4 or node is None)


def test_games_positions_and_texts(judged_game, game_page):
    session, page = judged_game, game_page
    page.keyboard.press("g")
    until(lambda: page.locator(".games .game").count() == 3)
    assert "Atomic" in page.inner_text(".games .broken")
    page.keyboard.type("dora")
    until(lambda: page.locator(".games .game").count() == 2)
    page.click(".games .game >> nth=1")
    until(lambda: page.inner_text("#white-name") == "Dora")
    assert page.title() == "Dora – Emil: Teresa"
    page.click("#edit")
    until(lambda: page.inner_text(".problems") == "This position can be played.")
    page.click("#editor >> text=Clear")
    until(lambda: page.locator(".problems li").count() >= 2)
    assert page.is_disabled("#editor button.main")
    page.fill("#editor .fen input", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    until(lambda: page.is_enabled("#editor button.main"))
    page.click("#editor button.main")
    until(lambda: session.game.position_at(0).fen() == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    play(page, "e2e4")
    is_at(page, "1. e4")
    for answer in ("no", "yes"):
        page.click("#paste")
        page.fill("#pasted", LONG)
        page.click("#pasting [value=yes]")
        until(lambda: "not saved" in page.inner_text("#removing-text"))  # the move that was added would be lost
        page.click(f"#removing [value={answer}]")
    until(lambda: page.inner_text("#white-name") == "Dora")
    page.click("#paste")
    page.fill("#pasted", "8/8/8/8/8/8/8/8 w - - 0 1")
    with page.expect_response("**/do/paste") as answer:
        page.click("#pasting [value=yes]")
    assert answer.value.status == 400
    until(lambda: page.is_visible("#trouble"))
    assert page.inner_text("#white-name") == "Dora", "the game stays"


def test_downloads(game_page):
    page = game_page
    page.click("#tab-files")
    for button, kind, part in (
        ("#save-pgn", ".pgn", "Qh4#"),
        ("#annotated", ".pgn", "$4"),
        ("#save-page", ".html", 'id="saved"'),
    ):
        with page.expect_download() as download:
            page.click(button)
        assert download.value.suggested_filename == f"Anna-B-Carl{kind}"
        assert part in download.value.path().read_text(encoding="utf-8")


def test_a_saved_game_works_without_a_network(judged_game, new_page, tmp_path):
    session = judged_game
    file = tmp_path / "game.html"
    file.write_bytes(saved_page(session))
    page = new_page(file.as_uri(), offline=True)
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert crumbs(page) == ["2. g4"]
    assert "blunder" in page.inner_text("#judgement")
    assert page.is_hidden("#judging"), "all is judged"
    for part in ("#why", "#tree", "#time", "#paste", "#save", "#games"):
        assert page.is_hidden(part)
    page.hover("#judgement .line")
    until(lambda: page.locator("#caption b").count())
    page.mouse.move(0, 0)
    page.keyboard.press("e")
    page.click(".tasks button")
    best = session.game.judged_move(3)["best"]
    page.mouse.move(*place_of(page, best["uci"][:2]))
    page.mouse.down()
    page.mouse.move(*place_of(page, best["uci"][2:4]), steps=3)
    page.mouse.up()
    until(lambda: page.locator("#exercises .said.good").count())
    assert chess.Board(session.game.position_at(2).fen()).is_legal(chess.Move.from_uci(best["uci"]))
