"""How the page of a game looks in windows of seven widths: live and saved, in all its tabs."""

from itertools import combinations

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.explorer.page_files import page_with
from engine.explorer.server import Server
from tests.engine.explorer.games import page_of_file
from tests.engine.explorer.judged_games import GAME, saved_game
from tests.engine.explorer.test_browser_layout import (
    AFTER_FRAMES,
    DESKTOP,
    RECORD,
    TABLET,
    box_of,
    boxes_of,
    check_board,
    check_pictures,
    check_widths,
    collisions,
    contrast,
)
from tests.engine.explorer.views import until

pytestmark = pytest.mark.slow

SIZES = ((1920, 1080), (1600, 900), (1280, 800), (1000, 700), (768, 1024), (414, 896), (360, 740))
TABS = ("list", "numbers", "practice", "files")
OVERFLOW = "e => e.scrollWidth - e.clientWidth"
COLOURS = """(element) => {
  const paint = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const of = (css) => {
    paint.fillStyle = css;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const ground = [element, element.parentElement, element.closest('section')]
    .map((one) => getComputedStyle(one).backgroundColor).find((css) => !/, 0\\)|transparent/.test(css));
  return [of(getComputedStyle(element).color), of(ground)];
}"""


@pytest.fixture
def saved(new_page, tmp_path):
    """A page without a server, all of whose moves are judged."""
    file = tmp_path / "game.html"
    file.write_bytes(page_with(saved_game()))
    page = new_page(file.as_uri(), script=RECORD)
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    return page


@pytest.fixture
def live(new_page, tmp_path, monkeypatch):
    """A page of a search that has ended, and a game that was not judged."""
    monkeypatch.setenv("TERESA_REVIEW_DIR", str(tmp_path / "reviews"))
    session = page_of_file(tmp_path / "games.pgn", GAME)
    analysis = session.analyses[0]
    analysis.start(visits=1500)
    analysis.wait()
    server = Server(session)
    page = new_page(server.address, script=RECORD)
    page.wait_for_selector("#answer .verdict")
    until(lambda: page.locator("#legend .mark").count())
    yield page
    page.close()
    server.close()
    session.close()


def check_parts(page, width):
    """Nothing lies over something else, nothing is cut."""
    parts = [(name, *box) for name, *box in boxes_of(page, "main section")]
    assert [pair for pair in combinations(parts, 2) if collisions(pair)] == []
    buttons = boxes_of(page, "#steps button, #tabs button, #branch button, #files .row button")
    assert collisions(buttons) == []
    assert all(left >= 0 and right <= width for _, left, _, right, _ in buttons)
    for name in ("#head", "#steps", "#judgement", "#tabs"):
        assert page.locator(name).evaluate(OVERFLOW) <= 0, name


def check_order(page, width, *, is_live):
    """Board, game, tables: beside each other, or one below the other."""
    board, head, moves = (box_of(page, name) for name in ("#position", "#head", "#moves"))
    if width >= DESKTOP:
        assert board[2] <= head[0] < head[2] <= moves[0]
    elif width >= TABLET:
        assert board[2] <= head[0]
        assert max(board[3], head[3]) <= moves[1]
    else:
        assert board[3] <= box_of(page, "#verdict")[1] <= head[1] <= box_of(page, "#book")[1] <= moves[1]
    if is_live and width >= DESKTOP:
        assert all(bottom - top > 90 for _, _, top, _, bottom in boxes_of(page, "#plots figure"))


def check(page, width, height, *, is_live):
    page.set_viewport_size({"width": width, "height": height})
    for tab in TABS:
        page.click(f"#tab-{tab}")
        page.evaluate(AFTER_FRAMES)
        check_parts(page, width)
        assert page.locator(f"#{tab}").evaluate(OVERFLOW) <= 0, (width, tab)
    page.click("#tab-list")
    check_widths(page, width)
    check_board(page)
    check_order(page, width, is_live=is_live)
    check_pictures(page)
    if width >= DESKTOP:
        assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_saved_game_at_all_widths(saved):
    for width, height in SIZES:
        check(saved, width, height, is_live=False)
        current, panel = box_of(saved, "#list [aria-current]"), box_of(saved, "#list")
        assert panel[1] <= current[1] < current[3] <= panel[3], "the move that is shown can be seen"


def test_a_live_game_at_all_widths(live):
    for width, height in SIZES:
        check(live, width, height, is_live=True)
    live.set_viewport_size({"width": 1280, "height": 800})
    live.click("#swap")
    board, head, moves = (box_of(live, name) for name in ("#position", "#head", "#moves"))
    assert moves[2] <= head[0] < head[2] <= board[0]
    live.reload()
    live.wait_for_selector("#list [role=treeitem]")
    assert live.evaluate("document.body.classList.contains('left-handed')"), "the choice is kept"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_have_contrast_and_more_than_a_colour(saved, scheme):
    saved.emulate_media(color_scheme=scheme)
    glyphs = saved.locator("#list .move:not([aria-current]) .glyph")
    shown = {}
    for index in range(glyphs.count()):
        glyph = glyphs.nth(index)
        ink, ground = glyph.evaluate(COLOURS)
        assert contrast(ink, ground) >= 4.5, glyph.get_attribute("class")
        shown[glyph.get_attribute("class")] = glyph.inner_text()
    assert len(set(shown.values())) == len(shown) >= 5, "each kind has its own glyph"
    for name in ("#list [aria-current]", ".about span", "#judgement .quiet", ".count"):
        ink, ground = saved.locator(name).first.evaluate(COLOURS)
        assert contrast(ink, ground) >= 4.5, name


def test_hidden_hints_hide_what_was_judged(saved):
    saved.keyboard.press("h")
    for part in ("#timeline", "#judgement", "#moves", "#gauge", "#white-accuracy", "#tab-numbers", "#marked"):
        assert saved.is_hidden(part), part
    assert saved.locator("#list .glyph:visible, #list small:visible").count() == 0
    assert saved.locator("#board .badge:visible").count() == 0
    assert saved.is_visible("#list")
    saved.keyboard.press("h")
    assert saved.is_visible("#timeline")


def test_what_a_screen_reader_finds(saved):
    tree = saved.locator("#book").aria_snapshot()
    assert 'tab "Moves" [selected]' in tree
    assert 'treeitem "1. e4, White’s score' in tree
    saved.focus("#timeline canvas")
    before = saved.get_attribute("#timeline canvas", "aria-valuetext")
    saved.keyboard.press("ArrowRight")
    assert saved.get_attribute("#timeline canvas", "aria-valuetext") != before
    saved.focus("#tab-list")
    saved.keyboard.press("ArrowRight")
    assert saved.get_attribute("#tab-numbers", "aria-selected") == "true"
    assert saved.evaluate("document.activeElement.id") == "tab-numbers"
    names = "all => all.filter(e => e.checkVisibility() && !(e.ariaLabel || e.title || e.textContent.trim())).length"
    assert saved.locator("button, input, select, canvas").evaluate_all(names) == 0
