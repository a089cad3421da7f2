"""Arguments that several commands share: one name for one thing."""

import argparse
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.config.options import Options
    from engine.pgn.positions import OpenedPosition

MOST = {float: 1e6, int: 10**12}  # seconds; visits, rows, numbers of games
FLAGS = {"--hash": "Hash", "--threads": "Threads", "--seed": "Seed", "--elo": "UCI_Elo"}


def positive(kind: type[int] | type[float]) -> Any:
    """Reads a number above 0, for argparse."""

    def read(text: str) -> float:
        number = kind(text)
        if math.isnan(number) or number <= 0:
            raise argparse.ArgumentTypeError("must be more than 0")
        if number > MOST[kind]:
            raise argparse.ArgumentTypeError(f"must be at most {MOST[kind]:,.0f}")
        return number

    read.__name__ = "number"
    return read


def _from_milliseconds(text: str) -> float:
    return float(positive(int)(text)) / 1000


_from_milliseconds.__name__ = "number"


def add_limits(parser: argparse.ArgumentParser, seconds: float, what: str, *, old_names: bool = False) -> None:
    """`--seconds` and `--visits`; `old_names` adds `--movetime MS` and `--nodes N`, which mean the same."""
    parser.add_argument("--seconds", type=positive(float), help=f"for {what} (default {seconds:g})")
    names = ["--visits", "--nodes"] if old_names else ["--visits"]
    parser.add_argument(
        *names, dest="visits", type=positive(int), metavar="N", help=f"for {what}, instead of or besides --seconds"
    )
    if old_names:
        parser.add_argument(
            "--movetime", dest="seconds", type=_from_milliseconds, metavar="MS", help="the same as --seconds, in ms"
        )


def seconds_of(options: argparse.Namespace, default: float) -> float | None:
    """The seconds that were wished; if nothing was wished, the default."""
    wished: float | None = options.seconds
    return default if wished is None and options.visits is None else wished


def add_position(parser: argparse.ArgumentParser, *, chess960: bool = True) -> None:
    """A FEN, or a game in a file."""
    parser.add_argument(
        "position",
        nargs="*",
        help="a FEN, or a PGN file (- is standard input), of which the last position; default: the start",
    )
    add_game(parser)
    parser.add_argument("--ply", type=int, metavar="N", help="of a PGN file: the position after N half-moves")
    if chess960:
        parser.add_argument("--chess960", action="store_true", help="Chess960 castling rules")


def add_game(parser: argparse.ArgumentParser, default: str = "the first") -> None:
    """Which game of a file, and how to read it."""
    parser.add_argument("--game", type=positive(int), metavar="N", help=f"of a PGN file: game N (default: {default})")
    parser.add_argument(
        "--encoding", metavar="NAME", help="of a PGN file, as latin-1 (default: found by looking at it)"
    )


def position_from(options: argparse.Namespace) -> "OpenedPosition":
    """The position that was asked for; `ValueError` says what is wrong with it."""
    from engine.pgn.positions import read_position

    return read_position(
        " ".join(options.position),
        chess960=options.chess960,
        game=options.game,
        ply=options.ply,
        encoding=options.encoding,
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Whether files of others may be replaced."""
    parser.add_argument("--force", action="store_true", help="overwrite files, whatever is in them")


def engine_options(options: argparse.Namespace, besides: Mapping[str, str] = MappingProxyType({})) -> "Options":
    """The engine's options from `--hash`, `--threads`, `--seed` and `--elo`; a `ValueError` names the argument."""
    from engine.config.options import Options

    settings = Options()
    for name, text in besides.items():
        settings.set(name, text)
    for flag, name in FLAGS.items():
        value = getattr(options, flag[2:], None)
        if value is None:
            continue
        try:
            settings.set(name, str(value))
        except ValueError as error:
            raise ValueError(f"{flag}: {error}") from None
    return settings
