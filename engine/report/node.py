"""A node of the tree with its moves, read once."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from engine.mcts.tree import ROOT
from engine.report.line import line_of
from engine.report.places import Place
from engine.report.rows import (
    BEST,
    DIGITS,
    NEXT,
    UNVISITED,
    Row,
    Urgency,
    first_looks,
    next_slot,
    ordered_moves,
    proof_of,
    q_of,
    shares_of,
    urgencies_of,
    wdl_of,
)
from engine.report.source import NotInMemoryError, Source
from engine.stats import MoveStats
from movegen.moves import MAX_MOVES

UNKNOWN = Urgency(None, None, "")


class Shape(NamedTuple):
    """How much a row tells."""

    lines: int = 8  # moves whose line is followed
    longest: int = 16  # plies of a line
    first_look: bool = False  # with the network's own score?


PLAIN = Shape()
LONG = Shape(lines=MAX_MOVES, longest=64)


class Node:
    """What stands in the tree below a path of moves."""

    def __init__(self, source: Source, path: str) -> None:
        self.source = source
        self.place, self.slot = source.find(path)
        self.moves = ordered_moves(source.tree, self.slot)

    @cached_property
    def shares(self) -> list[float]:
        """The share of each move in the visits of all."""
        return shares_of([move.visits for move in self.moves])

    @property
    def best(self) -> MoveStats | None:
        """The move that the search would play here; at the root of a search that has ended, the one that it told."""
        known = [move for move in self.moves if move.visits or move.result]
        chosen = self.source.run.chosen if self.source.run and self.slot == int(ROOT) else None
        return next((move for move in known if move.code == chosen), known[0] if known else None)

    def place_after(self, move: MoveStats) -> Place:
        """The position after a move. A code that is not legal shows that the node was recycled while it was read."""
        after = self.source.places.play(self.place, move.code)
        if after is None:
            raise NotInMemoryError(f"{self.place.path}: no longer in memory")
        return after

    def rows(self, count: int | None, shape: Shape) -> list[Row]:
        """The first moves as rows."""
        return list(self._rows(self.moves[:count], shape))

    def _rows(self, moves: list[MoveStats], shape: Shape) -> Iterator[Row]:
        source, best = self.source, self.best
        after = [self.place_after(move) for move in moves]
        looks = first_looks(source.judge if shape.first_look else None, [place.position for place in after])
        found = urgencies_of(source.tree, source.settings, self.slot)
        due = next_slot(found)
        for index, (move, place) in enumerate(zip(moves, after, strict=True)):
            plies = shape.longest if index < shape.lines else 1
            line = line_of(source.tree, source.places, place, move.slot, plies)
            urgency = found.get(move.slot, UNKNOWN)
            flags = {BEST: move is best, NEXT: move.slot == due, UNVISITED: q_of(move) is None, urgency.flag: True}
            yield Row(
                uci=place.uci,
                san=place.san,
                n=move.visits,
                share=self.shares[index],
                q=q_of(move),
                wdl=wdl_of(move),
                p=round(move.prior, DIGITS),
                u=urgency.bonus,
                s=urgency.total,
                v=looks[index],
                proven=proof_of(move.result, move.distance),
                pv=[step.uci for step in line],
                line=[step.san for step in line],
                flags=[name for name, is_so in flags.items() if name and is_so],
            )
