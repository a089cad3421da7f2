"""How the page looks in windows of all sizes: nothing is cut, nothing lies over something else."""

from itertools import combinations

import pytest

pytest.importorskip("uvicorn", reason="the explorer needs the extra `explore`")

from engine.analysis import Analysis
from engine.explorer.interactive import InteractiveSession
from engine.explorer.server import Server
from tests.engine.explorer.views import new_session, until
from tests.engine.report.searches import MIDDLEGAME

pytestmark = pytest.mark.slow

SIZES = ((1920, 1080), (1440, 900), (1280, 720), (1100, 800), (820, 1180), (768, 1024), (390, 844), (320, 640))
TABLET, DESKTOP = 768, 1000  # the least widths
ONE_MOVE = {"PUCT C": 1, "PUCT Growth": 0, "Policy Temperature": 100, "Root Temperature": 100}  # has nearly all visits

# Keeps where the texts of a canvas's last picture lie: canvas -> [[text, left, top, right, bottom], ...] in pixels
RECORD = """(() => {
  const pen = CanvasRenderingContext2D.prototype, { fillText, clearRect } = pen;
  const drawn = window.drawn = new Map();
  pen.clearRect = function (...box) { drawn.set(this.canvas, []); return clearRect.apply(this, box); };
  pen.fillText = function (text, x, y, ...rest) {
    const size = this.measureText(text), to = this.getTransform();
    const place = (dx, dy) => { const p = to.transformPoint(new DOMPoint(x + dx, y + dy)); return [p.x, p.y]; };
    if (!drawn.has(this.canvas)) drawn.set(this.canvas, []);
    if (text) drawn.get(this.canvas).push([text, ...place(-size.actualBoundingBoxLeft, -size.actualBoundingBoxAscent),
      ...place(size.actualBoundingBoxRight, size.actualBoundingBoxDescent)]);
    return fillText.call(this, text, x, y, ...rest);
  };
})()"""
TEXTS = """() => [...window.drawn].filter(([canvas]) => document.contains(canvas) && canvas.clientWidth)
  .map(([canvas, texts]) => [canvas.width, canvas.height, texts])"""
AFTER_FRAMES = """() => new Promise((done) => {
  let left = 10;
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""
BOX = "e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }"
BOXES = f"all => all.map(e => [e.textContent, ...({BOX})(e)])"


def box_of(page, selector):
    """Left, top, right, bottom."""
    return page.locator(selector).first.evaluate(BOX)


def boxes_of(page, selector):
    """Text, left, top, right, bottom of each element that is shown."""
    boxes = page.locator(selector).evaluate_all(BOXES)
    return [box for box in boxes if box[3] > box[1]]


def collisions(boxes):
    """Pairs of texts that lie over each other."""
    return [
        (one[0], other[0])
        for one, other in combinations(boxes, 2)
        if one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]
    ]


def check_pictures(page):
    """Each text on a canvas is there as a whole, and alone."""
    pictures = page.evaluate(TEXTS)
    for width, height, texts in pictures:
        for text, left, top, right, bottom in texts:
            assert min(left, top) >= 0, text
            assert right <= width, text
            assert bottom <= height, text
        assert collisions(texts) == []
    return [text for _, _, texts in pictures for text, *_ in texts]


def check_board(page):
    """Coordinates stand beside the squares, and can be read."""
    left, top, right, bottom = box_of(page, "#board cg-board")
    coordinates = boxes_of(page, "#board coord")
    assert [text for text, *_ in coordinates] == list("12345678abcdefgh")
    assert all(x2 <= left + 0.5 or y1 >= bottom - 0.5 for _, _, y1, x2, _ in coordinates)
    assert collisions([(text, x1 + 0.5, y1 + 0.5, x2 - 0.5, y2 - 0.5) for text, x1, y1, x2, y2 in coordinates]) == []
    assert float(page.locator("#board coord").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 11
    assert right - left == pytest.approx(bottom - top, abs=1)


def check_places(page, width):
    """What stands beside what."""
    board, moves = box_of(page, "#position"), box_of(page, "#moves")
    figures = [box_of(page, f"#plots figure:nth-child({number})") for number in (1, 2, 3)]
    if width >= TABLET:
        assert board[2] <= moves[0]
        assert abs(board[1] - moves[1]) < 2
        assert figures[0][2] <= figures[1][0] < figures[2][0]
    else:
        assert board[3] <= moves[1]
        assert figures[0][3] <= figures[1][1] <= figures[1][3] <= figures[2][1]
    assert all(bottom - top > 100 for _, top, _, bottom in figures)
    for _, left, top, right, bottom in boxes_of(page, "#icicles canvas"):
        assert bottom - top > 7 * 16
        assert right - left > 200


def check_widths(page, width):
    """No need to scroll to the side, neither the page nor its tables; no button is cut."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    overflow = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => [e.className, e.scrollWidth])"
    assert page.locator(".table, #answer").evaluate_all(overflow) == [], width
    buttons = boxes_of(page, "header button, #setup button, #more, .pick")
    assert all(left >= 0 and right <= width for _, left, _, right, _ in buttons)
    assert collisions(buttons) == []
    figures = boxes_of(page, "#figures dd")
    assert all(right <= width for _, _, _, right, _ in figures)
    assert collisions(figures) == []


