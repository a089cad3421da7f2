"""Threads, merging, tables, and numbers beyond 64 bits."""

import functools
import itertools
import random
import threading

import chess
import numpy as np
import pytest

from movegen import Position
from movegen.bits import U64
from movegen.compiler.memory import CACHE_LINE_BYTES
from perft.bench import COUNTED_POSITIONS
from perft.count import BUSY_TAG, count_records, count_with_table
from perft.counter import Counter, CountProgress, Interrupted, _Run, counted_before
from perft.frontier import TABLE_FULL, Frontier, merged_frontier, next_ply, plain_frontier
from perft.records import TAG, WORDS, new_records, record_of
from tests.conftest import JIT_DISABLED
from tests.positions import random_positions

FENS = [fen for fen, _, _ in COUNTED_POSITIONS]
KINGS = "8/8/8/4k3/8/8/8/K7 w - - 0 1"


@functools.cache
def slow_perft(fen, depth, chess960=False):
    """The reference: python-chess and a dictionary."""
    if depth == 0:
        return 1
    return sum(slow_perft(after, depth - 1, chess960) for after in positions_after(fen, chess960))


@functools.cache
def positions_after(fen, chess960):
    """The positions after all moves, with counters that make equal ones equal."""
    board, found = chess.Board(fen, chess960=chess960), []
    for move in list(board.legal_moves):
        board.push(move)
        found.append(" ".join([*board.fen().split()[:4], "0", "1"]))
        board.pop()
    return found


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("megabytes", [0, 1, 16])
@pytest.mark.parametrize("fen", FENS)
def test_threads_and_memory_change_nothing(fen, threads, megabytes):
    depth = 2 if JIT_DISABLED else 4
    assert Counter(threads, megabytes).perft(Position(fen), depth) == Counter().perft(Position(fen), depth)


@pytest.mark.thorough
def test_random_positions_against_python_chess(scaled):
    for board in random_positions(scaled(40), seed=11):
        position = Position(board.fen(), chess960=board.chess960)
        fen = " ".join([*board.fen().split()[:4], "0", "1"])
        expected = slow_perft(fen, 2, board.chess960)
        assert Counter().perft(position, 2) == expected
        assert Counter(hash_megabytes=1).perft(position, 2) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [1, 5, 12, 30])
def test_counts_beyond_64_bits_are_exact(depth):
    """Two kings have few positions but, at depth 30, more than 2^64 paths."""
    if JIT_DISABLED:
        depth = min(depth, 5)
    expected = slow_perft(KINGS, depth)
    assert Counter(threads=2, hash_megabytes=1).perft(Position(KINGS), depth) == expected
    if depth == 30:
        assert expected > 2**64


def test_depth_0_is_one_leaf_and_a_mate_has_none():
    assert Counter().perft(Position(), 0) == 1
    for megabytes in (0, 1):
        mate = Position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
        assert [Counter(hash_megabytes=megabytes).perft(mate, depth) for depth in (0, 1, 2, 6)] == [1, 0, 0, 0]
        one_move = Position("k7/8/1QK5/8/8/8/8/8 w - - 0 1")
        assert Counter(hash_megabytes=megabytes).perft(one_move, 3) == slow_perft(one_move.fen(), 3)


def test_merging_finds_the_known_numbers_of_different_positions():
    """OEIS A083276: an en-passant square counts only if the capture is legal."""
    frontier = Frontier.at(Position(), 1 << 17)
    known = [(20, 20), (400, 400), (5_362, 8_902), (72_078, 197_281)]
    found = []
    for _ in known[: 2 if JIT_DISABLED else 4]:
        assert frontier.merge_on()
        found.append((frontier.count, frontier.total))
    assert found == known[: len(found)]


def test_merging_stops_where_memory_ends_and_nothing_is_lost():
    frontier = Frontier.at(Position(), 2000)
    assert frontier.merge_on()
    assert frontier.merge_on()
    before = frontier.memory[: frontier.count * WORDS].copy()
    assert not frontier.merge_on()
    assert (frontier.count, frontier.ply, frontier.total) == (400, 2, 400)
    assert (frontier.memory[: frontier.count * WORDS] == before).all()


def test_a_full_table_says_so():
    lines = np.array(record_of(Position().board), dtype=np.uint64)
    table = new_records(8)
    table.fill(0)
    assert next_ply(lines, U64(1), table, U64(8), U64(7)) == TABLE_FULL


@pytest.mark.parametrize("lines", [2, 500, 3000, 100_000])
def test_any_amount_of_memory_gives_the_same_count(lines):
    depth = 3
    frontier = merged_frontier(Position(), depth, lines)
    assert frontier.memory.nbytes <= max(lines, 1) * CACHE_LINE_BYTES
    total = np.zeros(3, dtype=np.uint64)
    table = new_records(0)
    left = U64(depth - frontier.ply)
    count_records(frontier.memory, U64(0), U64(frontier.count), left, table, U64(0), total)
    assert total.tolist() == [8902, 0, 0]


def test_the_plain_frontier_has_every_position_as_often_as_it_occurs():
    frontier = plain_frontier(Position(), 4)
    assert (frontier.ply, frontier.count, frontier.total) == (3, 8902, 8902)


def test_lines_are_aligned():
    assert new_records(3).ctypes.data % CACHE_LINE_BYTES == 0
    assert new_records(3).size == 3 * WORDS


def test_a_small_crowded_table_gives_exact_counts():
    """Every line is overwritten again and again; equal hashes never stand for equal positions."""
    table = new_records(4)
    table.fill(0)
    position = Position(FENS[1])
    depth = 3 if JIT_DISABLED else 4
    low, high = count_with_table(position.board, U64(depth), table, U64(4))
    assert (low, high) == (97_862 if JIT_DISABLED else 4_085_603, 0)


