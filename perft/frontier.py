"""The positions a few plies down that a deep count starts from: work that threads can share.

Without a memory budget they are all positions of a ply, each as often as it occurs. With one, equal
positions are merged ply by ply as long as the next ply fits; the rest of the memory becomes a table.
"""

from dataclasses import dataclass

import numpy as np

from movegen import Position
from movegen.bits import U64
from movegen.moves import MAX_MOVES
from perft.merge import TABLE_FULL, count_successors, next_ply, pack, spread, sum_occurrences
from perft.records import WORDS, new_records, record_of

FILLING = 7 / 8  # the largest load of a table, so that searches in it stay short
WORK_UNITS = 1024  # enough for a smooth display and for threads to end together
MERGING_PAYS_FROM = 3  # plies left; nearer the leaves, counting is faster than merging
OCCURRENCES_LIMIT = (1 << 64) // MAX_MOVES  # then the occurrences of the next ply still fit a word


@dataclass
class Frontier:
    """Positions at a ply, with the number of occurrences of each, at the front of a block of memory."""

    memory: np.ndarray  # records, see perft.records
    count: int = 1
    ply: int = 0
    total: int = 1  # occurrences of all positions together: perft(ply)
    kept_share: float = 1.0  # share of different positions among the successors, in the previous step

    @classmethod
    def at(cls, position: Position, records: int) -> "Frontier":
        """A single position, with memory for `records` records."""
        frontier = cls(new_records(max(records, 1)))
        frontier.memory[:WORDS] = record_of(position.board)
        return frontier

    @property
    def free(self) -> np.ndarray:
        """The memory behind the positions."""
        return self.memory[self.count * WORDS :]

    def successors(self) -> int:
        """The total number of legal moves of the positions."""
        return int(count_successors(self.memory, U64(self.count)))

    def records_needed(self) -> int:
        """An estimate of the memory for the next ply, by the share of equal positions in the previous step."""
        return self.count + int(self.successors() * self.kept_share / FILLING) + MAX_MOVES

    def merge_on(self) -> bool:
        """Go on to the next ply, equal positions merged; False, and no change, if it does not fit."""
        successors = self.successors()
        slots = min(self.free.size // WORDS, int(successors / FILLING) + MAX_MOVES)
        table, most = self.free[: slots * WORDS], int(slots * FILLING)
        table.fill(0)
        different = int(next_ply(self.memory, U64(self.count), table, U64(slots), U64(most)))
        if different == int(TABLE_FULL):
            return False
        pack(table, U64(slots), self.memory)
        low, high = sum_occurrences(self.memory, U64(different))
        self._moved_on(different, int(high) << 64 | int(low))
        self.kept_share = different / successors if successors else 1.0
        return True

    def spread_on(self) -> None:
        """Go on to the next ply in new memory, every position as often as it occurs."""
        successors = self.successors()
        memory = new_records(max(successors, 1))
        spread(self.memory, U64(self.count), memory)
        self.memory = memory
        self._moved_on(successors, successors)

    def _moved_on(self, count: int, total: int) -> None:
        self.count, self.total, self.ply = count, total, self.ply + 1


def plain_frontier(position: Position, depth: int) -> Frontier:
    """Enough positions for all threads, nothing merged."""
    frontier = Frontier.at(position, 1)
    while 0 < frontier.count < WORK_UNITS and frontier.ply < depth - 1:
        frontier.spread_on()
    return frontier


def merged_frontier(position: Position, depth: int, records: int) -> Frontier:
    """The positions of the deepest ply that pays and that fits into memory for `records` records."""
    frontier = Frontier.at(position, records)
    while (
        frontier.count > 0
        and depth - frontier.ply >= MERGING_PAYS_FROM
        and frontier.total < OCCURRENCES_LIMIT
        and frontier.records_needed() <= records
        and frontier.merge_on()
    ):
        pass
    return frontier
