"""What a page shows, read as a person does, and what a person does there."""

from tests.engine.explorer.views import until


def rows_of(part):
    """Move -> visits, share and score as they are shown, on a page or a part of it."""
    script = "rows => rows.map(r => [r.dataset.uci, ...['n','share','q'].map(c => r.querySelector('td.'+c).innerText)])"
    return {uci: texts for uci, *texts in part.locator("tbody tr").evaluate_all(script)}


def shown(row):
    """The same of a row of the report."""
    score = "–" if row.q is None else f"{row.q:.3f}".removeprefix("0")
    return [f"{row.n:,}", f"{100 * row.share:.1f} %", score]


# A game


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
