"""`teresa review`: every move of the games in PGN files is judged."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from engine.cli.arguments import (
    SECONDS_FOR_EACH,
    add_force,
    add_game,
    add_limits,
    add_memory_and_threads,
    add_seed,
    add_weights,
    limits_from,
)
from engine.cli.termination import ended_by_signals, status_after
from perft.exits import DONE, ending_at_once, reported


def main(argv: Sequence[str]) -> int:
    """Judge games; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa review", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.progress import warm_up
        from engine.cli.review_games import GamesToReview, new_judge, open_files

    with ExitStack() as stack:
        limits = limits_from(arguments, SECONDS_FOR_EACH)
        games = GamesToReview(arguments, open_files(arguments, stack), limits)
        warm_up()
        judge = new_judge(arguments, limits)
        with ended_by_signals():
            try:
                games.judge_all(judge)
            except KeyboardInterrupt as end:
                games.end()
                print(f"teresa review: interrupted{games.how_to_resume}", file=sys.stderr)
                return status_after(end)
            except ValueError:
                games.end()
                raise
        games.end()
    return DONE


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa review", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="GAMES.pgn", help="- is standard input")
    add_game(parser, "all")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.pgn", help="write the games with evaluations and better lines"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE.svg",
        help="draw the score over the game; for several games, numbered files",
    )
    parser.add_argument("--resume", action="store_true", help="continue: keep the games that are judged in -o already")
    add_force(parser)
    add_limits(parser, SECONDS_FOR_EACH, "each position")
    add_memory_and_threads(parser)
    add_weights(parser)
    add_seed(parser, "the numbers")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return parser
