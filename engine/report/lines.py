"""Positions below the root, cached, and the best lines of play through them."""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from movegen import Position, notation
from movegen.position import Side

if TYPE_CHECKING:
    from engine.mcts.queue import NetQueue
    from engine.network.architecture import Network
import numpy as np

from engine.mcts.inspect import best_line
from engine.mcts.tree import Tree
from movegen.bits import U64

LARGEST_MEMORY = 20_000  # positions
LONGEST_PV = 64


class Mover(NamedTuple):
    """The part of a position that UCI notation depends on."""

    turn: Side
    chess960: bool


@lru_cache(maxsize=1 << 14)
def uci_of(mover: Mover, code: int) -> str:
    """A move in UCI notation, without a position."""
    return notation.uci(cast("Position", mover), code)


class TreePosition:
    """A position below the root, and the move that leads to it."""

    def __init__(self, position: Position, before: "TreePosition | None" = None, code: int = 0) -> None:
        self.position, self.before, self.code = position, before, code
        self.after: dict[int, TreePosition] = {}
        self.priors: tuple[Network | NetQueue, dict[int, float]] | None = None  # see `static_eval.priors_at`

    @cached_property
    def uci(self) -> str:
        """The move that leads here, in UCI notation; empty at the root."""
        return self.before.position.uci(self.code) if self.before else ""

    @cached_property
    def san(self) -> str:
        """The same move in SAN."""
        return self.before.position.san(self.code) if self.before else ""

    @cached_property
    def path(self) -> str:
        """The moves from the root, as `e2e4/e7e5`; empty at the root."""
        return f"{self.before.path}/{self.uci}".lstrip("/") if self.before else ""

    @cached_property
    def fen(self) -> str:
        """The position as a FEN."""
        return self.position.fen()

    @cached_property
    def codes(self) -> dict[str, int]:
        """The legal moves by their names in UCI notation."""
        return dict(zip(self.position.legal_moves, self.position.move_codes, strict=True))

    @cached_property
    def is_over(self) -> bool:
        """Is the game over here, draws that can be claimed included?"""
        return self.position.is_game_over(claim_draw=True)


class PositionCache:
    """The positions below one root."""

    def __init__(self, position: Position) -> None:
        self.root = TreePosition(position)
        self._count = 0

    def play(self, here: TreePosition, code: int) -> TreePosition | None:
        """The position after a move; None if the move is not legal there."""
        found = here.after.get(code)
        if found is None and code in here.position.move_codes:
            if self._count >= LARGEST_MEMORY:
                self.root.after.clear()
                self._count = 0
            found = here.after[code] = TreePosition(here.position.play(code), here, code)
            self._count += 1
        return found


def best_edges(tree: Tree, slot: int, longest: int = LONGEST_PV) -> list[tuple[int, int]]:
    """Slot and move of each of the best moves below an edge, as far as the tree goes; see `move_stats.best_of`."""
    slots, codes = np.empty(longest, dtype=np.uint64), np.empty(longest, dtype=np.uint16)
    count = int(best_line(tree, U64(slot), slots, codes))
    return list(zip(slots[:count].tolist(), codes[:count].tolist(), strict=True))


def line_of(
    tree: Tree, positions: PositionCache, first: TreePosition, slot: int, longest: int = LONGEST_PV
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
