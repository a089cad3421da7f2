"""`teresa review`: every move of the games in PGN files is judged."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import (
    add_force,
    add_game,
    add_limits,
    add_memory_and_threads,
    add_seed,
    add_weights,
    engine_options,
    plan_from,
)
from engine.cli.termination import ended_by_signals, status_after
from perft.exits import DONE, ending_at_once, reported

if TYPE_CHECKING:
    from engine.review.plan import Plan


def main(argv: Sequence[str]) -> int:
    """Judge games; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa review", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.progress import warm_up
        from engine.cli.review_games import GamesToReview, new_judge, open_files

    plan = plan_from(arguments)
    if arguments.explore:
        return _explore(arguments, plan)
    with ExitStack() as stack:
        games = GamesToReview(arguments, open_files(arguments, stack), plan)
        warm_up()
        judge = new_judge(arguments, plan)
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


def _explore(arguments: argparse.Namespace, plan: "Plan") -> int:
    """The same in the browser."""
    for name in ("output", "picture", "resume", "json", "fresh"):
        if getattr(arguments, name):
            raise ValueError(f"--{name} is not for --explore: the page judges and saves by itself")
    if len(arguments.files) > 1:
        raise ValueError("--explore is for one file")
    path, options = arguments.files[0], engine_options(arguments)
    with ending_at_once():
        from engine.cli.explore_game import explore_game

    return explore_game(path, game=arguments.game, plan=plan, encoding=arguments.encoding, options=options)


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
    parser.add_argument("--fresh", action="store_true", help="judge again what was judged and kept before")
    parser.add_argument("--explore", action="store_true", help="show the game in the browser, judged there")
    add_limits(parser, "some visits, and more where the game turns", "each position")
    add_memory_and_threads(parser)
    add_weights(parser)
    add_seed(parser, "the numbers")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return parser
