"""The files of the page: a fixed table, read once. No request can name any other file."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "page"
HTML, CSS, JAVASCRIPT = "text/html; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8"


class File(NamedTuple):
    """What is sent for an address: the files below, one after the other."""

    kind: str
    parts: tuple[str, ...]


MODULES = ("main.js", "data.js", "board.js", "line.js", "moves.js", "tree.js", "time.js", "why.js")
VENDOR_STYLES = ("vendor/chessground.base.css", "vendor/chessground.cburnett.css", "vendor/uPlot.min.css")
TABLE = {
    "/": File(HTML, ("index.html",)),
    "/explorer.css": File(CSS, (*VENDOR_STYLES, "explorer.css")),
    "/chessground.js": File(JAVASCRIPT, ("vendor/chessground.min.js",)),
    "/uplot.js": File(JAVASCRIPT, ("vendor/uPlot.iife.min.js",)),
    **{f"/{name}": File(JAVASCRIPT, (name,)) for name in MODULES},
}


@cache
def content(address: str) -> bytes:
    """What is sent for an address of the table."""
    return b"\n".join((FOLDER / part).read_bytes() for part in TABLE[address].parts)
