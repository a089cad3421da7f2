"""The perft command line: `python -m perft 6`, also as `teresa perft 6`."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perft.exits import ending_at_once, reported, run_as_program
from perft.status import Status

if TYPE_CHECKING:
    import argparse

EPILOG = """
examples:
  perft 6                              the start position, all cores
  perft 5 --divide "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
  perft 9 --hash 1024                  deep: equal positions are merged and remembered
  perft --suite standard chess960 --max-nodes 5000000
  perft 4 --compare                    against python-chess, move by move
  perft 5 --compare --against stockfish

Time and nodes a second go to standard error.
exit status: 0 counted, or all agrees; 1 a difference; 2 bad input; 130 interrupted; 141 the output was closed
"""


def parser(program: str) -> "argparse.ArgumentParser":
    """All options."""
    import argparse

    options = argparse.ArgumentParser(
        prog=program,
        description="Count the leaves of the tree of legal moves, and check them against others.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("depth", metavar="DEPTH", nargs="?", type=_depth, help="plies to count (0 to 99)")
    options.add_argument("position", metavar="FEN", nargs="*", help="the position (default: the start position)")
    options.add_argument("--fen", help="the position, said in another way")
    options.add_argument("--chess960", action="store_true", help="castling as in Chess960, written as king takes rook")
    options.add_argument(
        "--threads", metavar="N", type=_threads, default=_cores(), help="default: all cores (%(default)s)"
    )
    options.add_argument("--hash", metavar="MB", type=_megabytes, default=0, help="memory for merging and remembering")
    kinds = options.add_mutually_exclusive_group()
    kinds.add_argument("--divide", action="store_true", help="print the leaves of each move")
    kinds.add_argument("--unique", action="store_true", help="count the different positions at each ply")
    kinds.add_argument("--suite", metavar="FILE", nargs="+", help="check EPD files, or 'standard' and 'chess960'")
    kinds.add_argument("--compare", action="store_true", help="find the first difference to python-chess")
    kinds.add_argument("--bench", action="store_true", help="measure the speed")
    options.add_argument("--max-nodes", metavar="N", type=_positive, help="with --suite: check no larger counts")
    options.add_argument("--against", metavar="COMMAND", help="with --compare: a UCI engine that knows 'go perft'")
    options.add_argument("--peers", action="store_true", help="with --bench: python-chess and Stockfish too")
    return options


def main(arguments: Sequence[str] | None = None, program: str = "python -m perft") -> int:
    """Run the command; -> exit status. Ctrl-C while it loads, and a closed pipe, are met by `run_as_program`."""
    return reported(program, lambda: _run(_parse(arguments, program)))


def _parse(arguments: Sequence[str] | None, program: str) -> "argparse.Namespace":
    options_parser = parser(program)
    options = options_parser.parse_intermixed_args(arguments)
    if options.depth is None and not (options.suite or options.bench):
        options_parser.error("DEPTH is missing")
    for option, needed in (("max_nodes", "suite"), ("against", "compare"), ("peers", "bench")):
        if getattr(options, option) and not getattr(options, needed):
            options_parser.error(f"--{option.replace('_', '-')} goes with --{needed}")
    if options.position and options.fen is not None:
        options_parser.error("the position is given twice")
    if options.position:
        options.fen = " ".join(options.position)
    return options


def _run(options: "argparse.Namespace") -> int:
    with ending_at_once():
        from perft import commands
        from perft.run import Interrupted

    try:
        return commands.run(options)
    except MemoryError:
        raise ValueError(f"not enough memory for --hash {options.hash}") from None
    except Interrupted as interruption:
        print(f"\nInterrupted. Nodes counted so far: {interruption.nodes}", flush=True)
        return Status.INTERRUPTED
    finally:
        sys.stdout.flush()


def _whole_number(text: str, lowest: int, highest: int) -> int:
    from argparse import ArgumentTypeError

    if not text.isascii() or not text.isdigit() or len(text) > 18 or not lowest <= int(text) <= highest:
        raise ArgumentTypeError(f"{text[:40]!a} is not a whole number from {lowest} to {highest}")
    return int(text)


def _depth(text: str) -> int:
    return _whole_number(text, 0, 99)


def _threads(text: str) -> int:
    return _whole_number(text, 1, 1024)


def _megabytes(text: str) -> int:
    return _whole_number(text, 0, 1 << 24)


def _positive(text: str) -> int:
    return _whole_number(text, 1, 10**18)


def _cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(run_as_program("perft", main))
