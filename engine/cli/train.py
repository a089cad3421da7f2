"""`teresa train`: the arguments of its commands. `train_runs` does the work, `train_data` that of stores."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.cli.arguments import LEAST_VISITS_OF_LABEL, add_force, positive_number
from engine.cli.loop_arguments import add_loop
from perft.exits import INTERRUPTED, ending_at_once, reported
from perft.runner.arguments import add_run_arguments

DESCRIPTION = "Make the network: labelled games, the fit, its figures, the weights file."
RESUMABLE = ("generate", "fit", "loop")

NET_OPTIONS = {
    "hidden": "hidden units, a multiple of 32",
    "batch": "positions a step",
    "rate": "highest learning rate",
    "decay": "weight decay",
    "early-passes": "passes over value-only games first",
    "passes": "passes over all games with labels for this net",
    "final-passes": "passes over games whose moves are labels, at the end",
}
NET_DEFAULTS: dict[str, dict[str, Any]] = {
    "value": dict(zip(NET_OPTIONS, (512, 8192, 2e-3, 0.1, 0, 3, 3), strict=True)),
    "policy": dict(zip(NET_OPTIONS, (256, 4096, 2e-3, 0.05, 0, 4, 0), strict=True)),
}


def main(argv: Sequence[str]) -> int:
    """Run a command of `teresa train`; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa train", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    add_generate(commands.add_parser("generate", help="let a UCI engine or Teresa play and label games"))
    add_data(commands.add_parser("data", help="keep labelled games in a store: list, add, check, merge, thin"))
    add_compact(commands.add_parser("compact", help="visits of self-play in less than a tenth of their bytes"))
    add_fit(commands.add_parser("fit", help="train value and policy on labelled games"))
    add_evaluate(commands.add_parser("evaluate", help="figures of a network on labelled games"))
    add_export(commands.add_parser("export", help="quantise a fit and write the weights file"))
    add_loop(commands.add_parser("loop", help="all of it again and again: a better net from round to round"))
    arguments = parser.parse_args(argv)
    try:
        return reported(f"teresa train {arguments.command}", lambda: _run(arguments))
    except KeyboardInterrupt:
        how_to_resume = "; the same command goes on" if arguments.command in RESUMABLE else ""
        print(f"teresa train {arguments.command}: interrupted{how_to_resume}", file=sys.stderr)
        return INTERRUPTED


def _run(arguments: argparse.Namespace) -> int:
    with ending_at_once():  # numba takes a while to load
        from engine.cli.loop_run import run_loop
        from engine.cli.train_data import run_data
        from engine.cli.train_runs import RUNS

    if arguments.command == "data":
        return run_data(arguments)
    if arguments.command == "loop":
        return run_loop(arguments)
    return RUNS[arguments.command](arguments)


