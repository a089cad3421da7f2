"""`Snapshot`: what a report is made from. It holds numbers of the search, never the search itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.mcts.params import NETWORK, SearchParams
from engine.mcts.tree import ROOT, Tree, edges_of
from engine.network.architecture import Network
from engine.report.lines import PositionCache, TreePosition
from engine.report.progress import History, SearchProgress
from movegen import Position

if TYPE_CHECKING:
    from engine.mcts.queue import NetQueue

LONGEST_PATH = 128  # plies


class NotInMemoryError(LookupError):
    """A node is not in the tree, or no longer."""


@dataclass(frozen=True)
class Snapshot:
    """What a report is made from: the tree, its positions, and numbers taken when the report is made.

    The tree may change while it is read; `check` finds out whether its root has.
    """

    tree: Tree
    positions: PositionCache
    history: History
    params: SearchParams
    network: Network
    is_current: Callable[[], bool] = lambda: True  # is the root of the tree still the same?
    progress: SearchProgress = field(default_factory=SearchProgress)
    queue: "NetQueue | None" = None  # of a network of another program, which then evaluates instead of `network`

    @property
    def position(self) -> Position:
        """The root."""
        return self.positions.root.position

    @property
    def judge(self) -> "Network | NetQueue | None":
        """The network, if it evaluates positions; None with playouts."""
        return (self.queue or self.network) if self.params.evaluator == NETWORK else None

    def find(self, path: str) -> tuple[TreePosition, int]:
        """The position and the edge that a path of moves (`e2e4/e7e5`; empty: the root) leads to."""
        here, slot = self.positions.root, int(ROOT)
        names = path.split("/") if path else []
        if len(names) > LONGEST_PATH:
            raise ValueError(f"the path has more than {LONGEST_PATH} moves")
        for name in names:
            code = here.codes.get(name)
            code = here.position.code(name) if code is None else code
            found, after = self.edge_of(slot, code), self.positions.play(here, code)
            if found is None or after is None:
                raise NotInMemoryError(f"{path}: no longer in memory")
            here, slot = after, found
        return here, slot

    def edge_of(self, slot: int, code: int) -> int | None:
        """The edge of a move below an edge."""
        edges = edges_of(self.tree, slot)
        codes = self.tree.move[edges.start : edges.stop].tolist()
        return edges.start + codes.index(code) if code in codes else None

    def check(self) -> None:
        """Raise an error if the root has changed: the data read may belong to two positions."""
        if not self.is_current():
            raise NotInMemoryError("the position has changed")
