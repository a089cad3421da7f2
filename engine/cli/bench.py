"""`teresa bench`: search some positions with a fixed seed; the signature changes only if the search does."""

import argparse
import sys
from collections.abc import Sequence

from engine.bench import VISITS, search_all, speeds
from engine.cli.arguments import positive
from engine.warmup import ensure_warm

VISITS_FOR_SPEEDS = 200_000


def main(arguments: Sequence[str]) -> int:
    """Run the bench; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa bench", description=__doc__)
    what = f"for each position (default {VISITS})"
    parser.add_argument("--visits", "--nodes", type=positive(int), default=VISITS, metavar="N", help=what)
    parser.add_argument("--speeds", action="store_true", help="instead: speeds by formula and evaluator")
    options = parser.parse_args(arguments)
    ensure_warm()
    for line in speeds(VISITS_FOR_SPEEDS) if options.speeds else search_all(options.visits):
        print(line)
        sys.stdout.flush()
    return 0
