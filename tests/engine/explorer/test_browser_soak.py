"""The page for long, and at random."""

import random
import re

import chess
import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.server import Server
from engine.uci.search_commands import move_line
from tests.engine.explorer.conftest import SIZE
from tests.engine.explorer.pages import rows_of, shown
from tests.engine.explorer.views import new_session, until

KEYS = (
    "f",
    "v",
    "h",
    "x",
    "u",
    "Home",
    "m",
    "t",
    "w",
    "?",
    "Escape",
    "ArrowDown",
    "ArrowUp",
    "ArrowRight",
    "Enter",
    "Tab",
)
MOST_ELEMENTS = 3000
MINUTES_TO_COMPILE = 3  # machine code counts as heap, and the browser makes it of what it has run often


def click_about(page, rng, count):
    """Clicks anywhere, and keys."""
    for _ in range(count):
        at = rng.uniform(1, SIZE["width"] - 1), rng.uniform(1, SIZE["height"] - 1)
        choice = rng.random()
        if choice < 0.6:
            page.mouse.click(*at)
        elif choice < 0.7:
            page.mouse.dblclick(*at)
        elif choice < 0.8:
            page.mouse.move(*at)
            page.mouse.wheel(0, rng.choice((-100, 100)))
        else:
            page.keyboard.press(rng.choice(KEYS))
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
    page.keyboard.press("Escape")


@pytest.mark.parametrize(
    "count", [pytest.param(100, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.soak)]
)
def test_clicks_anywhere(running, new_page, count):
    session, server = running
    page = new_page(server.address, types_anything=True)
    click_about(page, random.Random(count), count)
    session.go()
    page.reload()
    page.wait_for_selector("tbody tr")
    until(lambda: page.inner_text("#state") == "searching")


def random_fens(count):
    """Positions of random games that go on."""
    rng = random.Random(7)
    while count:
        board = chess.Board()
        for _ in range(rng.randrange(80)):
            if board.is_game_over(claim_draw=True):
                break
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over(claim_draw=True):
            count -= 1
            yield board.fen()


def expected_cells(row):
    """Visits, share and score of a line of the command `moves`, written as the page does."""
    found = re.match(r"\S+ +N (\d+) \(([\d.]+)%\) .* Q (\S+) ", move_line(row))
    score = "–" if found[3] == "-" else f"{row.q:.3f}".removeprefix("0")
    assert found[3] == "-" or abs(float(found[3]) - row.q) < 0.00006
    return [f"{int(found[1]):,}", f"{found[2]} %", score]


@pytest.mark.parametrize("count", [pytest.param(5, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.soak)])
def test_all_show_the_same_numbers(new_page, count):
    for fen in random_fens(count):
        session = new_session(fen, visits=700)
        server = Server(session)
        page = new_page(server.address)
        if page.is_visible(".rest:not([disabled])"):
            page.click(".rest")
        rows = session.report(0).rows()
        answer = session.report(0).children()["rows"]
        until(lambda page=page, rows=rows: len(rows_of(page)) == len(rows))
        assert rows_of(page) == {row.uci: shown(row) for row in rows}
        assert rows_of(page) == {row.uci: expected_cells(row) for row in rows}
        assert [(row.uci, row.n, row.share, row.q) for row in rows] == [
            tuple(row[name] for name in ("uci", "n", "share", "q")) for row in answer
        ]
        assert sum(row.share for row in rows) == pytest.approx(1, abs=0.002)
        page.close()
        server.close()
        session.close()


def heap_of(page):
    """Bytes of a page's objects that are still needed."""
    client = page.context.new_cdp_session(page)
    for _ in range(2):  # what the first run finds unneeded can hold on to more
        client.send("HeapProfiler.collectGarbage")
    used = client.send("Runtime.getHeapUsage")["usedSize"]
    client.detach()
    return used


@pytest.mark.soak
def test_ten_minutes_need_no_more_memory(running, new_page):
    _, server = running
    page = new_page(server.address)
    page.wait_for_timeout(MINUTES_TO_COMPILE * 60_000)
    before = heap_of(page)
    for _ in range(10 - MINUTES_TO_COMPILE):
        page.wait_for_timeout(60_000)
        assert page.inner_text("#state") == "searching"
    assert heap_of(page) < 1.1 * before
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
