"""A whole game in the page, in a real browser: walked through, changed, practised, saved."""

import chess
import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.export import page as saved_page
from engine.explorer.server import Server
from tests.engine.explorer.games import FOOLS_MATE, LONG, judge_all, page_of_file
from tests.engine.explorer.pages import rows_of, shown
from tests.engine.explorer.views import until

pytestmark = pytest.mark.slow


@pytest.fixture
def session(tmp_path, monkeypatch):
    """The fool's mate in a file of three games, judged."""
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "reviews"))
    session = page_of_file(tmp_path / "games.pgn")
    judge_all(session)
    yield session
    session.close()


@pytest.fixture
def page(session, new_page):
    server = Server(session)
    page = new_page(server.address, types_anything=True)
    page.set_default_timeout(10_000)
    yield page
    page.close()
    server.close()


def crumbs(page):
    return page.locator("#crumbs button").all_inner_texts()


def is_at(page, *names):
    until(lambda: crumbs(page) == list(names))


def follows(session, page, node):
    """The search is where the page is, and the page knows."""
    fen = session.game.position_at(node).fen()
    until(lambda: session.analyses[0].position.fen() == fen)
    until(lambda: page.evaluate("document.querySelectorAll('#board square.move-dest').length") == 0)


def place_of(page, square):
    """The middle of a square."""
    box = page.locator("#board cg-board").bounding_box()
    size, turned = box["width"] / 8, page.locator("#board .orientation-black, #board.orientation-black").count()
    file, rank = ord(square[0]) - 97, int(square[1]) - 1
    x, y = (7 - file, rank) if turned else (file, 7 - rank)
    return box["x"] + (x + 0.5) * size, box["y"] + (y + 0.5) * size


def play(page, uci):
    """Drag a piece, as soon as the page knows that the move is legal; the board shows where it may go."""

    def is_legal():
        page.mouse.move(*place_of(page, uci[:2]))
        page.mouse.down()
        page.mouse.move(*place_of(page, uci[2:4]), steps=3)
        page.wait_for_timeout(60)
        count = page.locator("#board square.move-dest").count()
        if not count:
            page.mouse.move(*place_of(page, uci[:2]), steps=2)
        page.mouse.up()
        return count

    until(is_legal)


def test_a_game_is_walked_through(session, page):
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


def test_frames_of_another_position_are_ignored(session, page):
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


def test_the_newest_of_quick_steps_is_searched(session, page):
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


def test_a_variation_is_tried_named_saved_and_deleted(session, page, tmp_path):
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


def test_what_another_page_adds_is_shown(session, page):
    session.actions()["add"]({"revision": 1, "node": 0, "move": "c2c4"})
    until(lambda: "c4" in page.inner_text("#list"))
    assert crumbs(page) == ["start"]


def test_looking_into_the_search_and_back(session, page):
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


def test_the_better_move_is_found(session, page):
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


def test_a_position_is_played_out(session, page):
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


def test_games_positions_and_texts(session, page):
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
    page.click("#paste")
    page.fill("#pasted", LONG)
    page.click("#pasting [value=yes]")
    until(lambda: page.inner_text("#white-name") == "Dora")
    page.click("#paste")
    page.fill("#pasted", "8/8/8/8/8/8/8/8 w - - 0 1")
    with page.expect_response("**/do/paste") as answer:
        page.click("#pasting [value=yes]")
    assert answer.value.status == 400
    until(lambda: page.is_visible("#trouble"))
    assert page.inner_text("#white-name") == "Dora", "the game stays"


def test_downloads(page):
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


def test_a_saved_game_works_without_a_network(session, new_page, tmp_path):
    file = tmp_path / "game.html"
    file.write_bytes(saved_page(session))
    page = new_page(file.as_uri(), offline=True)
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert crumbs(page) == ["2. g4"]
    assert "blunder" in page.inner_text("#judgement")
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
