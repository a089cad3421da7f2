"""`teresa train`: generate, fit, evaluate, export."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.arguments import add_force, positive
from engine.cli.progress import warm_up
from engine.system.optional_packages import check_extra
from perft.exits import DONE, INTERRUPTED, reported

if TYPE_CHECKING:
    from rich.progress import Progress

    from engine.network.weights import Network
    from engine.training.data.games import Games
    from engine.training.generate.plan import Plan

DESCRIPTION = "Make the network: labelled games, the fit, its figures, the weights file."
RESUMABLE = ("generate", "fit")
GAMES_AT_ONCE = 16
SELF_PLAY_CHUNK = 16  # games; at 800 visits about ten seconds

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
    add_fit(commands.add_parser("fit", help="train value and policy on labelled games"))
    add_evaluate(commands.add_parser("evaluate", help="figures of a network on labelled games"))
    add_export(commands.add_parser("export", help="quantise a fit and write the weights file"))
    arguments = parser.parse_args(argv)
    try:
        return reported(f"teresa train {arguments.command}", lambda: int(arguments.run(arguments)))
    except KeyboardInterrupt:
        how_to_resume = "; the same command goes on" if arguments.command in RESUMABLE else ""
        print(f"teresa train {arguments.command}: interrupted{how_to_resume}", file=sys.stderr)
        return INTERRUPTED


def add_generate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `generate`."""
    parser.set_defaults(run=run_generate)
    parser.add_argument("output", type=Path, help="viriformat file to write")
    teacher = parser.add_mutually_exclusive_group()
    teacher.add_argument("--teacher", default="stockfish", help="command of a UCI engine (default: stockfish)")
    teacher.add_argument(
        "--self-play", action="store_true", help="Teresa plays against itself; visit counts go into a second file"
    )
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--nodes", type=positive(int), help="for the search that labels a position")
    limit.add_argument("--depth", type=positive(int), help="of that search, instead of --nodes")
    limit.add_argument("--visits", type=positive(int), help="self-play: for the search that labels a position")
    parser.add_argument("--weights", type=Path, help="self-play: weights file (default: the shipped net)")
    parser.add_argument("--value-only", action="store_true", help="scores alone are labels; many moves are random")
    parser.add_argument("--games", type=positive(int), required=True)
    parser.add_argument("--processes", type=positive(int), default=1)
    parser.add_argument(
        "--at-once", type=positive(int), help="games labelled at the same time; 1 for engines that cannot"
    )
    parser.add_argument("--seed", type=int, required=True)


def run_generate(arguments: argparse.Namespace) -> int:
    """Make labelled games, with a progress display."""
    from engine.training.generate.generation import generate

    plan = self_play_plan(arguments) if arguments.self_play else teacher_plan(arguments)
    positions = 0
    with progress_display() as progress:
        task = progress.add_task("games", total=arguments.games)

        def advance(games: int, count: int) -> None:
            nonlocal positions
            positions += count
            progress.update(task, advance=games, description=f"games ({positions:,} positions)")

        generate(plan, arguments.output, arguments.processes, advance)
    print(f"{arguments.output}: {positions:,} new positions")
    return DONE


def teacher_plan(arguments: argparse.Namespace) -> "Plan":
    """The games of a UCI engine."""
    from engine.training.generate.plan import Plan
    from engine.training.generate.teacher import UciEngine

    refuse(arguments, "only for --self-play", "visits", "weights")
    limit = f"nodes {arguments.nodes}" if arguments.nodes else f"depth {arguments.depth}"
    teacher = UciEngine(arguments.teacher, limit)
    return Plan(teacher, arguments.value_only, arguments.games, arguments.seed, arguments.at_once or GAMES_AT_ONCE)


def self_play_plan(arguments: argparse.Namespace) -> "Plan":
    """The games of self-play, played one after the other."""
    from engine.network.weights_file import SHIPPED
    from engine.training.generate.plan import Plan
    from engine.training.generate.self_play import LEAST_VISITS, self_play

    refuse(arguments, "not for --self-play, which takes --visits", "nodes", "depth")
    refuse(arguments, "not for --self-play", "value_only", "at_once")
    if arguments.visits < LEAST_VISITS:
        raise ValueError(f"--visits must be at least {LEAST_VISITS}")
    warm_up()  # once, with a message, rather than silently in each process
    teacher = self_play(arguments.weights or SHIPPED, arguments.visits)
    return Plan(teacher, False, arguments.games, arguments.seed, at_once=1, games_per_chunk=SELF_PLAY_CHUNK)


