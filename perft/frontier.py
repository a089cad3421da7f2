"""The positions a few plies down that a deep count starts from: work that threads can share.

Without a memory budget they are all positions of a ply, each as often as it occurs. With one, equal
positions are merged ply by ply as long as the next ply fits; what memory is left becomes a table.
"""

from dataclasses import dataclass

import numpy as np

from movegen import Position
from movegen.bits import U64
from movegen.moves import MAX_MOVES
from perft.merge import TABLE_FULL, count_successors, next_ply, pack, spread, sum_occurrences
from perft.records import WORDS, line_of, new_lines

FILLING = 7 / 8  # of a table at most, so that searches in it stay short
WORK_UNITS = 1024  # enough for a smooth display and for threads to end together
MERGING_PAYS_FROM = 3  # plies left; nearer the leaves, counting is quicker than merging
OCCURRENCES_LIMIT = (1 << 64) // MAX_MOVES  # then the occurrences of the next ply still fit a word


@dataclass
class Frontier:
    """Positions at a ply, with how often each occurs, at the front of a block of memory."""

    memory: np.ndarray  # lines, see perft.records
    count: int = 1
    ply: int = 0
    total: int = 1  # occurrences of all positions together: perft(ply)
    kept_share: float = 1.0  # of the successors, how many were different, in the step before

    @classmethod
    def at(cls, position: Position, lines: int) -> "Frontier":
        """A single position, with memory for so many lines."""
        frontier = cls(new_lines(max(lines, 1)))
        frontier.memory[:WORDS] = line_of(position.board)
        return frontier

    @property
    def free(self) -> np.ndarray:
        """The memory behind the positions."""
        return self.memory[self.count * WORDS :]

    def successors(self) -> int:
        """How many legal moves the positions have together."""
        return int(count_successors(self.memory, U64(self.count)))

    def lines_needed(self) -> int:
        """How much memory the next ply will need, judged by how many equal positions the last step met."""
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
        memory = new_lines(max(successors, 1))
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


def merged_frontier(position: Position, depth: int, lines: int) -> Frontier:
    """The positions of the deepest ply that pays and that fits so many lines of memory."""
    frontier = Frontier.at(position, lines)
    while (
        frontier.count > 0
        and depth - frontier.ply >= MERGING_PAYS_FROM
        and frontier.total < OCCURRENCES_LIMIT
        and frontier.lines_needed() <= lines
        and frontier.merge_on()
    ):
        pass
    return frontier
