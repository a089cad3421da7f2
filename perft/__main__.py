"""The perft command line: `python -m perft 6`, also as `teresa perft 6`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perft.exits import INTERRUPTED, ending_at_once, reported, run_as_program
from perft.processors import processors

if TYPE_CHECKING:
    import argparse

COUNTED = (
    "suite",
    "fen",
    "position",
    "divide",
    "hash",
    "chess960",
    "max_nodes",
)  # what a run depends on, and the depth

EPILOG = """
examples:
  perft 6                              the start position, all cores
  perft 5 --divide "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
  perft 9 --hash 1024                  deep: equal positions are merged, counts are stored
  perft --suite standard chess960 --max-nodes 5000000
  perft 4 --compare                    against python-chess, move by move
  perft 5 --compare --against stockfish
  perft 10 --hash 4096 --run FOLDER    in units: --resume FOLDER continues after an interruption
  perft 10 --hash 4096 --cluster tls://host:8786

Time and nodes per second are printed on standard error.
exit status: 0 counted, or all agrees; 1 a difference; 2 bad input; 130 interrupted; 141 reader of the output gone
"""


def new_parser(program: str) -> "argparse.ArgumentParser":
    """All arguments."""
    import argparse

    from perft.runner.arguments import add_run_arguments

    parser = argparse.ArgumentParser(
        prog=program,
        description="Count the leaves of the tree of legal moves, and check them against others.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("depth", metavar="DEPTH", nargs="?", type=_depth, help="plies to count (0 to 99)")
    parser.add_argument("position", metavar="FEN", nargs="*", help="the position (default: the start position)")
    parser.add_argument("--fen", help="the same as FEN, as an option")
    parser.add_argument("--chess960", action="store_true", help="Chess960 rules; castling is king takes rook")
    parser.add_argument(
        "--threads", metavar="N", type=_threads, default=processors(), help="default: all cores (%(default)s)"
    )
    parser.add_argument(
        "--hash", metavar="MB", type=_megabytes, default=0, help="memory to merge positions and store counts"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--divide", action="store_true", help="print the leaves of each move")
    kinds.add_argument("--unique", action="store_true", help="count the different positions at each ply")
    kinds.add_argument("--suite", metavar="FILE", nargs="+", help="check EPD files, or 'standard' and 'chess960'")
    kinds.add_argument("--compare", action="store_true", help="find the first difference from python-chess")
    kinds.add_argument("--bench", action="store_true", help="measure the speed")
    parser.add_argument("--max-nodes", metavar="N", type=_positive, help="with --suite: check no larger counts")
    parser.add_argument("--against", metavar="COMMAND", help="with --compare: a UCI engine that knows 'go perft'")
    parser.add_argument("--peers", action="store_true", help="with --bench: python-chess and Stockfish too")
    add_run_arguments(parser)
    return parser


def main(argv: Sequence[str] | None = None, program: str = "python -m perft") -> int:
    """Run the command; -> exit status. `run_as_program` handles Ctrl-C while it loads, and a closed pipe."""
    return reported(program, lambda: _run(_parse(argv, program)))


def _parse(argv: Sequence[str] | None, program: str) -> "argparse.Namespace":
    parser = new_parser(program)
    arguments = parser.parse_intermixed_args(argv)
    if arguments.depth is None and not (arguments.suite or arguments.bench or arguments.resume):
        parser.error("DEPTH is missing")
    _check_run(parser, arguments)
    for name, needed in (("max_nodes", "suite"), ("against", "compare"), ("peers", "bench")):
        if getattr(arguments, name) and not getattr(arguments, needed):
            parser.error(f"--{name.replace('_', '-')} goes with --{needed}")
    if arguments.position and arguments.fen is not None:
        parser.error("the position is given twice")
    if arguments.position:
        arguments.fen = " ".join(arguments.position)
    return arguments


def _check_run(parser: "argparse.ArgumentParser", arguments: "argparse.Namespace") -> None:
    """Options of units go with counts and suites; a run that is continued knows what it counts."""
    from perft.runner.arguments import RunOptions

    options = RunOptions.of(arguments)
    arguments.in_units = options.in_units
    if options.error is not None:
        parser.error(options.error)
    for name in ("unique", "compare", "bench"):
        if options.in_units and getattr(arguments, name):
            parser.error(f"--{name} cannot run in units")
    is_given = arguments.depth is not None or any(getattr(arguments, name) for name in COUNTED)
    if options.resume is not None and is_given:
        parser.error("--resume continues a run as it was started: leave out what it counts")


def _run(arguments: "argparse.Namespace") -> int:
    with ending_at_once():
        from perft import commands
        from perft.counter import Interrupted

    try:
        return commands.run(arguments)
    except MemoryError:
        raise ValueError(f"not enough memory for --hash {arguments.hash}") from None
    except Interrupted as interruption:
        print(f"\nInterrupted. Nodes counted so far: {interruption.nodes}", flush=True)
        return INTERRUPTED
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


if __name__ == "__main__":
    sys.exit(run_as_program("perft", main))
