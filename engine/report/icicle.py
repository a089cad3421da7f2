"""The whole tree in one picture: a rectangle for each move, as wide as its visits, ply below ply."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.mcts import inspect
from engine.mcts.tree import Tree
from engine.report.lines import Mover, PositionCache, TreePosition, uci_of
from engine.report.move_stats import EXACT_SCORES, mean_score, proof_of, result_and_distance
from movegen.bits import U64

if TYPE_CHECKING:
    from movegen.position import Side

MOST_RECTANGLES = 1500
MERGED_BELOW = 0.002  # of the node at the top; what has less is merged: 2 pixels of 1000
DEEPEST = 6
LABEL_SHARE = 0.02  # the least share of a rectangle that has room for a name


def icicle_of(
    tree: Tree,
    positions: PositionCache,
    top: TreePosition,
    slot: int,
    depth: int = DEEPEST,
    least_share: float = MERGED_BELOW,
) -> dict[str, Any]:
    """The visits below a node; see docs/search-report.md."""
    table = np.empty((MOST_RECTANGLES, inspect.ICICLE_COLUMNS), dtype=np.int64)
    least = max(1, math.ceil(least_share * int(tree.visits[slot])))
    count = int(inspect.icicle(tree, U64(slot), np.int64(least), np.int64(depth), table))
    rectangles = _named(table[:count].tolist(), positions, top)
    return {"path": top.path, "visits": rectangles[0]["n"], "least": least, "rectangles": rectangles}


def _named(rows: list[list[int]], positions: PositionCache, top: TreePosition) -> list[dict[str, Any]]:
    """The rectangles with their paths; those that are wide enough have a SAN name too."""
    sides: tuple[Side, Side] = ("white", "black") if top.position.turn == "white" else ("black", "white")
    movers = [Mover(side, top.position.chess960) for side in sides]
    found: list[TreePosition | None] = [top]
    rectangles = [_rectangle(rows[0], top.path, top.uci or None, top.san or None)]
    for row in rows[1:]:
        parent, code = row[inspect.PARENT], row[inspect.CODE]
        before, path, uci, here = found[parent], rectangles[parent]["path"], None, None
        if not row[inspect.MERGED]:
            uci = uci_of(movers[row[inspect.DEPTH] - 1 & 1], code)
            if before is not None and row[inspect.VISITS] >= LABEL_SHARE * rows[0][inspect.VISITS]:
                here = positions.play(before, code)
        found.append(here)
        rectangles.append(
            _rectangle(row, f"{path}/{uci}".lstrip("/") if uci else None, uci, here.san if here else None)
        )
    return rectangles


def _rectangle(row: list[int], path: str | None, uci: str | None, san: str | None) -> dict[str, Any]:
    result, distance = result_and_distance(row[inspect.PROVEN])
    mean = mean_score(row[inspect.WINS], row[inspect.VISITS])
    return {
        "parent": row[inspect.PARENT],
        "depth": row[inspect.DEPTH],
        "path": path,
        "uci": uci,
        "san": san,
        "x": row[inspect.START],
        "width": row[inspect.WIDTH],
        "n": row[inspect.VISITS],
        "q": EXACT_SCORES.get(result, mean),  # for the player who makes the move
        "proven": proof_of(result, distance),
        "merged": row[inspect.MERGED],
    }
