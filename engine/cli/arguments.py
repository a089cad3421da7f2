"""Arguments that several commands share, and what they mean: limits, positions, the engine's options."""

import argparse
import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.config.options import Options
from perft.runner.arguments import add_run_arguments

if TYPE_CHECKING:
    from engine.pgn.positions import AskedPosition
    from engine.review.plan import Plan
    from engine.search.clock import Limits
    from movegen import Position

SECONDS_FOR_EACH = 1.0  # position or move, unless other limits are given
MATCH_VISITS = 400  # for each move of a match, unless other limits are given
MATCH_GAMES = 100
GATE_GAMES = 10_000  # at most, of the test that `teresa tune --gate` plays
LEAST_VISITS_OF_LABEL = 16  # of a node that `train generate --teacher-net` labels
MOST = {float: 1e6, int: 10**12}  # seconds; visits, rows, numbers of games
OPTION_OF_FLAG = {
    "--hash": "Hash",
    "--threads": "Threads",
    "--seed": "Seed",
    "--elo": "UCI_Elo",
    "--formula": "Formula",
    "--evaluator": "Evaluator",
    "--weights": "EvalFile",
}


# Limits


def positive_number(kind: type[int] | type[float]) -> Any:
    """Return a reader of numbers above 0, for argparse."""

    def read(text: str) -> float:
        number = kind(text)
        if (isinstance(number, float) and math.isnan(number)) or number <= 0:  # large whole numbers are no floats
            raise argparse.ArgumentTypeError("must be more than 0")
        if number > MOST[kind]:
            raise argparse.ArgumentTypeError(f"must be at most {MOST[kind]:,.0f}")
        return number

    read.__name__ = "number"
    return read


def _from_milliseconds(text: str) -> float:
    return float(positive_number(int)(text)) / 1000


_from_milliseconds.__name__ = "number"


def add_limits(parser: argparse.ArgumentParser, default: float | str, what: str, *, old_names: bool = False) -> None:
    """`--seconds` and `--visits`; `old_names` adds `--movetime MS` and `--nodes N`, which mean the same.

    `default`: the seconds, or a text for the help; `what`: the limits are for this.
    """
    text = default if isinstance(default, str) else f"{default:g}"
    parser.add_argument("--seconds", type=positive_number(float), help=f"for {what} (default {text})")
    if old_names:
        add_movetime(parser)
    add_visits(parser, f"for {what}, instead of or besides --seconds", old_name=old_names)


def add_movetime(parser: argparse.ArgumentParser) -> None:
    """`--movetime`: in milliseconds, as in UCI."""
    parser.add_argument(
        "--movetime", dest="seconds", type=_from_milliseconds, metavar="MS", help="the same as --seconds, in ms"
    )


def add_visits(
    parser: argparse.ArgumentParser, text: str, default: int | None = None, *, old_name: bool = False
) -> None:
    """`--visits`; `old_name` adds `--nodes`, which means the same."""
    names = ["--visits", "--nodes"] if old_name else ["--visits"]
    parser.add_argument(*names, dest="visits", type=positive_number(int), default=default, metavar="N", help=text)


def seconds_of(arguments: argparse.Namespace, default: float) -> float | None:
    """The seconds that were asked for; the default if there are neither seconds nor visits."""
    seconds: float | None = arguments.seconds
    return default if seconds is None and arguments.visits is None else seconds


def limits_from(arguments: argparse.Namespace, default: float) -> "Limits":
    """`--seconds` and `--visits` as a search takes them."""
    from engine.search.clock import limits_of

    return limits_of(seconds_of(arguments, default), arguments.visits)


def plan_from(arguments: argparse.Namespace) -> "Plan":
    """How a game is judged: by `--seconds` and `--visits`, or as usual."""
    from engine.review.plan import Plan
    from engine.search.clock import limits_of

    if arguments.seconds is None and arguments.visits is None:
        return Plan.default()
    return Plan.of(limits_of(arguments.seconds, arguments.visits))


# Positions and files


