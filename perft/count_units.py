"""A deep count, cut into units of work: slices of a frontier of positions, or the positions of a suite.

A unit has everything that its count needs, so that any worker can do it. The number of leaves of a slice is exact,
whatever the worker's memory and threads.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from movegen import Position
from movegen.compiler.memory import CACHE_LINE_BYTES
from movegen.fen import START_FEN
from perft.count import SHALLOWEST
from perft.counter import MEGABYTE, Counter, Interrupted
from perft.frontier import Frontier, merged_frontier, plain_frontier
from perft.records import WORDS, new_records
from perft.runner.units import Unit
from perft.suite import SuiteEntry

# Leaves of the start position by depth: https://oeis.org/A048987
START_COUNTS = (
    *(1, 20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860, 84_998_978_956, 2_439_530_234_167),
    *(69_352_859_712_417, 2_097_651_003_696_806, 62_854_969_236_701_747, 1_981_066_775_000_396_239),
)
SELF_TEST_DEPTH = 5
SHORTEST_UNIT, GOOD_UNIT, LONGEST_UNIT = 1.0, 10.0, 60.0  # seconds
UNITS_PER_WORKER = 20  # so that workers end together
SAMPLES = 64  # positions that are counted to estimate the length of a unit
DEEPEST_SAMPLE = 4  # plies; the time for more is extrapolated
DEEPEST_PLAIN, MOST_PLAIN = 6, 1 << 20  # plies below a position that is not merged, and the number of such positions
LARGEST_PLAIN_CHECK = 1 << 32  # leaves that are counted a second time to check a frontier


@dataclass(frozen=True)
class Part:
    """The leaves below one root move, or all of them."""

    move: str | None
    frontier: Frontier
    depth: int  # below the frontier


# On the worker


def count_slice(
    records: np.ndarray, depth: int, *, threads: int, megabytes: int, table: np.ndarray | None = None
) -> int:
    """The number of leaves below positions, times their occurrences. `table`: memory for counts, in this process."""
    _test_once()
    if depth < SHALLOWEST:
        table = new_records(0)
    elif table is None:
        table = _table(megabytes)
    with _ending_by_keyboard():
        return Counter(threads).count_below(_own(records), records.size // WORDS, depth, table)


def _own(records: np.ndarray) -> np.ndarray:
    """Records as kernels take them: those that come from elsewhere may not lie on a cache line, or not be writable."""
    if records.flags.writeable and records.ctypes.data % CACHE_LINE_BYTES == 0:
        return records
    copied = new_records(records.size // WORDS)
    copied[:] = records
    return copied


def count_position(fen: str, depth: int, *, chess960: bool, threads: int, megabytes: int) -> int:
    """The number of leaves of a position."""
    _test_once()
    with _ending_by_keyboard():
        return Counter(threads, megabytes).perft(Position(fen, chess960=chess960), depth)


@contextmanager
def _ending_by_keyboard() -> Iterator[None]:
    """An interrupted count is no failure of its unit."""
    try:
        yield
    except Interrupted:
        raise KeyboardInterrupt from None


def _table(megabytes: int) -> np.ndarray:
    """Counts that this process has stored, for all its units: they hold whole positions, so they stay true."""
    with _one_thread:
        return _new_table(megabytes)


_one_thread = threading.Lock()  # a worker may have several


@lru_cache(maxsize=1)
def _new_table(megabytes: int) -> np.ndarray:
    return new_records(megabytes * MEGABYTE // CACHE_LINE_BYTES)


@cache
def _test_once() -> None:
    """A machine that cannot count does no unit."""
    counted = Counter().perft(Position(), SELF_TEST_DEPTH)
    if counted != START_COUNTS[SELF_TEST_DEPTH]:
        raise ValueError(f"this machine counts {counted} leaves at depth {SELF_TEST_DEPTH} of the start position")


# On the driver


def parts_of(position: Position, depth: int, megabytes: int, *, divide: bool) -> list[Part]:
    """The frontiers of a count; with `divide` one for each root move, with a share of the memory."""
    if not divide:
        return [_part(None, position, depth, megabytes)]
    moves = sorted(position.legal_moves)
    parts = [_part(move, position.play(move), depth - 1, megabytes // len(moves)) for move in moves]
    for part in parts:
        frontier = part.frontier
        frontier.memory = frontier.memory[: frontier.count * WORDS].copy()  # the rest is for a table
    return parts


def free_table(parts: Sequence[Part]) -> np.ndarray | None:
    """The memory behind the positions, if there is one block: this process can keep counts there."""
    if len(parts) != 1 or parts[0].depth < SHALLOWEST:
        return None
    free = parts[0].frontier.free
    free.fill(0)
    return free


def _part(move: str | None, position: Position, depth: int, megabytes: int) -> Part:
    if megabytes:
        frontier = merged_frontier(position, depth, megabytes * MEGABYTE // CACHE_LINE_BYTES)
    else:
        frontier = plain_frontier(position, depth)
        while depth - frontier.ply > DEEPEST_PLAIN and 0 < frontier.successors() <= MOST_PLAIN:
            frontier.spread_on()
    check_frontier(position, frontier)
    return Part(move, frontier, depth - frontier.ply)


def check_frontier(position: Position, frontier: Frontier) -> None:
    """The occurrences of all positions must add up to the known number of leaves at their ply."""
    expected = _known_leaves(position, frontier)
    if expected is not None and frontier.total != expected:
        raise ValueError(f"{frontier.total} positions at ply {frontier.ply} instead of {expected}: merging failed")


def published_leaves(position: Position, depth: int) -> int | None:
    """The leaves at a depth that others have counted, if that is known here."""
    is_known = position.fen() == START_FEN and depth < len(START_COUNTS)
    return START_COUNTS[depth] if is_known else None


def _known_leaves(position: Position, frontier: Frontier) -> int | None:
    published = published_leaves(position, frontier.ply)
    if published is not None:
        return published
    if frontier.total > LARGEST_PLAIN_CHECK:
        return None
    return Counter().perft(position, frontier.ply)


def positions_per_unit(parts: Sequence[Part], workers: int) -> int:
    """How many positions make a unit of a good length, by the time that a sample takes. No workers: not known yet."""
    largest = max(parts, key=lambda part: part.frontier.count, default=None)  # none: `divide` without legal moves
    if largest is None or largest.frontier.count == 0:
        return 1
    seconds = _seconds_per_position(largest)
    positions = sum(part.frontier.count for part in parts)
    return max(1, int(unit_seconds(positions * seconds, workers) / max(seconds, 1e-9)))


def unit_seconds(total: float, workers: int) -> float:
    """How long a unit should take, if all take `total` seconds together."""
    wanted = total / (UNITS_PER_WORKER * workers) if workers else GOOD_UNIT
    return min(LONGEST_UNIT, max(SHORTEST_UNIT, wanted))


def _seconds_per_position(part: Part) -> float:
    """The time for a position, without a table: with one it is shorter, seldom by more than a half."""
    frontier, sampled = part.frontier, min(part.depth, DEEPEST_SAMPLE)
    step = max(1, frontier.count // SAMPLES)
    records = frontier.memory[: frontier.count * WORDS].reshape(-1, WORDS)[::step].reshape(-1)
    sample, count = new_records(records.size // WORDS), records.size // WORDS
    sample[:] = records
    before = Counter().count_below(sample, count, sampled - 1, new_records(0)) if sampled > 1 else count
    begin = time.perf_counter()
    leaves = Counter().count_below(sample, count, sampled, new_records(0))
    seconds = (time.perf_counter() - begin) / count
    return seconds * (leaves / max(1, before)) ** (part.depth - sampled)


def slices_of(part: Part, per_unit: int) -> Iterator[Unit]:
    """The units of a part. Merged positions lie in the order of a hash, so that units are about equally long."""
    size = per_unit * WORDS
    for first in range(0, part.frontier.count * WORDS, size):
        records = part.frontier.memory[first : min(first + size, part.frontier.count * WORDS)]
        yield Unit("perft.count_units:count_slice", {"records": records, "depth": part.depth})


def unit_of_entry(entry: SuiteEntry, depth: int) -> Unit:
    """The unit of a position of a suite."""
    try:
        Position(entry.fen, chess960=entry.chess960)
    except ValueError as error:
        raise ValueError(f"{entry.where}: {error}") from None
    values = {"fen": entry.fen, "chess960": entry.chess960, "depth": depth}
    return Unit("perft.count_units:count_position", values)