def test_counts_come_back_from_the_table():
    """Four kings' moves transpose: the second count finds all it needs."""
    table = new_records(4096)
    table.fill(0)
    board = Position(KINGS).board
    expected = slow_perft(KINGS, 4)
    for _ in range(2):
        assert count_with_table(board, U64(4), table, U64(4096)) == (expected, 0)


def test_a_busy_line_is_left_alone():
    table = new_records(1)
    table.fill(0)
    table[int(TAG)] = BUSY_TAG
    assert count_with_table(Position(KINGS).board, U64(3), table, U64(1)) == (slow_perft(KINGS, 3), 0)
    assert table[int(TAG)] == BUSY_TAG


def test_progress_is_reported():
    seen: list[CountProgress] = []
    Counter(watcher=seen.append).perft(Position(), 3)
    assert seen[-1].nodes == 8902
    assert seen[-1].share == 1.0
    assert all(progress.counting_seconds >= 0 for progress in seen)


def test_an_interruption_reports_what_was_counted():
    def press_ctrl_c(_progress):
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as interruption:
        Counter(watcher=press_ctrl_c).perft(Position(), 3 if JIT_DISABLED else 7)
    assert interruption.value.nodes >= 0


def test_a_run_stops_when_it_should():
    with pytest.raises(Interrupted) as interruption:
        Counter(threads=2, should_stop=lambda: True).perft(Position(), 4 if JIT_DISABLED else 8)
    assert interruption.value.nodes >= 0
    assert Counter(should_stop=lambda: False).perft(Position(), 3) == 8902


def test_an_interruption_while_merging(monkeypatch):
    def press_ctrl_c(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("perft.counter.merged_frontier", press_ctrl_c)
    with pytest.raises(Interrupted):
        Counter(hash_megabytes=1).perft(Position(), 3)


def test_a_failure_in_a_thread_is_not_lost(monkeypatch):
    calls = iter(range(10))

    def fail_later(*_):
        if next(calls) > 0:
            raise RuntimeError("no luck")

    monkeypatch.setattr("perft.counter.count_records", fail_later)
    with pytest.raises(RuntimeError, match="no luck"):
        Counter().perft(Position(), 3)


@pytest.mark.slow
def test_many_threads_share_a_small_table():
    rng = random.Random(3)
    for _ in range(20):
        fen = rng.choice(FENS)
        expected = Counter(threads=2).perft(Position(fen), 5)
        assert Counter(threads=8, hash_megabytes=1).perft(Position(fen), 5) == expected


def test_an_interruption_reports_the_sum_of_all_counts():
    with pytest.raises(Interrupted) as interruption, counted_before(100):
        raise Interrupted(11)
    assert interruption.value.nodes == 111
    assert str(interruption.value) == "interrupted after 111 nodes"
    with pytest.raises(Interrupted) as interruption, counted_before(100), counted_before(20):
        raise KeyboardInterrupt
    assert interruption.value.nodes == 120
    with counted_before(5):
        pass


class Records:
    """Counts that take a made-up time: each record has as many leaves as its number."""

    def __init__(self, monkeypatch, seconds_each):
        self.now, self.parts = 0.0, []
        self.seconds_each = seconds_each
        monkeypatch.setattr("perft.counter.time.perf_counter", lambda: self.now)
        monkeypatch.setattr("perft.counter.count_records", self.count)

    def count(self, _memory, first, last, _depth, _table, _slots, words):
        self.parts.append((int(first), int(last)))
        self.now += (int(last) - int(first)) * self.seconds_each
        words[0] = sum(range(int(first), int(last)))
        words[1] = 1 if first < last else 0  # beyond 64 bits


@pytest.mark.parametrize(("seconds_each", "largest"), [(1e-9, 256), (0.01, 5), (1.0, 1)])
def test_each_record_is_counted_once_in_parts_of_the_time_wanted(monkeypatch, seconds_each, largest):
    frontier, seen = plain_frontier(Position(), 3), []
    records = Records(monkeypatch, seconds_each)
    run = _Run(frontier.memory, frontier.count, 1, new_records(0))
    nodes = run.finish(Counter(watcher=seen.append))
    parts = records.parts[1:]  # the first only loads the kernel
    assert records.parts[0] == (0, 0)
    assert [first for first, _ in parts] == [0, *(last for _, last in parts[:-1])]
    assert parts[-1][1] == frontier.count
    sizes = [last - first for first, last in parts]
    assert sizes[0] == 1
    assert max(sizes) <= largest
    assert all(second <= 2 * first for first, second in itertools.pairwise(sizes))
    assert nodes == sum(range(frontier.count)) + (len(parts) << 64)
    assert (seen[-1].nodes, seen[-1].share) == (nodes, 1.0)


def test_a_stop_ends_the_threads_and_reports_what_they_counted(monkeypatch):
    frontier = plain_frontier(Position(), 4)
    records = Records(monkeypatch, 1.0)
    stopped = []

    def slow(*arguments, count=records.count):
        count(*arguments)
        if stopped:
            return
        threading.Event().wait(0.01)

    monkeypatch.setattr("perft.counter.count_records", slow)
    run = _Run(frontier.memory, frontier.count, 1, new_records(0))
    with pytest.raises(Interrupted) as interruption:
        run.finish(Counter(threads=2, should_stop=lambda: True))
    stopped.append(True)
    assert run.stopped
    assert interruption.value.nodes == run.nodes > 0
    assert 0 < run.records_done < frontier.count
