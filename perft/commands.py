"""What the options of the command line do. Each command prints its result and returns the exit status."""

import argparse
import shlex
import sys
import time

from movegen import Position
from movegen.compiler.memory import CACHE_LINE_BYTES
from movegen.fen import START_FEN
from perft.display import Display
from perft.frontier import Frontier
from perft.run import MEGABYTE, Counter, counted_before, load_kernels
from perft.status import Status
from perft.suite import Entry, read_suite

SHORTEST = 1e-6  # seconds; clocks may be coarser than a small count is long
UNIQUE_MEGABYTES = 1024  # for --unique, unless --hash says otherwise


def run(options: argparse.Namespace) -> int:
    """Do what the options say; -> exit status."""
    if options.bench:
        return run_bench(options.peers)
    if options.suite:
        return run_suites(options)
    position = Position(START_FEN if options.fen is None else options.fen, chess960=options.chess960)
    for repair in position.repairs:
        print(f"note: {repair}", file=sys.stderr)
    if options.compare:
        return run_compare(position, options)
    if options.unique:
        return run_unique(position, options.depth, options.hash or UNIQUE_MEGABYTES)
    load_kernels(options.hash > 0)
    started = time.monotonic()
    with Display() as display:
        counter = Counter(options.threads, options.hash, display.show)
        if options.divide:
            nodes = divide(counter, position, options.depth, display)
        else:
            nodes = counter.perft(position, options.depth)
    print_speed(nodes, time.monotonic() - started)
    print(f"\nNodes searched: {nodes}")
    return Status.AGREES


def print_speed(nodes: int, seconds: float) -> None:
    """Time and nodes a second, on standard error: what is printed as the result stays as Stockfish has it."""
    sys.stdout.flush()
    print(f"{seconds:,.2f} seconds, {nodes / max(seconds, SHORTEST):,.0f} nodes a second", file=sys.stderr, flush=True)


def divide(counter: Counter, position: Position, depth: int, display: Display) -> int:
    """Print the leaves of each move; -> their sum."""
    if depth == 0:
        return 1
    nodes = 0
    moves = sorted(position.legal_moves)
    for number, move in enumerate(moves):
        display.part(nodes, number / len(moves), 1 / len(moves))
        with counted_before(nodes):
            leaves = counter.perft(position.play(move), depth - 1)
            print(f"{move}: {leaves}", flush=True)
        nodes += leaves
    return nodes


def run_unique(position: Position, depth: int, megabytes: int) -> int:
    """Print the number of different positions at each ply, as far as memory allows."""
    lines = megabytes * MEGABYTE // CACHE_LINE_BYTES
    frontier = Frontier.at(position, lines)
    for ply in range(1, depth + 1):
        needed = frontier.records_needed()
        if needed > lines or not frontier.merge_on():
            raise ValueError(
                f"ply {ply} needs about {max(needed, lines + 1) * CACHE_LINE_BYTES // MEGABYTE + 1} MB, "
                f"but --hash gives {megabytes} MB"
            )
        print(f"ply {ply}: {frontier.count} different positions of {frontier.total}", flush=True)
    return Status.AGREES


def run_suites(options: argparse.Namespace) -> int:
    """Check every position of the suites; a failure prints the divide."""
    entries = [entry for name in options.suite for entry in read_suite(name, options.chess960)]
    load_kernels(options.hash > 0)
    started = time.monotonic()
    failures = checked = nodes = 0
    with Display() as display:
        counter = Counter(options.threads, options.hash, display.show)
        for number, entry in enumerate(entries):
            display.part(nodes, number / len(entries), 1 / len(entries))
            depth = entry.deepest(options.max_nodes, options.depth)
            if depth is None:
                continue
            with counted_before(nodes):
                counted = check(counter, entry, depth, display)
            nodes += counted
            checked += 1
            failures += counted != entry.counts[depth]
    print_speed(nodes, time.monotonic() - started)
    beyond = f" ({len(entries) - checked} have no count within the bounds)" if checked < len(entries) else ""
    print(f"{checked} of {len(entries)} positions checked, {failures} wrong, {nodes} nodes{beyond}")
    return Status.DIFFERS if failures else Status.AGREES


def check(counter: Counter, entry: Entry, depth: int, display: Display) -> int:
    """Check one position of a suite; -> the leaves counted."""
    try:
        position = Position(entry.fen, chess960=entry.chess960)
    except ValueError as error:
        raise ValueError(f"{entry.where}: {error}") from None
    expected, counted = entry.counts[depth], counter.perft(position, depth)
    if counted == expected:
        print(f"ok     D{depth} {counted:>14}  {entry.fen}", flush=True)
        return counted
    print(f"WRONG  D{depth} {counted:>14}  {entry.fen}\n       expected {expected} ({entry.where}); divide:")
    divide(counter, position, depth, display)
    return counted


def run_compare(position: Position, options: argparse.Namespace) -> int:
    """Compare with another program, depth by depth, and print the first difference."""
    from perft.compare import compare, opponent

    command = shlex.split(options.against) if options.against else None
    with opponent(command, options.chess960) as other:
        for depth, difference in compare(other, position, options.depth):
            if difference is not None:
                print(f"depth {depth}: differs from {other.name}\n{difference}")
                return Status.DIFFERS
            print(f"depth {depth}: agrees with {other.name}", flush=True)
    return Status.AGREES


def run_bench(peers: bool) -> int:
    """Measure and print speeds."""
    from perft.bench import bench

    for line in bench(peers):
        print(line, flush=True)
    return Status.AGREES
