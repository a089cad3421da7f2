"""`teresa bench`: search some positions with a fixed seed; the signature changes only if the search does."""

import argparse
from collections.abc import Sequence

from engine.bench import VISITS, search_all, speeds
from engine.cli.arguments import add_visits
from engine.cli.progress import warm_up
from perft.exits import DONE

VISITS_FOR_SPEEDS = 200_000


def main(argv: Sequence[str]) -> int:
    """Run the bench; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa bench", description=__doc__)
    add_visits(parser, "for each position (default %(default)s)", VISITS, old_name=True)
    parser.add_argument("--speeds", action="store_true", help="instead: speeds by formula and evaluator")
    arguments = parser.parse_args(argv)
    warm_up()
    for line in speeds(VISITS_FOR_SPEEDS) if arguments.speeds else search_all(arguments.visits):
        print(line, flush=True)
    return DONE
