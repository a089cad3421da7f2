"""What a report is made from: the tree, where it stands, and how it came about."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.mcts.params import NETWORK, SearchParams
from engine.mcts.tree import ROOT, Tree, edges_of
from engine.network.weights import Network
from engine.report.history import History
from engine.report.positions import Place, Places
from movegen import Position

if TYPE_CHECKING:
    from engine.search.run import Run

LONGEST_PATH = 128  # plies


class NotInMemoryError(LookupError):
    """What was asked for is not in the tree, or not any more."""


@dataclass(frozen=True)
class Source:
    """What a report is made from."""

    tree: Tree
    places: Places
    history: History
    run: "Run | None"
    params: SearchParams
    network: Network
    is_current: Callable[[], bool]  # does the root still stand where it stood?

    @property
    def position(self) -> Position:
        """The root."""
        return self.places.root.position

    @property
    def judge(self) -> Network | None:
        """The network, if it is what judges positions."""
        return self.network if self.params.evaluator == NETWORK else None

    def find(self, path: str) -> tuple[Place, int]:
        """The position and the edge that a path of moves (`e2e4/e7e5`; empty: the root) leads to."""
        place, slot = self.places.root, int(ROOT)
        words = path.split("/") if path else []
        if len(words) > LONGEST_PATH:
            raise ValueError(f"the path has more than {LONGEST_PATH} moves")
        for word in words:
            code = place.codes.get(word)
            code = place.position.code(word) if code is None else code
            found, after = self.edge_of(slot, code), self.places.play(place, code)
            if found is None or after is None:
                raise NotInMemoryError(f"{path}: no longer in memory")
            place, slot = after, found
        return place, slot

    def edge_of(self, slot: int, code: int) -> int | None:
        """The edge of a move below an edge."""
        edges = edges_of(self.tree, slot)
        codes = self.tree.move[edges.start : edges.stop].tolist()
        return edges.start + codes.index(code) if code in codes else None

    def check(self) -> None:
        """Raise an error if the root has moved on: what was read may belong to two positions."""
        if not self.is_current():
            raise NotInMemoryError("the position has changed")
