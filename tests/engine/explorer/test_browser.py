"""The page in a real browser."""

import random

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.analysis import Analysis
from engine.explorer.interactive import InteractiveSession
from engine.explorer.page_files import page_of
from engine.explorer.server import Server
from engine.explorer.view import View, loaded
from engine.mcts.tree import ROOT
from tests.engine.explorer.conftest import SIZE
from tests.engine.explorer.pages import rows_of, shown
from tests.engine.explorer.views import until
from tests.engine.report.searches import MIDDLEGAME, follow, save, searched

pytestmark = pytest.mark.slow

# A tree of few long lines: their positions are not to be known from others.
DEEP = {"Transpositions": False, "PUCT C": 100, "PUCT Growth": 0, "Policy Temperature": 500, "Root Temperature": 500}


def test_numbers_on_the_page_are_those_of_the_report(resting, new_page):
    session, server = resting
    page = new_page(server.address)
    page.click(".rest")
    until(lambda: len(rows_of(page)) == 46)
    assert rows_of(page) == {row.uci: shown(row) for row in session.report(0).rows()}
    assert page.inner_text("#visits") == "5,000"
    assert page.evaluate("document.documentElement.scrollHeight") <= SIZE["height"]
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_numbers_are_rounded_as_python_does(resting, new_page):
    rng = random.Random(1)
    numbers = [part / 64 for part in range(-70, 200)] + [round(rng.uniform(-1, 120), 6) for _ in range(2000)]
    page = new_page(resting[1].address)
    script = "async (all) => { const { fixed } = await import('/data.js'); return all.map(([x, d]) => fixed(x, d)); }"
    asked = [(number, digits) for number in numbers for digits in (1, 2, 3)]
    expected = [f"{number:.{digits}f}" for number, digits in asked]
    assert page.evaluate(script, asked) == expected


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


def test_a_node_twenty_plies_down_is_opened_while_the_search_runs(new_page):
    session = InteractiveSession([("PUCT, network", Analysis(MIDDLEGAME, {"Hash": 1024, **DEEP}))])
    session.start()
    server = Server(session)
    page = new_page(server.address)
    until(lambda: len(follow(session.analyses[0].searcher.tree, int(ROOT))) >= 40, 60)
    for depth in range(1, 21):
        page.wait_for_selector("tbody tr")
        page.focus("tbody tr")
        page.keyboard.press("Enter")
        until(lambda count=depth + 1: page.locator("#crumbs button").count() == count)
        page.wait_for_selector(".table:not(:has(.empty:not([hidden]))) tbody tr")
    assert session.analyses[0].is_searching
    page.keyboard.press("Home")
    until(lambda: page.locator("#crumbs button").count() == 1)
    page.close()
    server.close()
    session.close()


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
    page.focus("#hints")
    page.keyboard.press("Enter")
    assert page.is_visible("#tables")


def paragraphs_of(why):
    """What the page makes of the labelled lines of an explanation."""
    for label, (first, *others) in ((line["label"], line["parts"]) for line in why["lines"]):
        if label in ("verdict", "reason"):
            yield f"{why['verdict'].lower()} {first if label == 'reason' else f'({first})'}"
        elif label == "numbers":
            yield " · ".join([first, *others])
        elif label != "situation":
            yield from (f"{label} {first}", *others)


def test_the_page_has_the_lines_of_the_explanation(resting, new_page):
    session, server = resting
    page = new_page(server.address)
    for move in ("Nd5", "b4", "h4", "Ke2"):
        expected = list(paragraphs_of(session.why(0, move)))
        page.fill("#asked", move)
        page.press("#asked", "Enter")
        texts = page.locator("#answer p")
        until(lambda texts=texts: [text.replace("\u00a0", " ") for text in texts.all_text_contents()] == expected)  # noqa: B023


def test_opening_a_node_takes_one_answer_and_one_stream(resting, new_page):
    page, asked = new_page(resting[1].address), []
    page.wait_for_selector("#answer .verdict")
    until(lambda: page.locator("#legend .mark").count())
    page.wait_for_timeout(1500)
    page.on("request", lambda request: asked.append(request.url.split("/data/")[1].split("?")[0]))
    page.focus("tbody tr")
    page.keyboard.press("Enter")
    until(lambda: page.locator("#crumbs button").count() == 2)
    page.wait_for_timeout(500)
    of_click = [each for each in asked if each != "history"]  # which is asked for now and then
    assert of_click[:2] == ["open", "stream"]
    assert {"position", "why"}.isdisjoint(asked)


def test_a_closed_page_leaves_the_engine_alone(running, new_page):
    session, server = running
    page = new_page(server.address)
    page.close()
    before = session.report(0).summary()["visits"]
    until(lambda: session.report(0).summary()["visits"] > before)
    assert new_page(server.address).inner_text("#state") == "searching"


def test_a_page_for_a_gui_has_no_switches(resting, new_page):
    session, _ = resting
    server = Server(View(session.searches))
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
    page = new_page(file.as_uri(), offline=True)
    assert page.inner_text("#visits") == "5,000"
    assert len(rows_of(page)) >= 10
    page.wait_for_selector("#answer .verdict")
    page.dblclick("tbody tr")
    until(lambda: page.locator("#crumbs button").count() == 2)


def test_two_settings_side_by_side(new_page):
    settings = ({}, {"Formula": "UCB1", "Evaluator": "Playout"})
    analyses = [Analysis(MIDDLEGAME, {"Hash": 16, **one}) for one in settings]
    for analysis in analyses:
        analysis.start(visits=1000)
        analysis.wait()
    session = InteractiveSession([("network", analyses[0]), ("playouts", analyses[1])])
    session.pause()
    server = Server(session)
    page = new_page(server.address)
    parts = [page.locator(".part:has(table)").nth(number) for number in range(2)]
    for number, part in enumerate(parts):
        expected = {row.uci: shown(row) for row in session.report(number).rows()}
        until(lambda part=part: rows_of(part))
        assert rows_of(part).items() <= expected.items()
    assert page.inner_text("#visits") == "1,000 | 1,000"
    parts[1].locator("tbody tr").first.click()
    until(lambda: parts[1].locator("tr[aria-selected=true]").count() == 1)
    page.close()
    server.close()
    session.close()


def test_two_saved_searches_side_by_side(new_page, tmp_path):
    for name, visits in (("a", 500), ("b", 2000)):
        save(tmp_path / f"{name}.npz", searched(MIDDLEGAME, visits), MIDDLEGAME, ())
    server = Server(loaded(str(tmp_path / "a.npz"), str(tmp_path / "b.npz")))
    page = new_page(server.address)
    assert page.inner_text("#visits") == "500 | 2,000"
    assert page.locator("h3").all_inner_texts()[:2] == ["a", "b"]
    for figure in ("speed", "depth", "memory"):
        assert page.inner_text(f"#{figure}") == "– | –"
    assert page.is_hidden("#pause")
    page.locator("tbody tr").first.dblclick()
    until(lambda: page.locator("#crumbs button").count() == 2)
    page.close()
    server.close()
