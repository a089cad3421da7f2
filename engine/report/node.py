"""A node of the tree, read once, and its moves as rows: what every table shows."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from engine.mcts.inspect import urgencies
from engine.mcts.params import SearchParams
from engine.mcts.tree import ROOT, Tree
from engine.report.lines import TreePosition, line_of
from engine.report.move_stats import DIGITS, MoveStats, in_order, moves_below, proof_of, q_of, rounded_or_none, wdl_of
from engine.report.snapshot import NotInMemoryError, Snapshot
from engine.report.static_eval import first_looks, priors_at
from movegen.bits import U64
from movegen.moves import MAX_MOVES

SHARE_UNIT = 1000
BEST, NEXT, NEVER, FIRST, UNVISITED = "best", "next", "never", "first", "unvisited"


class Row(NamedTuple):
    """A move of a node. All values are for the player who makes it; docs/search-report.md explains each."""

    uci: str
    san: str
    n: int
    share: float
    q: float | None
    wdl: list[int] | None
    p: float
    p_search: float
    u: float | None
    s: float | None
    v: float | None
    proven: dict[str, Any] | None
    pv: list[str]
    line: list[str]
    flags: list[str]

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def shares_of(counts: Sequence[int]) -> list[float]:
    """The shares of counts in steps of 0.1 %, which add up to 100 %: the largest remainders are rounded up."""
    total = sum(counts)
    if total == 0:
        return [0.0 for _ in counts]
    parts = [divmod(count * SHARE_UNIT, total) for count in counts]
    missing = SHARE_UNIT - sum(whole for whole, _ in parts)
    to_round_up = set(sorted(range(len(parts)), key=lambda index: -parts[index][1])[:missing])
    return [(whole + (index in to_round_up)) / SHARE_UNIT for index, (whole, _) in enumerate(parts)]


class Urgency(NamedTuple):
    """The terms of the selection formula for a move. None: infinite, see the flags."""

    bonus: float | None  # U
    total: float | None  # S
    flag: str  # NEVER, FIRST or empty


NO_URGENCY = Urgency(None, None, "")


def urgencies_of(tree: Tree, params: SearchParams, slot: int) -> dict[int, Urgency]:
    """U and S of the moves below an edge, by slot, as the search computes them; lost moves are never selected."""
    means, bonuses = np.empty(MAX_MOVES), np.empty(MAX_MOVES)
    first = int(tree.link[slot]) + 1
    count = int(urgencies(tree, params, U64(slot), means, bonuses))
    pairs = zip(means[:count].tolist(), bonuses[:count].tolist(), strict=True)
    return {first + index: _urgency(mean, bonus) for index, (mean, bonus) in enumerate(pairs)}


def _urgency(mean: float, bonus: float) -> Urgency:
    if math.isinf(bonus):
        return Urgency(None, None, FIRST if bonus > 0 else NEVER)
    return Urgency(bonus, mean + bonus, "")


def next_slot(found: dict[int, Urgency]) -> int | None:
    """The slot that the search would select next; of equals, between which it chooses at random, the first."""
    first = next((slot for slot, urgency in found.items() if urgency.flag == FIRST), None)
    numbers = {slot: urgency.total for slot, urgency in found.items() if urgency.total is not None}
    return first if first is not None else max(numbers, key=numbers.__getitem__, default=None)


class Shape(NamedTuple):
    """How much a row holds."""

    lines: int = 8  # moves whose best line is followed
    longest: int = 16  # plies of a best line
    first_look: bool = False  # with the network's own score?


DEFAULT_SHAPE = Shape()
LONG = Shape(lines=MAX_MOVES, longest=64)


class TreeNode:
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
        snapshot = self.snapshot
        return first_looks(snapshot.judge if shape.first_look else None, positions, bool(snapshot.params.quiescence))

    @cached_property
    def _urgencies(self) -> dict[int, Urgency]:
        return urgencies_of(self.snapshot.tree, self.snapshot.params, self.slot)

    @cached_property
    def _due(self) -> int | None:
        return next_slot(self._urgencies)

    def _row(self, index: int, plies: int, look: float | None) -> Row:
        snapshot, move = self.snapshot, self.moves[index]
        after, urgency = self.position_after(move), self._urgencies.get(move.slot, NO_URGENCY)
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
            u=rounded_or_none(urgency.bonus),
            s=rounded_or_none(urgency.total),
            v=look,
            proven=proof_of(move.result, move.distance),
            pv=[step.uci for step in line],
            line=[step.san for step in line],
            flags=[name for name, is_so in flags.items() if is_so],
        )
