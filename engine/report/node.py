"""A node of the tree with its moves, read once."""

from functools import cached_property
from typing import NamedTuple

from engine.mcts.tree import ROOT
from engine.report.move_stats import MoveStats, in_order, moves_below
from engine.report.network_priors import priors_at
from engine.report.pv import line_of
from engine.report.rows import (
    BEST,
    DIGITS,
    NEXT,
    UNVISITED,
    Row,
    Urgency,
    first_looks,
    next_slot,
    proof_of,
    q_of,
    rounded,
    shares_of,
    urgencies_of,
    wdl_of,
)
from engine.report.snapshot import NotInMemoryError, Snapshot
from engine.report.tree_positions import TreePosition
from movegen.moves import MAX_MOVES

UNKNOWN = Urgency(None, None, "")


class Shape(NamedTuple):
    """How much a row holds."""

    lines: int = 8  # moves whose best line is followed
    longest: int = 16  # plies of a best line
    first_look: bool = False  # with the network's own score?


PLAIN = Shape()
LONG = Shape(lines=MAX_MOVES, longest=64)


class Node:
    """The node below a path of moves."""

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self.snapshot = snapshot
        self.here, self.slot = snapshot.find(path)
        self.moves = in_order(moves_below(snapshot.tree, self.slot))

    @cached_property
    def shares(self) -> list[float]:
        """The share of each move in the visits of all."""
        return shares_of([move.visits for move in self.moves])

    @cached_property
    def priors(self) -> dict[int, float]:
        """The network's own prior of each legal move, by its code; with playouts, that of the search."""
        if self.snapshot.judge is None:
            return {move.code: move.prior for move in self.moves}
        return priors_at(self.here, self.snapshot.judge)

    @cached_property
    def best(self) -> MoveStats | None:
        """The move that the search would play here; at the root of a search that has ended, its answer."""
        known = [move for move in self.moves if move.is_known]
        chosen = self.snapshot.progress.chosen if self.slot == int(ROOT) else None
        return next((move for move in known if move.code == chosen), known[0] if known else None)

    def position_after(self, move: MoveStats) -> TreePosition:
        """The position after a move. A code that is not legal shows that the node was recycled while it was read."""
        after = self.snapshot.positions.play(self.here, move.code)
        if after is None:
            raise NotInMemoryError(f"{self.here.path}: no longer in memory")
        return after

    def rows(self, count: int | None, shape: Shape) -> list[Row]:
        """The first moves as rows."""
        chosen = range(len(self.moves[:count]))
        looks = self._first_looks(chosen, shape)
        return [self._row(index, shape.longest if index < shape.lines else 1, looks[index]) for index in chosen]

    def row(self, move: MoveStats, shape: Shape) -> Row:
        """One of the moves as a row."""
        index = self.moves.index(move)
        (look,) = self._first_looks(range(index, index + 1), shape)
        return self._row(index, shape.longest, look)

    def _first_looks(self, chosen: range, shape: Shape) -> list[float | None]:
        positions = [self.position_after(self.moves[index]).position for index in chosen]
        return first_looks(self.snapshot.judge if shape.first_look else None, positions)

    @cached_property
    def _urgencies(self) -> dict[int, Urgency]:
        return urgencies_of(self.snapshot.tree, self.snapshot.params, self.slot)

    @cached_property
    def _due(self) -> int | None:
        return next_slot(self._urgencies)

    def _row(self, index: int, plies: int, look: float | None) -> Row:
        snapshot, move = self.snapshot, self.moves[index]
        after, urgency = self.position_after(move), self._urgencies.get(move.slot, UNKNOWN)
        line = line_of(snapshot.tree, snapshot.positions, after, move.slot, plies)
        score = q_of(move)
        flags = {
            BEST: move is self.best,
            NEXT: move.slot == self._due,
            UNVISITED: score is None,
            urgency.flag: urgency.flag != "",
        }
        return Row(
            uci=after.uci,
            san=after.san,
            n=move.visits,
            share=self.shares[index],
            q=score,
            wdl=wdl_of(move),
            p=round(self.priors[move.code], DIGITS),
            p_search=round(move.prior, DIGITS),
            u=rounded(urgency.bonus),
            s=rounded(urgency.total),
            v=look,
            proven=proof_of(move.result, move.distance),
            pv=[step.uci for step in line],
            line=[step.san for step in line],
            flags=[name for name, is_so in flags.items() if is_so],
        )
