"""`teresa play`: a game against Teresa in the terminal."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.arguments import (
    SECONDS_FOR_EACH,
    add_limits,
    add_memory_and_threads,
    add_position,
    add_seed,
    add_weights,
    limits_from,
)
from engine.cli.play import ANY_START
from engine.cli.termination import ended_by_signals, signals_ignored, status_after
from perft.exits import DONE, ending_at_once, reported

if TYPE_CHECKING:
    from engine.cli.play.game_loop import GameLoop


def main(argv: Sequence[str]) -> int:
    """Play; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa play", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.play.start import find_start, new_loop
        from engine.cli.progress import warm_up

    limits, start = limits_from(arguments, SECONDS_FOR_EACH), find_start(arguments)
    warm_up()
    loop = new_loop(arguments, start, limits)
    with ended_by_signals():
        return _play(loop)


def _play(loop: "GameLoop") -> int:
    """Play until the user leaves, or until a signal comes; the game is saved. -> exit status"""
    try:
        try:
            loop.run()
        except (EOFError, OSError):  # the terminal or the pipe is closed, or the disk behind it is full
            loop.leave(after_prompt=True)
    except KeyboardInterrupt as end:  # perhaps while the game was being saved
        with signals_ignored():
            loop.leave(after_prompt=True)
        return status_after(end)
    return DONE


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa play", description=__doc__)
    add_position(parser, chess960=False)
    parser.add_argument("--fen", help=argparse.SUPPRESS)  # an older name
    parser.add_argument("--elo", type=int, metavar="N", help="Teresa's rating (default: full strength)")
    parser.add_argument(
        "--maia",
        type=int,
        metavar="N",
        help="play as people rated N do: with the Maia network of that rating, 1100 to 1900",
    )
    add_weights(parser, "a weights file: of Teresa, of lc0 or Maia, or ONNX; with --maia also the folder of such files")
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="randomness of Teresa's moves: 0 none (default), 1 as it weighs them",
    )
    add_limits(parser, SECONDS_FOR_EACH, "each move of Teresa; with --maia: no search")
    parser.add_argument(
        "--colour", "--color", choices=("white", "black", "random"), help="the colour you play (default white)"
    )
    parser.add_argument(
        "--chess960", type=_start_number, nargs="?", const=ANY_START, metavar="NUMBER", help="start 0 to 959; else any"
    )
    parser.add_argument("--resume", metavar="FILE.pgn", help="continue the last game of a file, or game N with --game")
    parser.add_argument("--name", default="Human", help="your name in the PGN (default %(default)s)")
    parser.add_argument(
        "--pieces", choices=("auto", "unicode", "letters"), default="auto", help="how to show them (default auto)"
    )
    add_memory_and_threads(parser)
    add_seed(parser, "Teresa's moves")
    return parser


def _start_number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 959:
        raise argparse.ArgumentTypeError("the starts have the numbers 0 to 959")
    return number