def add_generate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `generate`."""
    parser.add_argument("output", type=Path, help="viriformat file to write, or a store to add it to")
    teacher = parser.add_mutually_exclusive_group()
    teacher.add_argument("--teacher", default="stockfish", help="command of a UCI engine (default: stockfish)")
    teacher.add_argument(
        "--self-play", action="store_true", help="Teresa plays against itself; visit counts go into a second file"
    )
    teacher.add_argument(
        "--teacher-net",
        type=Path,
        metavar="NET",
        help="a net of Stockfish 15 to 17.1 (`export_net`) at the leaves of Teresa's search, whose nodes are labelled",
    )
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive_number(int), help="for the search that labels a position")
    limit.add_argument("--depth", type=positive_number(int), help="of that search, instead of --nodes")
    limit.add_argument("--visits", type=positive_number(int), help="of a search: self-play, --teacher-net")
    parser.add_argument(
        "--least-visits",
        type=positive_number(int),
        metavar="N",
        help=f"--teacher-net: of a node that is labelled (default: {LEAST_VISITS_OF_LABEL})",
    )
    parser.add_argument(
        "--of-trees",
        type=positive_number(int),
        metavar="VISITS",
        help="label positions of Teresa's own search trees of this size, not those of games",
    )
    parser.add_argument("--weights", type=Path, help="of Teresa's own searches (default: the shipped net)")
    parser.add_argument("--value-only", action="store_true", help="scores alone are labels; many moves are random")
    parser.add_argument("--games", type=positive_number(int), required=True)
    parser.add_argument("--processes", type=positive_number(int), default=1)
    parser.add_argument(
        "--at-once",
        type=positive_number(int),
        help="games labelled at the same time (default: with --nodes 1, so that the teacher's hash helps; else 16)",
    )
    parser.add_argument("--seed", type=int, required=True)
    add_run_arguments(parser, has_folder=False)


def add_compact(parser: argparse.ArgumentParser) -> None:
    """The arguments of `compact`."""
    parser.description = (
        "Writes NAME.policy from NAME.visits: shares of moves in four bits each. "
        "`fit` takes NAME.visits as long as it is there."
    )
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files that have visits")


def add_data(parser: argparse.ArgumentParser) -> None:
    """The arguments of `data`."""
    parser.description = (
        "Without an option: what is in the store. A store is a folder of chunks, named by a hash of their content; "
        "`fit` and `evaluate` take it for all of its chunks, and `generate` adds to it."
    )
    parser.add_argument("store", type=Path, help="a folder; --add and --merge create it")
    work = parser.add_mutually_exclusive_group()
    work.add_argument(
        "--add", nargs="+", type=Path, metavar="FILE", help="check viriformat files with their visits, and copy them in"
    )
    work.add_argument(
        "--check",
        action="store_true",
        help="read all again; exit status 1 if anything is damaged, twice or foreign",
    )
    work.add_argument("--merge", nargs="+", type=Path, metavar="STORE", help="copy in the chunks of other stores")
    work.add_argument(
        "--thin",
        type=amount,
        metavar="KEEP",
        help="take out chunks, chosen by hash, so that about KEEP positions are left: a number, or a share as 40%%",
    )
    work.add_argument("--remove", nargs="+", metavar="CHUNK", help="take out chunks, given by the start of their names")
    parser.add_argument("--json", action="store_true", help="write what was done and found as JSON")
    add_force(parser, "delete what --thin or --remove takes out")


def amount(text: str) -> float:
    """Read a number of positions (an `int`), or a share of them."""
    if not text.endswith("%"):
        return int(positive_number(int)(text))
    share = float(text[:-1]) / 100
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError("must be more than 0 and less than 100%")
    return share


amount.__name__ = "amount"


def add_fit(parser: argparse.ArgumentParser) -> None:
    """The arguments of `fit`."""
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files, or stores")
    parser.add_argument("--output", type=Path, required=True, help="folder for checkpoints, logs and curves")
    parser.add_argument(
        "--start-from",
        type=Path,
        help="weights file, or folder of a fit whose optimiser goes on (default: random weights)",
    )
    parser.add_argument("--only", choices=("value", "policy"), help="train one of the two nets")
    parser.add_argument(
        "--held-out", nargs="+", type=Path, default=[], help="files or stores for the table (default: games set aside)"
    )
    parser.add_argument("--validation", type=float, default=0.01, help="share of the games set aside (default: 0.01)")
    parser.add_argument("--label-scale", type=float, default=1.1, help="for scores of value-only files (default: 1.1)")
    parser.add_argument(
        "--result-share", type=float, default=0.1, help="of the result in value targets of self-play (default: 0.1)"
    )
    parser.add_argument(
        "--value-quiescence", action="store_true", help="the value learns after winning captures, as the search asks it"
    )
    parser.add_argument(
        "--policy-surprise",
        choices=("optimism", "divergence"),
        default="",
        help="moves that surprise the net of --start-from weigh more: by the score, or by the prior of the move",
    )
    parser.add_argument("--seed", type=int, default=1)
    for net, defaults in NET_DEFAULTS.items():
        for name, default in defaults.items():
            text = f"{NET_OPTIONS[name]} (default: {default})"
            parser.add_argument(f"--{net}-{name}", type=type(default), default=default, help=text, metavar="N")


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `evaluate`."""
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files, or stores")
    parser.add_argument("--weights", type=Path, help="weights file, or folder of a fit (default: the shipped net)")
    parser.add_argument("--json", action="store_true", help="write the figures as JSON")


def add_export(parser: argparse.ArgumentParser) -> None:
    """The arguments of `export`."""
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="folder",
        help="of a fit; of several the mean of their weights is taken",
    )
    parser.add_argument("output", type=Path, help="weights file to write")
    parser.add_argument("--base", type=Path, help="weights file with the net that no fit has: see `fit --only`")
    parser.add_argument(
        "--base-share", type=float, default=0.0, help="of --base in the weights of the nets that the fits have"
    )
    parser.add_argument(
        "--held-out", nargs="+", type=Path, default=[], help="files or stores whose figures go into the header"
    )
    add_force(parser, "overwrite a file that is no weights file")
