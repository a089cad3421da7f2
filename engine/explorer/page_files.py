"""The files of the page: a fixed table, so that no request can name another; all in one, with the data of a search."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.explorer.view import View
from engine.report.snapshot import NotInMemoryError

FOLDER = Path(__file__).parent / "page"
HTML, CSS, JAVASCRIPT = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"
TITLE = "<title>Teresa: the search</title>"
LEAST_SAVED_SHARE = 0.005  # of the visits: nodes below are not saved
MOST_NODES = 400
MOST_REASONS = 12
SAVED_CURVES = 6
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class File(NamedTuple):
    """What is sent for an address: the files below, one after the other."""

    kind: str
    parts: tuple[str, ...]


SEARCH_MODULES = ("main", "data", "board", "line", "pieces", "moves", "tree", "time", "why", "figures", "typed")
GAME_MODULES = (
    *("game", "gameview", "follower", "gamehead", "gamebuttons", "gamekeys", "movelist", "timeline", "verdict"),
    *("numbers", "filetab", "files", "games", "editor", "practice", "exercise", "playout", "marks", "tabs"),
)
MODULES = tuple(f"{name}.js" for name in (*SEARCH_MODULES, *GAME_MODULES))
VENDOR_STYLES = ("vendor/chessground.base.css", "vendor/chessground.cburnett.css", "vendor/uPlot.min.css")
TABLE = {
    "/": File(HTML, ("index.html",)),
    "/explorer.css": File(CSS, (*VENDOR_STYLES, "explorer.css", "game.css")),
    "/chessground.js": File(JAVASCRIPT, ("vendor/chessground.min.js",)),
    "/uplot.js": File(JAVASCRIPT, ("vendor/uPlot.iife.min.js",)),
    **{f"/{name}": File(JAVASCRIPT, (name,)) for name in MODULES},
}


@cache
def content(address: str) -> bytes:
    """What is sent for an address of the table."""
    return b"\n".join((FOLDER / part).read_bytes() for part in TABLE[address].parts)


# A saved page


def is_page(head: bytes) -> bool:
    """Is this how a page begins that `page_of` made?"""
    return head.startswith(b"<!doctype html>") and TITLE.encode() in head and b"Content-Security-Policy" in head


def page_of(view: View) -> bytes:
    """The whole page. Not while threads search: the parts would be of different moments."""
    return page_with(saved(view))


def page_with(saved_data: dict[str, Any]) -> bytes:
    """The page with the answers it will need: those of a search, or of a whole game."""
    data = json.dumps(saved_data, separators=(",", ":")).replace("<", "\\u003c")
    html = content("/").decode()
    html = _replaced(html, '<link rel="stylesheet" href="explorer.css">', f"<style>{_text('explorer.css')}</style>")
    html = _replaced(html, '<script src="uplot.js" defer></script>', f"<script>{_text('uplot.js')}</script>")
    imports = json.dumps({"imports": {f"teresa/{name}": _module(name) for name in ("chessground.js", *MODULES)}})
    code = f'<script type="importmap">{imports}</script>\n<script type="module">import "teresa/main.js";</script>'
    html = _replaced(html, '<script src="main.js" type="module"></script>', code)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    html = _replaced(html, '<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')
    data_element = f'<script type="application/json" id="saved">{data}</script>\n</body>'
    return _replaced(html, "</body>", data_element).encode()


def _replaced(html: str, old: str, new: str) -> str:
    if html.count(old) != 1:
        raise ValueError(f"the page must hold {old} once")
    return html.replace(old, new)


def _text(name: str) -> str:
    return content(f"/{name}").decode()


def _module(name: str) -> str:
    """A module as an address that holds it, with imports that need no folder."""
    code = re.sub(r'(from |import\()"\./', r'\1"teresa/', _text(name))
    return "data:text/javascript;base64," + base64.b64encode(code.encode()).decode()


def saved(view: View) -> dict[str, Any]:
    """All that the page can ask of a search that has ended."""
    searches = [_search(view, number) for number in range(len(view.searches))]
    paths = dict.fromkeys(path for search in searches for path in search["nodes"])
    return {
        "about": {**view.about(), "interactive": False},
        "positions": {path: view.position(path) for path in paths},
        "searches": searches,
    }


def _search(view: View, number: int) -> dict[str, Any]:
    icicle, root = view.icicle(number, ""), view.node(number, "")
    least = LEAST_SAVED_SHARE * icicle["visits"]
    wide = [one["path"] for one in icicle["rectangles"] if one["path"] and one["n"] >= least]
    moves = [row["uci"] for row in root["rows"][:MOST_REASONS]]
    return {
        "summary": view.report(number).summary(),
        "history": view.history(number, SAVED_CURVES),
        "icicle": icicle,
        "nodes": {"": root, **_nodes(view, number, wide[:MOST_NODES])},
        "why": {move: view.why(number, move or None) for move in ("", *moves)} if moves else {},
        "lessons": {move: view.lesson(number, "", move) for move in moves},
    }


def _nodes(view: View, number: int, paths: list[str]) -> dict[str, Any]:
    found = {}
    for path in paths:
        try:
            found[path] = view.node(number, path)
        except NotInMemoryError:
            continue
    return found
