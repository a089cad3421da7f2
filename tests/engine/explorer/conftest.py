"""A real browser, and searches to look at. Where Debian's Chromium or playwright is missing, its tests are skipped."""

import shutil

import pytest

from tests.engine.report.searches import MIDDLEGAME

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZE = {"width": 1280, "height": 800}


@pytest.fixture(autouse=True)
def reviews(monkeypatch, tmp_path):
    """What is judged is kept for one test."""
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "reviews"))
    return tmp_path / "reviews"


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")
    api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("browser tests need Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Pages on which every error, and every request to another host, fails the test."""
    wrong, context = [], browser.new_context(viewport=SIZE)

    def open_page(address, *, offline=False, script=None, loses_engine=False, types_anything=False):
        context.set_offline(offline)
        page = context.new_page()
        if script:
            page.add_init_script(script)

        def note(message):
            is_lost = loses_engine and "net::ERR_" in message.text
            is_refused = types_anything and message.location["url"].endswith(("/do/setup", "/do/paste", "/do/save"))
            if message.type in ("error", "warning") and not is_lost and not is_refused:
                wrong.append(f"{message.text} {message.location['url']}")

        page.on("console", note)
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
    from engine.explorer.server import Server
    from tests.engine.explorer.views import new_session

    session = new_session(visits=5000)
    server = Server(session)
    yield session, server
    server.close()
    session.close()


@pytest.fixture
def running():
    """A page for a search that goes on."""
    from engine.analysis import Analysis
    from engine.explorer.interactive import InteractiveSession
    from engine.explorer.server import Server

    session = InteractiveSession([("PUCT, network", Analysis(MIDDLEGAME, {"Hash": 64}))])
    session.start()
    server = Server(session)
    yield session, server
    session.close()
    server.close()


@pytest.fixture
def judged_game(tmp_path, monkeypatch):
    """The fool's mate in a file of three games, judged."""
    from tests.engine.explorer.games import judge_all, page_of_file

    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "reviews"))
    session = page_of_file(tmp_path / "games.pgn")
    judge_all(session)
    yield session
    session.close()


@pytest.fixture
def game_page(judged_game, new_page):
    """Its page."""
    from engine.explorer.server import Server

    server = Server(judged_game)
    page = new_page(server.address, types_anything=True)
    page.set_default_timeout(10_000)
    yield page
    page.close()
    server.close()


@pytest.fixture(scope="module")
def code_page(browser, tmp_path_factory):
    """A saved page of a game, whose modules are called one by one."""
    from engine.explorer.page_files import page_with
    from tests.engine.explorer.judged_games import saved_game

    file = tmp_path_factory.mktemp("page") / "game.html"
    file.write_bytes(page_with(saved_game()))
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("#list [role=treeitem]")
    yield page
    page.close()
