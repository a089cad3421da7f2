"""The page in a real browser. Where Debian's Chromium is not installed, these tests are skipped."""

import shutil

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")
api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright: pip install playwright")

from engine.analysis import Analysis
from engine.explorer.export import page_of
from engine.explorer.own import OwnSession
from engine.explorer.server import Server
from engine.explorer.show import Show
from tests.engine.explorer.shows import new_session, until
from tests.engine.report.searches import MIDDLEGAME

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZE = {"width": 1280, "height": 800}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="browser tests need Chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def browser():
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Pages on which every error, and every request to another host, fails the test."""
    wrong, context = [], browser.new_context(viewport=SIZE)

    def open_page(address):
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: _is_ours(request.url, address) or wrong.append(request.url))
        page.goto(address)
        page.wait_for_selector("tbody tr")
        return page

    yield open_page
    context.close()
    assert wrong == []


def _is_ours(url, address):
    return url.startswith(("data:", address.split("#")[0]))


@pytest.fixture
def resting():
    """A page for a search that has ended."""
    session = new_session(visits=5000)
    server = Server(session)
    yield session, server
    server.close()
    session.close()


@pytest.fixture
def running():
    """A page for a search that goes on."""
    session = OwnSession([("PUCT, network", Analysis(MIDDLEGAME, {"Hash": 64}))])
    session.start()
    server = Server(session)
    yield session, server
    session.close()
    server.close()


def rows_of(page):
    """Move -> visits, share and score as they are shown."""
    script = "rows => rows.map(r => [r.dataset.uci, ...['n','share','q'].map(c => r.querySelector('td.'+c).innerText)])"
    return {uci: texts for uci, *texts in page.eval_on_selector_all("tbody tr", script)}


def shown(row):
    score = "–" if row.q is None else f"{row.q:.3f}".removeprefix("0")
    return [f"{row.n:,}", f"{100 * row.share:.1f} %", score]


def test_numbers_on_the_page_are_those_of_the_report(resting, new_page):
    session, server = resting
    page = new_page(server.address)
    page.click(".rest")
    until(lambda: len(rows_of(page)) == 46)
    assert rows_of(page) == {row.uci: shown(row) for row in session.report(0).rows()}
    assert page.inner_text("#visits") == "5,000"
    assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"]
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_numbers_grow_and_can_be_frozen(running, new_page):
    _, server = running
    page = new_page(server.address)

    def visits():
        return int(page.inner_text("#visits").replace(",", ""))

    first = visits()
    until(lambda: visits() > first)
    page.keyboard.press("f")
    assert page.inner_text("#state") == "frozen"
    held = visits()
    page.wait_for_timeout(700)
    assert visits() == held
    page.keyboard.press("f")
    until(lambda: visits() > held)


def test_a_node_deep_down_is_opened_while_the_search_runs(running, new_page):
    session, server = running
    page = new_page(server.address)
    until(lambda: session.report(0).summary()["visits"] > 20_000, 60)
    for depth in range(1, 9):
        page.wait_for_selector("tbody tr")
        page.focus("tbody tr")
        page.keyboard.press("Enter")
        until(lambda count=depth + 1: page.locator("#crumbs button").count() == count)
        page.wait_for_selector(".table:not(:has(.empty:not([hidden]))) tbody tr")
    assert session.analyses[0].is_searching
    page.keyboard.press("Home")
    until(lambda: page.locator("#crumbs button").count() == 1)


def test_a_click_into_the_tree_opens_what_is_there(resting, new_page):
    session, server = resting
    page = new_page(server.address)
    page.wait_for_timeout(500)
    widest = session.icicle(0, "")["rectangles"][1]
    box = page.locator("#icicles canvas").bounding_box()
    page.mouse.click(box["x"] + 10, box["y"] + 1.5 * box["height"] / 7)
    until(lambda: page.locator("#crumbs button").count() == 2)
    assert page.inner_text("#crumbs button:last-child") == widest["san"]


def test_a_piece_is_dragged(resting, new_page):
    _, server = resting
    page = new_page(server.address)
    box = page.locator("#board cg-board").bounding_box()
    size = box["width"] / 8

    def at(square):
        return box["x"] + (ord(square[0]) - 97 + 0.5) * size, box["y"] + (8 - int(square[1]) + 0.5) * size

    page.mouse.move(*at("c3"))
    page.mouse.down()
    page.mouse.move(*at("d4"), steps=4)
    page.mouse.move(*at("d5"), steps=4)
    page.mouse.up()
    until(lambda: page.locator("#crumbs button").count() == 2)
    assert page.inner_text("#crumbs button:last-child") == "Nd5"


def test_why_and_formulas_by_keys(resting, new_page):
    _, server = resting
    page = new_page(server.address)
    page.wait_for_selector("#answer .verdict")
    page.keyboard.press("w")
    page.keyboard.type("Ke2")
    page.keyboard.press("Enter")
    until(lambda: "not legal" in page.inner_text("#answer").lower())
    page.focus("th.q .ask")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert "sum of results / n" in page.inner_text("dialog[open] pre")
    page.keyboard.press("Escape")
    page.focus("tbody tr")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("tbody tr:nth-child(2)[aria-selected=true]")
    page.keyboard.press("v")
    page.keyboard.press("h")
    assert page.is_hidden("#tables")


def test_a_closed_page_leaves_the_engine_alone(running, new_page):
    session, server = running
    page = new_page(server.address)
    page.close()
    before = session.report(0).summary()["visits"]
    until(lambda: session.report(0).summary()["visits"] > before)
    assert new_page(server.address).inner_text("#state") == "searching"


def test_a_page_for_a_gui_has_no_switches(resting, new_page):
    session, _ = resting
    server = Server(Show(session.searches))
    page = new_page(server.address)
    assert page.is_hidden("#pause")
    assert page.is_hidden("#setup")
    page.close()
    server.close()


def test_a_saved_page_works_without_a_network(resting, new_page, tmp_path):
    session, server = resting
    server.close()
    file = tmp_path / "search.html"
    file.write_bytes(page_of(session))
    page = new_page(file.as_uri())
    page.context.set_offline(True)
    assert page.inner_text("#visits") == "5,000"
    assert len(rows_of(page)) >= 10
    page.wait_for_selector("#answer .verdict")
    page.dblclick("tbody tr")
    until(lambda: page.locator("#crumbs button").count() == 2)
