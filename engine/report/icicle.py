"""The whole tree in one picture: a rectangle for each move, as wide as its visits, ply below ply."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.mcts import inspect as reading
from engine.mcts.tree import Tree
from engine.report.move_stats import DRAW, LOSS, WIN
from engine.report.positions import Mover, Place, Places, uci_of
from engine.report.rows import mean_score, proof_of
from movegen.bits import U64

if TYPE_CHECKING:
    from movegen.position import Side

MOST_RECTANGLES = 1500
LEAST_SHARE = 0.002  # of the node at the top; what has less is merged: 2 pixels of 1000
DEEPEST = 6
LABEL_SHARE = 0.02  # from which on a rectangle has room for a name
EXACT = {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}


def icicle_of(
    tree: Tree, places: Places, place: Place, slot: int, depth: int = DEEPEST, least_share: float = LEAST_SHARE
) -> dict[str, Any]:
    """The visits below a node; see docs/search-report.md."""
    lines = np.empty((MOST_RECTANGLES, reading.COLUMNS), dtype=np.int64)
    least = max(1, math.ceil(least_share * int(tree.visits[slot])))
    count = int(reading.icicle(tree, U64(slot), np.int64(least), np.int64(depth), lines))
    rectangles = _named(lines[:count].tolist(), places, place)
    return {"path": place.path, "visits": rectangles[0]["n"], "least": least, "rectangles": rectangles}


def _named(lines: list[list[int]], places: Places, top: Place) -> list[dict[str, Any]]:
    """The rectangles with their paths; those that are wide enough have a name for people too."""
    sides: tuple[Side, Side] = ("white", "black") if top.position.turn == "white" else ("black", "white")
    movers = [Mover(side, top.position.chess960) for side in sides]
    found: list[Place | None] = [top]
    rectangles = [_rectangle(lines[0], top.path, top.uci or None, top.san or None)]
    for line in lines[1:]:
        parent, code = line[reading.PARENT], line[reading.CODE]
        before, path, uci, here = found[parent], rectangles[parent]["path"], None, None
        if not line[reading.MERGED]:
            uci = uci_of(movers[line[reading.DEPTH] - 1 & 1], code)
            if before is not None and line[reading.VISITS] >= LABEL_SHARE * lines[0][reading.VISITS]:
                here = places.play(before, code)
        found.append(here)
        rectangles.append(
            _rectangle(line, f"{path}/{uci}".lstrip("/") if uci else None, uci, here.san if here else None)
        )
    return rectangles


def _rectangle(line: list[int], path: str | None, uci: str | None, san: str | None) -> dict[str, Any]:
    proven = line[reading.PROVEN]
    return {
        "parent": line[reading.PARENT],
        "depth": line[reading.DEPTH],
        "path": path,
        "uci": uci,
        "san": san,
        "x": line[reading.START],
        "width": line[reading.WIDTH],
        "n": line[reading.VISITS],
        "q": _score(line),
        "proven": proof_of(proven >> 14, proven & 0x3FFF),
        "merged": line[reading.MERGED],
    }


def _score(line: list[int]) -> float | None:
    """For the player who makes the move."""
    result = line[reading.PROVEN] >> 14
    return EXACT[result] if result else mean_score(line[reading.WINS], line[reading.VISITS])