def check(page, width, height):
    """All of it in a window of a size."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(AFTER_FRAMES)  # pictures are drawn again when their size has changed, which each frame looks at
    check_widths(page, width)
    check_board(page)
    check_places(page, width)
    if width >= DESKTOP:
        assert page.evaluate("document.documentElement.scrollHeight") <= height
    return check_pictures(page)


@pytest.fixture
def recorded(new_page):
    """A page whose texts on pictures are recorded, with all parts drawn."""

    def open_page(address):
        page = new_page(address, script=RECORD)
        page.wait_for_selector("#answer .verdict")
        until(lambda: page.evaluate(TEXTS) and page.locator("#legend .mark").count())
        return page

    return open_page


def test_one_search_at_all_sizes(resting, recorded):
    page = recorded(resting[1].address)
    for width, height in SIZES:
        texts = check(page, width, height)
        assert {"root", "Nd5"} <= {text.split()[0] for text in texts}
        assert any(text.endswith("%") for text in texts)


def test_shares_of_a_hundred_percent(recorded):
    session = new_session(visits=3000, **ONE_MOVE)
    server = Server(session)
    page = recorded(server.address)
    for width, height in SIZES:
        assert "100%" in check(page, width, height)
    page.close()
    server.close()
    session.close()


@pytest.fixture
def beside():
    """Two searches that have ended, and their page."""
    settings = ({}, {"Formula": "UCB1", "Evaluator": "Playout"})
    analyses = [Analysis(MIDDLEGAME, {"Hash": 16, "Seed": 1, **one}) for one in settings]
    for analysis in analyses:
        analysis.start(visits=2000)
        analysis.wait()
    session = InteractiveSession([("PUCT, network", analyses[0]), ("UCB1, playout", analyses[1])])
    session.pause()
    server = Server(session)
    yield session, server
    server.close()
    session.close()


def test_two_searches_at_all_sizes(beside, recorded):
    page = recorded(beside[1].address)
    for width, height in SIZES:
        check(page, width, height)
        header = box_of(page, "header")
        assert header[3] - header[1] < 120


def test_why_is_read_without_scrolling_on_a_small_laptop(resting, new_page):
    page = new_page(resting[1].address)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_selector("#answer .verdict")
    page.wait_for_timeout(300)
    assert page.evaluate("(e => e.scrollHeight <= e.clientHeight)(document.getElementById('answer'))")
    lines = page.locator("#answer p").all_inner_texts()
    assert [line.split()[0] for line in lines[2:]] == ["line", "share", "why", "settled"]
    assert not any("share of each step" in line for line in lines if line.startswith("line"))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_each_row_has_its_line_and_its_trend(resting, new_page, width, height):
    _, server = resting
    page = new_page(server.address)
    page.set_viewport_size({"width": width, "height": height})
    cells = "rows => rows.map(r => ['line', 'trend'].map(c => r.querySelector('td.' + c).innerText))"
    until(lambda: all(trend for _, trend in page.locator("tbody tr").evaluate_all(cells)) or width < 1200)
    until(lambda: all(line for line, _ in page.locator("tbody tr").evaluate_all(cells)))
    rows = page.locator("tbody tr").count()
    assert rows >= 8
    assert page.locator("td.line").first.is_visible()
    if width < TABLET:
        return
    panel, rest = box_of(page, "#tables"), box_of(page, ".rest")
    row = box_of(page, "tbody tr")
    assert rest[3] <= panel[3], "all rows are in sight"
    assert panel[3] - rest[3] < row[3] - row[1], "there is no room for another one"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_coordinates_and_notes_have_contrast(resting, new_page, scheme):
    page = new_page(resting[1].address)
    page.emulate_media(color_scheme=scheme)
    script = """(name) => {
      const part = document.querySelector(name);
      const paint = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      const of = (css) => {
        paint.fillStyle = css;
        paint.fillRect(0, 0, 1, 1);
        return [...paint.getImageData(0, 0, 1, 1).data];
      };
      return [of(getComputedStyle(part).color), of(getComputedStyle(part.closest('section')).backgroundColor)];
    }"""
    for name in ("#board coord", ".note", "#caption", "td.line"):
        ink, ground = page.evaluate(script, name)
        assert contrast(ink[:3], ground[:3]) >= 4.5, name


def contrast(one, other):
    """Of two colours, as WCAG 2 defines it."""
    lights = sorted(luminance(colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour):
    linear = [part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Hints

READ_BY = """() => {
  const shown = [...document.querySelectorAll('*')].filter((e) => e.checkVisibility());
  const names = shown.flatMap((e) => ['aria-label', 'title', 'placeholder', 'alt'].map((name) => e.getAttribute(name)));
  return [document.title, document.body.innerText, ...names].join(' ');
}"""
ARROWS = "#board svg line, #board svg text"
# The board draws its arrows in the next frame.
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (820, 1180), (390, 844)])
def test_hidden_hints_are_hidden(resting, new_page, width, height):
    session, server = resting
    page = new_page(server.address)
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_selector("#answer .verdict")
    until(lambda: page.locator(ARROWS).count())
    assert "Nd5" in page.evaluate(READ_BY)
    before = box_of(page, "#board")
    page.keyboard.press("h")
    assert page.inner_text("#hints") == "Show hints"
    found = page.evaluate(READ_BY) + page.locator("body").aria_snapshot()
    assert [row.san for row in session.report(0).rows() if row.san in found.split()] == []
    assert "Why" not in found
    page.evaluate(TWO_FRAMES)
    assert page.locator(ARROWS).count() == 0
    for part in (".hint", "#answer", "#icicles", "#plots", "#tip"):
        assert page.is_hidden(part)
    if width >= TABLET:
        assert box_of(page, "#board")[2] - box_of(page, "#board")[0] > 1.3 * (before[2] - before[0])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key in ("m", "t", "w", "ArrowDown", "Enter"):  # nothing hidden can be reached
        page.keyboard.press(key)
    assert page.locator("#crumbs button").count() == 1
    page.keyboard.press("h")
    assert page.inner_text("#hints") == "Hide hints"
    until(lambda: page.locator(ARROWS).count() and page.is_visible("#icicles canvas"))
    assert page.inner_text("#why-title") == "Why Nd5"


def test_a_line_that_is_played_ends_with_the_hints(resting, new_page):
    page = new_page(resting[1].address)
    page.hover("tbody tr")
    page.wait_for_selector("#caption b")
    page.keyboard.press("h")
    until(lambda: page.inner_text("#caption") == "White to move")
    page.wait_for_timeout(1200)
    assert page.inner_text("#caption") == "White to move"


# Two searches, and none


def test_it_says_whose_arrows_and_reasons_are_shown(beside, new_page):
    session, server = beside
    page = new_page(server.address)
    page.wait_for_selector("#answer .verdict")
    assert page.locator(".of:visible").all_inner_texts() == ["of PUCT, network"] * 2
    best = [session.report(number).rows()[0].san for number in (0, 1)]
    until(lambda: page.inner_text("#why-title") == f"Why {best[0]}")
    page.focus(".pick >> nth=1")
    page.keyboard.press("Enter")
    until(lambda: page.inner_text("#why-title") == f"Why {best[1]}")
    assert page.locator(".of:visible").all_inner_texts() == ["of UCB1, playout"] * 2
    assert [pick.get_attribute("aria-pressed") for pick in page.locator(".pick").all()] == ["false", "true"]
    until(lambda: page.locator("#legend .mark").first.inner_text() == best[1])


def test_the_last_state_stays_when_the_connection_is_lost(running, new_page):
    session, server = running
    page = new_page(server.address, script=RECORD, loses_engine=True)
    page.wait_for_selector("#answer .verdict")
    until(lambda: any(text.startswith("root") for _, _, texts in page.evaluate(TEXTS) for text, *_ in texts))
    until(lambda: page.locator("#legend .mark").count())
    server.close()
    session.close()
    until(lambda: page.inner_text("#state") == "stopped")
    page.wait_for_timeout(4000)
    assert page.inner_text("#trouble").startswith("Connection to the engine lost")
    assert page.inner_text("#state") == "stopped"
    assert page.locator("#answer .verdict").count() == 1
    assert page.locator("tbody tr").count() >= 8
    assert page.locator(ARROWS).count()
    assert any(text.startswith("root") for _, _, texts in page.evaluate(TEXTS) for text, *_ in texts)
    page.set_viewport_size({"width": 1100, "height": 800})
    page.wait_for_timeout(500)
    check_pictures(page)
    assert page.is_disabled("#pause")
