"""Principal variations: a move and the best moves that follow it."""

import numpy as np

from engine.mcts.inspect import best_line
from engine.mcts.tree import Tree
from engine.report.tree_positions import PositionCache, TreePosition
from movegen.bits import U64

LONGEST_LINE = 64


def best_edges(tree: Tree, slot: int, longest: int = LONGEST_LINE) -> list[tuple[int, int]]:
    """Slot and move of each of the best moves below an edge, as far as the tree goes; see `move_stats.best_of`."""
    slots, codes = np.empty(longest, dtype=np.uint64), np.empty(longest, dtype=np.uint16)
    count = int(best_line(tree, U64(slot), slots, codes))
    return list(zip(slots[:count].tolist(), codes[:count].tolist(), strict=True))


def line_of(
    tree: Tree, positions: PositionCache, first: TreePosition, slot: int, longest: int = LONGEST_LINE
) -> list[TreePosition]:
    """The positions after a move (that of an edge) and after the best moves that follow.

    To the end of the game, or of what the tree knows. A node may be recycled while it is read: the line ends where
    a move is not legal.
    """
    line, here = [first], first
    for _, code in best_edges(tree, slot, longest - 1) if longest > 1 else ():
        after = None if here.is_over else positions.play(here, code)
        if after is None:
            break
        line.append(after)
        here = after
    return line


def main_line(tree: Tree, positions: PositionCache, slot: int, code: int) -> list[str]:
    """A move of the root and the best moves that follow, in UCI notation."""
    first = positions.play(positions.root, code)
    return [position.uci for position in line_of(tree, positions, first, slot)] if first else []
