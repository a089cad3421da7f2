"""The positions a few plies down that a deep count starts from: work that threads can share.

Without a memory budget they are all positions of a ply, each as often as it occurs. With one, equal
positions are merged ply by ply as long as the next ply fits; the rest of the memory becomes a table.

    before: | positions of this ply | table for the next ply ............ |
    after:  | positions of the next ply | free ........................... |
"""

from dataclasses import dataclass

import numpy as np

from movegen import Position
from movegen.apply import apply
from movegen.bits import ALL, ONE, U64, ZERO, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.compiler.memory import prefetch
from movegen.generate import count_moves, list_moves
from movegen.moves import MAX_MOVES, load_move, move_buffer
from perft.records import (
    HIGH,
    LOW,
    RECORD_SHIFT,
    TAG,
    WORDS,
    add_wide,
    board_in_record,
    hash_of,
    holds_position,
    new_records,
    record_of,
    write_position,
)

TABLE_FULL = ALL
FILLING = 7 / 8  # the largest load of a table, so that searches in it stay short
WORK_UNITS = 1024  # enough for a smooth display and for threads to end together
MERGING_PAYS_FROM = 3  # plies left; nearer the leaves, counting is faster than merging
OCCURRENCES_LIMIT = (1 << 64) // MAX_MOVES  # then the occurrences of the next ply still fit a word


@inlined
def first_slot(board: Board, slots: np.uint64) -> np.uint64:
    """The slot of a position in a table, unless it is taken by another."""
    return multiply_high(hash_of(board), slots)


@inlined
def merge_into(table: np.ndarray, slots: np.uint64, board: Board, low: np.uint64, high: np.uint64) -> np.uint64:
    """Add a position with its number of occurrences to a table; -> 1 if it was not there yet, else 0."""
    slot = first_slot(board, slots)
    offset = slot << RECORD_SHIFT
    while table[offset + TAG] != ZERO and not holds_position(table, offset, board):
        slot = slot + ONE if slot + ONE < slots else ZERO
        offset = slot << RECORD_SHIFT
    is_new = table[offset + TAG] == ZERO
    if is_new:
        write_position(table, offset, board)
        table[offset + TAG] = ONE
    table[offset + LOW], table[offset + HIGH] = add_wide(table[offset + LOW], table[offset + HIGH], low, high)
    return U64(is_new)


@kernel
def next_ply(records: np.ndarray, count: np.uint64, table: np.ndarray, slots: np.uint64, most: np.uint64) -> np.uint64:
    """Merge all successors of `count` positions into an empty table; -> the number of different ones, or TABLE_FULL.

    The moves of a position are made twice: first to prefetch the memory they need, then to use it.
    """
    moves = move_buffer()
    different = ZERO
    for number in range(count):
        offset = number << RECORD_SHIFT
        board = board_in_record(records, offset)
        found = list_moves(board, moves)
        if different + found > most:
            return TABLE_FULL
        for index in range(found):
            prefetch(table, first_slot(apply(board, load_move(moves, index)), slots) << RECORD_SHIFT)
        for index in range(found):
            after = apply(board, load_move(moves, index))
            different += merge_into(table, slots, after, records[offset + LOW], records[offset + HIGH])
    return different


@kernel
def pack(table: np.ndarray, slots: np.uint64, records: np.ndarray) -> None:
    """Copy the used records of a table to the front of `records`, which may overlap it from below."""
    target = ZERO
    for slot in range(slots):
        source = slot << RECORD_SHIFT
        if table[source + TAG] != ZERO:
            for word in range(U64(WORDS)):
                records[target + word] = table[source + word]
            target += ONE << RECORD_SHIFT


@kernel
def count_successors(records: np.ndarray, count: np.uint64) -> np.uint64:
    """The total number of legal moves of the first `count` positions."""
    successors = ZERO
    for number in range(count):
        successors += count_moves(board_in_record(records, number << RECORD_SHIFT))
    return successors


@kernel
def spread(records: np.ndarray, count: np.uint64, successors: np.ndarray) -> None:
    """Write all successors of `count` positions into records, without merging equal ones."""
    moves = move_buffer()
    target = ZERO
    for number in range(count):
        board = board_in_record(records, number << RECORD_SHIFT)
        found = list_moves(board, moves)
        for index in range(found):
            write_position(successors, target, apply(board, load_move(moves, index)))
            successors[target + TAG], successors[target + LOW], successors[target + HIGH] = ONE, ONE, ZERO
            target += ONE << RECORD_SHIFT


@kernel
def sum_occurrences(records: np.ndarray, count: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The total number of occurrences of the first `count` positions, as a 128-bit number (low, high)."""
    low, high = ZERO, ZERO
    for number in range(count):
        offset = number << RECORD_SHIFT
        low, high = add_wide(low, high, records[offset + LOW], records[offset + HIGH])
    return low, high


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
