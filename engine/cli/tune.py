"""`teresa tune`: constants of the search by games between different settings."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.cli.arguments import GATE_GAMES, add_work, games_parser, positive_number
from perft.exits import ending_at_once, reported

FILE_FORMAT = """
the file (TOML):
  method = "random"       # both players of a pair have random settings; or "spsa", for many constants, without curves
  visits = 400            # for each move
  games = 2000
  seed = 1
  book = "8moves.epd"     # openings (EPD or PGN); without it random moves
  [options]               # of both players
  "Root Temperature" = 5000
  [[constant]]
  name = "PUCT C"         # an option with a number; its present value must lie in the range
  low = 300
  high = 1200
  scale = "log"           # or "linear", with step = the difference that slopes are for
also: resign = [800, 4], draw = [40, 10, 8] as for teresa match, round = 16 (pairs between two moves of SPSA)

examples:
  teresa tune constants.toml --run FOLDER --picture slopes.svg --gate 0 5
  teresa tune --resume FOLDER
"""


def main(argv: Sequence[str]) -> int:
    """Tune; -> exit status."""
    arguments = tune_parser().parse_args(argv)
    return reported("teresa tune", lambda: _main(arguments))


def tune_parser() -> argparse.ArgumentParser:
    """All arguments."""
    parser = games_parser("tune", __doc__, FILE_FORMAT)
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="constants, ranges and games")
    parser.add_argument(
        "--gate", type=float, nargs=2, metavar="ELO", help="test the proposed setting against the present one (SPRT)"
    )
    parser.add_argument("--gate-games", type=positive_number(int), metavar="N", help=f"at most (default {GATE_GAMES})")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", help="write the curves of the constants as SVG (not with SPSA)"
    )
    add_work(parser)
    return parser


def _main(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.tune_run import run_tuning
    return run_tuning(arguments)