def refuse(arguments: argparse.Namespace, reason: str, *names: str) -> None:
    """Refuse arguments that make no sense here."""
    for name in names:
        if getattr(arguments, name):
            raise ValueError(f"--{name.replace('_', '-')} is {reason}")


def add_fit(parser: argparse.ArgumentParser) -> None:
    """The arguments of `fit`."""
    parser.set_defaults(run=run_fit)
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files")
    parser.add_argument("--output", type=Path, required=True, help="folder for checkpoints, logs and curves")
    parser.add_argument("--start-from", type=Path, help="weights file to start from (default: random weights)")
    parser.add_argument("--only", choices=("value", "policy"), help="train one of the two nets")
    parser.add_argument(
        "--held-out", nargs="+", type=Path, default=[], help="files for the table (default: games set aside)"
    )
    parser.add_argument("--validation", type=float, default=0.01, help="share of the games set aside (default: 0.01)")
    parser.add_argument("--label-scale", type=float, default=1.1, help="for scores of value-only files (default: 1.1)")
    parser.add_argument(
        "--result-share", type=float, default=0.1, help="of the result in value targets of self-play (default: 0.1)"
    )
    parser.add_argument("--seed", type=int, default=1)
    for net, defaults in NET_DEFAULTS.items():
        for name, default in defaults.items():
            text = f"{NET_OPTIONS[name]} (default: {default})"
            parser.add_argument(f"--{net}-{name}", type=type(default), default=default, help=text, metavar="N")


def run_fit(arguments: argparse.Namespace) -> int:
    """Train, with a progress display, and end with the table."""
    from engine.training.fit.settings import NETS, check_folder, check_options, read_settings

    check_extra("train")
    check_options(arguments)
    check_folder(arguments.output)
    from engine.training.data.games import open_games
    from engine.training.fit.fit import fit, network_of_run
    from engine.training.fit.trainer import checkpoint_path

    files = open_games(arguments.files)
    held_out = open_games(arguments.held_out) if arguments.held_out else None
    nets = (arguments.only,) if arguments.only else NETS
    with progress_display() as progress:
        tasks: dict[str, Any] = {}

        def advance(net: str, seen: int, total: int) -> None:
            if net not in tasks:
                tasks[net] = progress.add_task(net, total=total)
            progress.update(tasks[net], completed=seen)

        settings = read_settings(arguments, files)
        start, report = arguments.start_from, partial(print, flush=True)
        aside = fit(files, arguments.output, settings, nets, start, report, advance)
    if all(checkpoint_path(arguments.output, net).is_file() for net in NETS):
        games = held_out or aside.with_moves()
        show_figures(network_of_run(arguments.output), games, as_json=False)
    return DONE


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The arguments of `evaluate`."""
    parser.set_defaults(run=run_evaluate)
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files")
    parser.add_argument("--weights", type=Path, help="weights file, or folder of a fit (default: the shipped net)")
    parser.add_argument("--json", action="store_true", help="write the figures as JSON")


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Show the figures of a network."""
    from engine.training.data.games import open_games
    from engine.training.fit.trained_network import network_from

    show_figures(network_from(arguments.weights), open_games(arguments.files), as_json=arguments.json)
    return DONE


def add_export(parser: argparse.ArgumentParser) -> None:
    """The arguments of `export`."""
    parser.set_defaults(run=run_export)
    parser.add_argument("folder", type=Path, help="folder of a fit")
    parser.add_argument("output", type=Path, help="weights file to write")
    parser.add_argument("--held-out", nargs="+", type=Path, default=[], help="files whose figures go into the header")
    add_force(parser, "overwrite a file that is no weights file")


def run_export(arguments: argparse.Namespace) -> int:
    """Write the weights file of a fit."""
    from engine.training.fit.export import export

    figures = export(arguments.folder, arguments.output, arguments.held_out, force=arguments.force)
    print(f"{arguments.output}: {arguments.output.stat().st_size:,} bytes", *([json.dumps(figures)] if figures else []))
    return DONE


def show_figures(network: "Network", games: "Games", *, as_json: bool) -> None:
    """Evaluate and print."""
    from engine.training.fit.figures import evaluate
    from engine.training.fit.figures_table import draw_calibration_table, figures_table

    figures = evaluate(network, games)
    if as_json:
        print(json.dumps(figures.as_dict(), allow_nan=False))
        return
    from engine.cli.console import new_console

    console = new_console(is_terminal=sys.stdout.isatty())
    console.print(figures_table(figures))
    console.print(draw_calibration_table(network, games))


def progress_display() -> "Progress":
    """A progress bar on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:3], TimeRemainingColumn(elapsed_when_finished=True))
    return Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