def add_position(
    parser: argparse.ArgumentParser, *, chess960: bool = True, of_game: str = "of which the last position"
) -> None:
    """A FEN, or a game in a file; `of_game`: what is taken of a game."""
    parser.add_argument(
        "position",
        nargs="*",
        help=f"a FEN, or a PGN file (- is standard input), {of_game}; default: the start",
    )
    add_game(parser)
    parser.add_argument("--ply", type=int, metavar="N", help="of a PGN file: the position after N half-moves")
    if chess960:
        parser.add_argument("--chess960", action="store_true", help="Chess960 castling rules")


def add_game(parser: argparse.ArgumentParser, default: str = "the first") -> None:
    """Which game of a file, and how to read it."""
    parser.add_argument(
        "--game", type=positive_number(int), metavar="N", help=f"of a PGN file: game N (default: {default})"
    )
    parser.add_argument("--encoding", metavar="NAME", help="of a PGN file, such as latin-1 (default: detected)")


def asked_position(arguments: argparse.Namespace, *, chess960: bool, fen: str = "") -> "AskedPosition":
    """The position that was asked for, before anything is compiled; `ValueError` says what is wrong with it."""
    from engine.pgn.positions import find_position

    return find_position(
        fen or " ".join(arguments.position),
        chess960=chess960,
        game=arguments.game,
        ply=arguments.ply,
        encoding=arguments.encoding,
    )


def opened(asked: "AskedPosition") -> "Position":
    """The position that was asked for, with a remark on standard error."""
    position, remark = asked.open()
    if remark:
        print(remark, file=sys.stderr)
    return position


def games_parser(command: str, description: str | None, epilog: str) -> argparse.ArgumentParser:
    """The parser of a command that plays games in units."""
    return argparse.ArgumentParser(
        prog=f"teresa {command}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_work(parser: argparse.ArgumentParser) -> None:
    """How a command plays its games, and prints what they show."""
    parser.add_argument(
        "--workers", type=positive_number(int), metavar="N", help="games at a time (default: processors)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_force(parser)
    add_run_arguments(parser)


def add_force(parser: argparse.ArgumentParser, text: str = "overwrite files, whatever is in them") -> None:
    """Whether files of others may be replaced."""
    parser.add_argument("--force", action="store_true", help=text)


# The engine's options


def add_memory_and_threads(parser: argparse.ArgumentParser) -> None:
    """`--hash` and `--threads`."""
    parser.add_argument(
        "--hash",
        type=int,
        default=Options.hash_megabytes,
        metavar="MB",
        help="memory of the tree (default %(default)s)",
    )
    parser.add_argument(
        "--threads", type=int, default=Options.threads, metavar="N", help="threads that search (default %(default)s)"
    )


def add_weights(
    parser: argparse.ArgumentParser, text: str = "a weights file: of Teresa, of lc0 or Maia, or ONNX"
) -> None:
    """`--weights`."""
    parser.add_argument("--weights", metavar="FILE", help=text)


def add_seed(parser: argparse.ArgumentParser, what: str) -> None:
    """`--seed`; `what` is reproducible with it."""
    parser.add_argument(
        "--seed", type=int, default=Options.seed, metavar="N", help=f"not 0: with --visits {what} are reproducible"
    )


def add_formula(parser: argparse.ArgumentParser) -> None:
    """`--formula` and `--evaluator`."""
    parser.add_argument("--formula", type=str.upper, choices=("PUCT", "UCB1"), default=Options.formula)
    parser.add_argument("--evaluator", type=str.capitalize, choices=("Network", "Playout"), default=Options.evaluator)


def engine_options(arguments: argparse.Namespace, defaults: Options | None = None) -> Options:
    """The engine's options from the arguments in `OPTION_OF_FLAG`; a `ValueError` names the argument."""
    options = replace(defaults) if defaults else Options()
    for flag, name in OPTION_OF_FLAG.items():
        value = getattr(arguments, flag[2:], None)
        if value is None:
            continue
        try:
            options.set(name, str(value))
        except ValueError as error:
            raise ValueError(f"{flag}: {error}") from None
    options.limit_strength = getattr(arguments, "elo", None) is not None
    return options
