"""The best moves from a move on."""

import numpy as np

from engine.mcts.inspect import best_line
from engine.mcts.tree import Tree
from engine.report.positions import Place, Places
from movegen.bits import U64

LONGEST_LINE = 64


def best_edges(tree: Tree, slot: int, longest: int = LONGEST_LINE) -> list[tuple[int, int]]:
    """Slot and move of each of the best moves below an edge, as far as the tree goes; see `choice.best_of`."""
    slots, codes = np.empty(longest, dtype=np.uint64), np.empty(longest, dtype=np.uint16)
    count = int(best_line(tree, U64(slot), slots, codes))
    return list(zip(slots[:count].tolist(), codes[:count].tolist(), strict=True))


def line_of(tree: Tree, places: Places, first: Place, slot: int, longest: int = LONGEST_LINE) -> list[Place]:
    """The positions after a move (that of an edge) and after the best moves that follow.

    To the end of the game, or of what the tree knows. A node may be recycled while it is read: the line ends where
    a move is not legal.
    """
    line, place = [first], first
    for _, code in best_edges(tree, slot, longest - 1) if longest > 1 else ():
        after = None if place.is_over else places.play(place, code)
        if after is None:
            break
        line.append(after)
        place = after
    return line


def main_line(tree: Tree, places: Places, slot: int, code: int) -> list[str]:
    """A move of the root and the best moves that follow, in UCI notation."""
    first = places.play(places.root, code)
    return [place.uci for place in line_of(tree, places, first, slot)] if first else []
