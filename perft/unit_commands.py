"""Counts in units: on a cluster, or with a folder from which they can be continued. Each prints its result."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from movegen import Position
from movegen.compiler.memory import CACHE_LINE_BYTES
from perft.command_text import quoted
from perft.count_units import (
    Part,
    free_table,
    parts_of,
    positions_per_unit,
    published_leaves,
    slices_of,
    unit_of_entry,
)
from perft.counter import MEGABYTE, load_kernels
from perft.exits import DONE, FAILED, INTERRUPTED
from perft.runner.runner import Stopped
from perft.suite import SuiteEntry, read_suite
from perft.unit_run import UnitRun


def run_in_units(arguments: argparse.Namespace, print_speed: Callable[[int, float], None]) -> int:
    """Count in units, as the arguments say; -> exit status."""
    run = UnitRun(arguments)
    try:
        with run:
            load_kernels(run.plan.hash > 0)
            started = time.monotonic()
            nodes, is_right = count_suite(run) if run.plan.suite else count_leaves_below(run)
            if run.header is None or run.counted_now:
                print_speed(run.counted_now, time.monotonic() - started)
    except Stopped as stopped:
        print(f"\nStopped: {stopped}.", *continued_by(run.folder), flush=True)
        return INTERRUPTED
    except KeyboardInterrupt:
        print("\nInterrupted.", *continued_by(run.folder), flush=True)
        return INTERRUPTED
    if not run.plan.suite:
        print(f"\nNodes searched: {nodes}")
    return DONE if is_right else FAILED


def continued_by(folder: Path | None) -> list[str]:
    """How to go on."""
    is_begun = folder is not None and folder.exists()
    return [f"Continue with: --resume {quoted(str(folder))}"] if is_begun else []


def count_leaves_below(run: UnitRun) -> tuple[int, bool]:
    """Count the leaves of a position; -> their number."""
    plan = run.plan
    position = Position(plan.fen, chess960=plan.chess960)
    for repair in position.repairs:
        print(f"note: {repair}", file=sys.stderr)
    if not plan.depth:
        return 1, True
    workers = 0 if plan.per_unit else run.workers_now()  # connects first: merging may take minutes
    parts = parts_of(position, plan.depth, plan.hash, divide=plan.divide)
    per_unit = plan.per_unit or positions_per_unit(parts, workers)
    units = [list(slices_of(part, per_unit)) for part in parts]
    used = sum(part.frontier.count for part in parts) * CACHE_LINE_BYTES // MEGABYTE
    all_units = [unit for some in units for unit in some]
    values = iter(run.results(all_units, replace(plan, per_unit=per_unit), used, lambda: free_table(parts)))
    nodes = sum(_total(part, [next(values) for _ in some]) for part, some in zip(parts, units, strict=True))
    return nodes, _is_as_published(run, position, nodes)


def _is_as_published(run: UnitRun, position: Position, nodes: int) -> bool:
    """Is the result the one that others have published, if there is one?"""
    published = published_leaves(position, run.plan.depth or 0)
    if published in (None, nodes):
        return True
    found_by = f"; --resume {quoted(str(run.folder))} --verify 1 finds it" if run.folder else ""
    print(f"{published} leaves are published: a worker has counted wrongly{found_by}", file=sys.stderr)
    return False


def _total(part: Part, values: list[int]) -> int:
    """The leaves of a part, printed if it is that of a root move."""
    if part.move is not None:
        print(f"{part.move}: {sum(values)}", flush=True)
    return sum(values)


def count_suite(run: UnitRun) -> tuple[int, bool]:
    """Check the positions of suites; -> the leaves counted, and whether all are right."""
    plan = run.plan
    entries = [entry for name in plan.suite for entry in read_suite(name, plan.chess960)]
    depths = [entry.deepest(plan.max_nodes, plan.depth) for entry in entries]
    checked = [(entry, depth) for entry, depth in zip(entries, depths, strict=True) if depth is not None]
    counts = run.results([unit_of_entry(entry, depth) for entry, depth in checked], plan)
    wrong = sum(not _is_right(entry, depth, count) for (entry, depth), count in zip(checked, counts, strict=True))
    beyond = f" ({len(entries) - len(checked)} have no count within the bounds)" if len(checked) < len(entries) else ""
    print(f"{len(checked)} of {len(entries)} positions checked, {wrong} wrong, {sum(counts)} nodes{beyond}")
    return sum(counts), wrong == 0


def _is_right(entry: SuiteEntry, depth: int, count: int) -> bool:
    expected = entry.counts[depth]
    print(f"{'ok    ' if count == expected else 'WRONG '} D{depth} {count:>14}  {entry.fen}", flush=True)
    if count != expected:
        print(f"       expected {expected} ({entry.where})")
    return count == expected
