"""`teresa match`: games between two players, and what their result means."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from engine.cli.arguments import (
    MATCH_GAMES,
    MATCH_VISITS,
    add_movetime,
    add_visits,
    add_work,
    games_parser,
    positive_number,
)
from perft.exits import ending_at_once, reported

EXAMPLES = """
players: 'default' is the engine as it is; 'PUCT C=600' sets options; a weights file replaces the network; commas join
these. --engine COMMAND is any UCI engine. With --visits two Teresas play in the process, without UCI, and the same
seed gives the same games. With a clock all players run as UCI engines.

examples:
  teresa match default "PUCT C=700" --visits 400 --games 1000 --sprt 0 5
  teresa match default new.net --visits 2000 --book 8moves.epd --run FOLDER
  teresa match default --engine stockfish --set B:Hash=16 --clock 10+0.1 --games 100 --book 8moves.epd --pgn games.pgn
  teresa match default --engine stockfish --odds B:0.1 --clock 10+0.1      (B has 1 s and 0.01 s a move)
  teresa match --resume FOLDER
"""


def main(argv: Sequence[str]) -> int:
    """Play a match; -> exit status."""
    arguments = match_parser().parse_intermixed_args(argv)
    return reported("teresa match", lambda: _main(arguments))


def match_parser() -> argparse.ArgumentParser:
    """All arguments."""
    parser = games_parser("match", __doc__, EXAMPLES)
    _add_games(parser)
    _add_decisions(parser)
    parser.add_argument("--pgn", type=Path, metavar="FILE", help="write the games, with evaluations")
    add_work(parser)
    return parser


def _add_games(parser: argparse.ArgumentParser) -> None:
    """The players, how many games, how fast, from which openings. No defaults: a run that is continued has its own."""
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="the first player is A, the second B")
    parser.add_argument("--engine", action="append", default=[], metavar="COMMAND", help="a UCI engine as a player")
    parser.add_argument(
        "--set", action="append", default=[], metavar="A:NAME=VALUE", help="an option of one player, or of both (AB:)"
    )
    parser.add_argument(
        "--games", type=positive_number(int), metavar="N", help=f"at most, in pairs (default {MATCH_GAMES})"
    )
    add_visits(parser, f"for each move (default {MATCH_VISITS}, if there is no clock)")
    parser.add_argument("--clock", type=_clock, metavar="S+I", help="seconds for a game, and more for each move")
    parser.add_argument("--seconds", type=positive_number(float), metavar="S", help="for each move")
    parser.add_argument(
        "--odds", action="append", default=[], metavar="A:FACTOR", help="a player has FACTOR of that (B:0.1: a tenth)"
    )
    add_movetime(parser)
    parser.add_argument("--book", type=Path, metavar="FILE", help="openings (EPD or PGN; default: random moves)")
    parser.add_argument("--chess960", action="store_true", help="the openings of an EPD file are of Chess960")
    parser.add_argument("--seed", type=int, metavar="N", help="order of openings, random numbers of players")


def _add_decisions(parser: argparse.ArgumentParser) -> None:
    """When the match ends early, and when a game does."""
    parser.add_argument("--sprt", type=float, nargs=2, metavar="ELO", help="stop when one of two Elos is accepted")
    parser.add_argument("--alpha", type=_risk, help="largest share of false decisions for the second Elo")
    parser.add_argument("--beta", type=_risk, help="likewise for the first one (default 0.05)")
    parser.add_argument("--logistic", action="store_true", help="with --sprt: logistic Elo, not normalised")
    parser.add_argument(
        "--leave-out",
        type=float,
        nargs=2,
        metavar=("SHARE", "GAMES"),
        help="leave out machines on which more than SHARE of at least GAMES games are lost by time or crash",
    )
    parser.add_argument("--resign", type=int, nargs=2, metavar=("CP", "N"), help="lost: N moves at -CP or worse")
    parser.add_argument(
        "--draw", type=int, nargs=3, metavar=("MOVE", "CP", "N"), help="drawn: at MOVE or later, N moves within CP of 0"
    )


def _clock(text: str) -> tuple[float, float]:
    seconds, _, increment = text.partition("+")
    with suppress(ValueError):
        values = float(seconds), float(increment or 0)
        if 0 < values[0] < 1e6 and 0 <= values[1] < 1e6:
            return values
    raise argparse.ArgumentTypeError(f"{text[:40]!a} is not a clock such as 10+0.1")


def _risk(text: str) -> float:
    with suppress(ValueError):
        if 0.0 < float(text) < 0.5:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text[:40]!a} is not a number between 0 and 0.5")


def _main(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.match_run import play_match
    return play_match(arguments)
