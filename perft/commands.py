"""The commands of perft. Each prints its result and returns the exit status."""

import argparse
import sys
import time

from movegen import Position
from movegen.compiler.memory import CACHE_LINE_BYTES
from movegen.fen import START_FEN
from perft.command_text import words_of
from perft.counter import MEGABYTE, Counter, counted_before, load_kernels
from perft.display import Display
from perft.exits import DONE, FAILED
from perft.frontier import Frontier
from perft.suite import SuiteEntry, read_suite

SHORTEST = 1e-6  # seconds; clocks may be coarser than a small count is long
UNIQUE_MEGABYTES = 1024  # for --unique without --hash


def run(arguments: argparse.Namespace) -> int:
    """Run the command that the arguments name; -> exit status."""
    if arguments.bench:
        return run_bench(arguments.peers)
    if arguments.in_units:
        from perft.unit_commands import run_in_units

        return run_in_units(arguments, print_speed)
    if arguments.suite:
        return run_suites(arguments)
    position = Position(START_FEN if arguments.fen is None else arguments.fen, chess960=arguments.chess960)
    for repair in position.repairs:
        print(f"note: {repair}", file=sys.stderr)
    if arguments.compare:
        return run_compare(position, arguments)
    if arguments.unique:
        return run_unique(position, arguments.depth, arguments.hash or UNIQUE_MEGABYTES)
    load_kernels(arguments.hash > 0)
    started = time.monotonic()
    with Display() as display:
        counter = Counter(arguments.threads, arguments.hash, display.show)
        if arguments.divide:
            nodes = divide(counter, position, arguments.depth, display)
        else:
            nodes = counter.perft(position, arguments.depth)
    print_speed(nodes, time.monotonic() - started)
    print(f"\nNodes searched: {nodes}")
    return DONE


def print_speed(nodes: int, seconds: float) -> None:
    """Time and nodes a second, on standard error: standard output has the result in the format of Stockfish."""
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
    return DONE


def run_suites(arguments: argparse.Namespace) -> int:
    """Check every position of the suites; a failure prints the divide."""
    entries = [entry for name in arguments.suite for entry in read_suite(name, arguments.chess960)]
    load_kernels(arguments.hash > 0)
    started = time.monotonic()
    failures = checked = nodes = 0
    with Display() as display:
        counter = Counter(arguments.threads, arguments.hash, display.show)
        for number, entry in enumerate(entries):
            display.part(nodes, number / len(entries), 1 / len(entries))
            depth = entry.deepest(arguments.max_nodes, arguments.depth)
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
    return FAILED if failures else DONE


def check(counter: Counter, entry: SuiteEntry, depth: int, display: Display) -> int:
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


def run_compare(position: Position, arguments: argparse.Namespace) -> int:
    """Compare with another program, depth by depth, and print the first difference."""
    from perft.comparison import compare, other_program

    command = words_of(arguments.against) if arguments.against else None
    with other_program(command, arguments.chess960) as other:
        for depth, difference in compare(other, position, arguments.depth):
            if difference is not None:
                print(f"depth {depth}: differs from {other.name}\n{difference}")
                return FAILED
            print(f"depth {depth}: agrees with {other.name}", flush=True)
    return DONE


def run_bench(peers: bool) -> int:
    """Measure and print speeds."""
    from perft.bench import measure_speeds

    for line in measure_speeds(peers):
        print(line, flush=True)
    return DONE
