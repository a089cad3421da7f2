"""Keys, buttons and texts of the page, on a search that rests: what is opened, selected, shown and asked."""

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.server import Server
from engine.report.snapshot import NotInMemoryError
from tests.engine.explorer.views import new_session, until
from tests.engine.report.searches import KIWIPETE, MIDDLEGAME


@pytest.fixture(scope="module")
def shown():
    """A session of 400 visits, and its server."""
    session = new_session(visits=400)
    server = Server(session)
    yield session, server
    server.close()
    session.close()


@pytest.fixture
def page(shown, new_page):
    opened = new_page(shown[1].address)
    opened.wait_for_selector("#answer .verdict")
    return opened


def text_is(page, selector, text):
    until(lambda: page.inner_text(selector) == text)


def cells(page, column):
    """Of the rows that are shown: move -> text."""
    script = "(rows, column) => rows.map((row) => [row.dataset.uci, row.querySelector(`td.${column}`).innerText])"
    return dict(page.locator("tbody tr").evaluate_all(script, column))


def by_score(rows, *, is_turned):
    found = {}
    for row in rows:
        score = None if row["q"] is None else 1 - row["q"] if is_turned else row["q"]
        found[row["uci"]] = "–" if score is None else f"{score:.3f}".removeprefix("0")
    return found


def crumbs(page):
    return page.locator("#crumbs button").all_inner_texts()


def test_figures_of_a_search_that_rests(page, shown):
    summary = shown[0].report(0).summary()
    assert page.inner_text("#visits") == "400"
    assert page.inner_text("#speed") == f"{summary['speed']:,}"
    assert page.inner_text("#depth") == f"{summary['depth']}, at most {summary['deepest']}"
    assert page.inner_text("#memory") == f"{round(100 * summary['memory'])} %"
    assert page.inner_text("#method") == "PUCT, network"
    assert page.is_visible("#method")
    assert page.inner_text("#state") == "visits made"
    assert page.inner_text("#pause") == "Resume"
    assert page.inner_text("#caption") == "White to move"
    assert page.inner_text("#whose") == "scores: White’s; win 1, draw ½, loss 0"
    assert page.locator("#descend").is_disabled()
    assert page.is_hidden("#trouble")
    best = shown[0].report(0).rows()[0].san
    assert page.inner_text("#why-title") == f"Why {best}"
    assert page.locator(".of:visible").count() == 0
    legend = shown[0].history(0, 6)["moves"]
    until(lambda: page.locator("#legend .mark").count() == len(legend))
    page.click(".rest")
    followed = {row.uci for row in shown[0].report(0).rows() if row.n > 1}
    assert len(followed) > 8
    until(lambda: {uci for uci, text in cells(page, "line").items() if text} >= followed)


def test_a_move_is_selected_opened_and_left(page, shown):
    rows = shown[0].report(0).children()["rows"]
    second = rows[1]
    page.click("tbody tr:nth-child(2)")
    text_is(page, "#why-title", f"Why not {second['san']}?")
    assert page.get_attribute("tbody tr:nth-child(2)", "aria-selected") == "true"
    page.click("tbody tr:nth-child(2)")
    text_is(page, "#why-title", f"Why {rows[0]['san']}")
    page.dblclick("tbody tr:nth-child(2)")
    until(lambda: crumbs(page) == ["root", second["san"]])
    assert page.inner_text("#caption") == "Black to move"
    assert page.get_attribute("#crumbs button:last-child", "aria-current") == "true"
    assert page.get_attribute("#crumbs button:first-child", "aria-current") is None
    assert page.locator("#descend").is_enabled()
    text_is(page, "#why-title", f"Why not {second['san']}?")
    replies = shown[0].node(0, second["uci"])["rows"]
    until(lambda: set(cells(page, "q")) <= {row["uci"] for row in replies})
    assert cells(page, "q").items() <= by_score(replies, is_turned=False).items()
    assert page.inner_text("#whose") == "scores: Black’s; win 1, draw ½, loss 0"
    page.keyboard.press("v")
    assert page.inner_text("#view") == "White’s view"
    assert page.inner_text("#whose") == "scores: White’s; win 1, draw ½, loss 0"
    assert cells(page, "q").items() <= by_score(replies, is_turned=True).items()
    page.dblclick("tbody tr:nth-child(1)")
    until(lambda: crumbs(page) == ["root", second["san"], replies[0]["san"]])
    page.keyboard.press("u")
    until(lambda: crumbs(page) == ["root", second["san"]])
    page.keyboard.press("Home")
    until(lambda: crumbs(page) == ["root"])
    assert cells(page, "q").items() <= by_score(rows, is_turned=False).items()
    page.keyboard.press("u")
    assert crumbs(page) == ["root"]


def test_keys_and_switches(page):
    page.keyboard.press("f")
    text_is(page, "#state", "frozen")
    assert page.get_attribute("#freeze", "aria-pressed") == "true"
    page.click("#freeze")
    text_is(page, "#state", "visits made")
    page.keyboard.press("h")
    assert page.is_hidden("#moves")
    assert (page.inner_text("#hints"), page.inner_text("#state")) == ("Show hints", "stopped")
    page.keyboard.press("h")
    assert page.is_visible("#moves")
    assert page.inner_text("#hints") == "Hide hints"
    page.keyboard.press("?")
    assert page.inner_text("dialog[open] h2") == "Keys"
    assert "one move up" in page.inner_text("dialog[open] pre")
    page.keyboard.press("f")
    assert page.inner_text("#state") == "visits made", "no key works behind a dialog"
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    page.keyboard.type("fvh")
    assert page.input_value("#asked") == "fvh"
    assert page.inner_text("#view") == "Mover’s view"
    page.keyboard.press("Enter")
    until(lambda: "not a legal move" in page.inner_text("#answer") or "legal" in page.inner_text("#answer").lower())
    page.fill("#asked", " h4 ")
    page.keyboard.press("Enter")
    text_is(page, "#why-title", "Why not h4?")
    page.click("th.share .ask")
    assert page.inner_text("dialog[open] h2") == "Share"
    assert "n / sum of n" in page.inner_text("dialog[open] pre")
    page.keyboard.press("Escape")


def fen_shown(session):
    """The position of the search; None just while it changes."""
    try:
        return session.report(0).summary()["fen"]
    except NotInMemoryError:
        return None


def test_what_the_page_asks_of_the_search(shown, new_page):
    session = new_session(visits=300)
    server = Server(session)
    page = new_page(server.address, loses_engine=True)
    page.wait_for_selector("#answer .verdict")
    page.click("tbody tr:nth-child(3)")
    until(lambda: page.inner_text("#why-title").startswith("Why not"))
    page.click("#more")
    until(lambda: "2,000" in page.inner_text("#answer"))
    assert page.locator("#more").is_enabled()
    page.click("#pause")
    text_is(page, "#pause", "Pause")
    assert session.is_searching
    page.click("#pause")
    text_is(page, "#pause", "Resume")
    assert not session.is_searching
    page.dblclick("tbody tr:nth-child(1)")
    until(lambda: len(crumbs(page)) == 2)
    page.click("#descend")
    until(lambda: crumbs(page) == ["root"])
    assert session.report(0).summary()["turn"] == "black"
    page.fill("#fen", KIWIPETE)
    page.press("#fen", "Enter")
    until(lambda: fen_shown(session) == KIWIPETE)
    page.close()
    server.close()
    session.close()
    assert shown[0].report(0).summary()["fen"] == MIDDLEGAME
