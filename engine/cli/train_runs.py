"""What `teresa train` does: generate games, fit the nets, evaluate, export."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn

from engine.cli.arguments import LEAST_VISITS_OF_LABEL
from engine.cli.console import new_console, print_warnings
from engine.cli.engine_run import GenerateRun
from engine.cli.progress import warm_up
from engine.network.architecture import Network
from engine.network.weights_file import SHIPPED, load_weights
from engine.training.data.compact import compact
from engine.training.data.games import Games, open_games
from engine.training.data.store import Store, files_of
from engine.training.data.visits import sibling
from engine.training.fit.figures import draw_calibration_table, evaluate_network, figures_table
from engine.training.fit.settings import NETS, check_folder, check_options, read_settings
from engine.training.generate.chunk_check import check_chunk
from engine.training.generate.chunks import Plan
from engine.training.generate.generation import check_output, generate, parts_folder
from engine.training.generate.net_teacher import net_teacher
from engine.training.generate.plans import net_labels, self_play_games, teacher_games, tree_positions
from engine.training.generate.teachers import LEAST_VISITS
from perft.exits import DONE
from perft.runner.arguments import RunOptions
from perft.runner.runner import Stopped


def run_generate(arguments: argparse.Namespace) -> int:
    """Make labelled games, with a progress display."""
    if arguments.run or arguments.resume:
        raise ValueError(f"the same command continues a run: it is kept in {parts_folder(arguments.output)}")
    positions: list[int] = []
    with GenerateRun("generate", RunOptions.of(arguments), arguments.processes) as run:
        plan = plan_of(arguments)
        try:
            generate(plan, arguments.output, partial(run.runner, check=check_chunk), positions.append)
        except Stopped:
            raise KeyboardInterrupt from None
        run.report()
    print(f"{arguments.output}: {sum(positions):,} new positions")
    return DONE


def plan_of(arguments: argparse.Namespace) -> Plan:
    """Which games to make."""
    if arguments.teacher_net:
        return net_plan(arguments)
    refuse(arguments, "only for --teacher-net", "least_visits")
    return self_play_plan(arguments) if arguments.self_play else teacher_plan(arguments)


def teacher_plan(arguments: argparse.Namespace) -> Plan:
    """The games of a UCI engine."""
    refuse(arguments, "only for --self-play and --teacher-net", "visits")
    limit = f"nodes {arguments.nodes}" if arguments.nodes else f"depth {arguments.depth}"
    if arguments.of_trees:
        return tree_plan(arguments, limit)
    refuse(arguments, "only for Teresa's own searches: --self-play, --of-trees, --teacher-net", "weights")
    kind = {"at_once": arguments.at_once, "value_only": arguments.value_only}
    return teacher_games(arguments.teacher, limit, arguments.games, arguments.seed, **kind)


def tree_plan(arguments: argparse.Namespace, limit: str) -> Plan:
    """Positions of trees, labelled by a UCI engine."""
    refuse(arguments, "not for --of-trees", "value_only", "at_once")
    check_output(arguments.output)
    weights, visits = arguments.weights or SHIPPED, arguments.of_trees
    plan = tree_positions(arguments.teacher, limit, arguments.games, arguments.seed, weights, visits)
    warm_up()
    return plan


def self_play_plan(arguments: argparse.Namespace) -> Plan:
    """The games of self-play."""
    refuse(arguments, "not for --self-play, which takes --visits", "nodes", "depth")
    refuse(arguments, "not for --self-play", "value_only", "at_once", "of_trees")
    check_output(arguments.output)
    plan = self_play_games(arguments.weights or SHIPPED, arguments.visits, arguments.games, arguments.seed)
    warm_up()  # once, with a message, rather than silently in each process
    return plan


def net_plan(arguments: argparse.Namespace) -> Plan:
    """Nodes of trees, labelled by the searches that made them."""
    refuse(arguments, "not for --teacher-net, which takes --visits", "nodes", "depth")
    refuse(arguments, "not for --teacher-net", "value_only", "at_once", "of_trees")
    least = arguments.least_visits or LEAST_VISITS_OF_LABEL
    if not LEAST_VISITS <= least <= arguments.visits:
        raise ValueError(f"--least-visits must be from {LEAST_VISITS} to --visits")
    check_output(arguments.output)
    teacher = net_teacher(arguments.teacher_net, arguments.weights or SHIPPED, arguments.visits, least)
    warm_up()
    teacher.warm_up()
    return net_labels(teacher, arguments.games, arguments.seed)


def refuse(arguments: argparse.Namespace, reason: str, *names: str) -> None:
    """Refuse arguments that make no sense here."""
    for name in names:
        if getattr(arguments, name):
            raise ValueError(f"--{name.replace('_', '-')} is {reason}")


def run_fit(arguments: argparse.Namespace) -> int:
    """Train, with a progress display, and end with the table."""
    check_options(arguments)
    check_folder(arguments.output)
    from engine.training.fit.fit import fit, is_complete, network_of_run

    paths = files_from(arguments.files, whole=True)
    files = open_games(paths)
    held_out = open_games(files_from(arguments.held_out)) if arguments.held_out else None
    nets = (arguments.only,) if arguments.only else NETS
    with progress_display() as progress:
        tasks: dict[str, Any] = {}

        def advance(net: str, seen: int, total: int) -> None:
            if net not in tasks:
                tasks[net] = progress.add_task(net, total=total)
            progress.update(tasks[net], completed=seen)

        settings = read_settings(arguments, paths, files)
        start, report = arguments.start_from, partial(print, flush=True)
        aside = fit(files, arguments.output, settings, nets, start, report, advance)
    if is_complete(arguments.output):
        games = held_out or aside.with_moves()
        show_figures(network_of_run(arguments.output), games, as_json=False)
    return DONE


def run_compact(arguments: argparse.Namespace) -> int:
    """Write policies in few bytes for files that have visits."""
    for path in arguments.files:
        output, visits = compact(path), sibling(path)
        print(f"{output}: {output.stat().st_size:,} bytes; {visits}: {visits.stat().st_size:,} bytes")
    return DONE


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Show the figures of a network."""
    show_figures(network_from(arguments.weights), open_games(files_from(arguments.files)), as_json=arguments.json)
    return DONE


def run_export(arguments: argparse.Namespace) -> int:
    """Write the weights file of a fit."""
    from engine.training.fit.fit import export

    held_out = files_from(arguments.held_out)
    options = {"base_share": arguments.base_share, "force": arguments.force}
    figures = export(arguments.folders, arguments.output, held_out, arguments.base, **options)
    print(f"{arguments.output}: {arguments.output.stat().st_size:,} bytes", *([json.dumps(figures)] if figures else []))
    return DONE


def files_from(paths: Sequence[Path], *, whole: bool = False) -> list[Path]:
    """Files of games, with warnings of stores that may have fewer than were added; `whole`: those are refused."""
    for store in (Store(path) for path in paths if path.is_dir()):
        print_warnings(store.warnings())
        if whole and store.unrecorded():
            raise ValueError(f"{store.folder} has files of games that are not recorded: the warning says what to do")
    return files_of(paths)


def network_from(source: Path | None) -> Network:
    """The network of a weights file or of the folder of a fit; without a source, the shipped one."""
    if source is not None and source.is_dir():
        from engine.training.fit.fit import network_of_run

        return network_of_run(source)
    return load_weights(source or SHIPPED).network


def show_figures(network: Network, games: Games, *, as_json: bool) -> None:
    """Evaluate and print."""
    figures = evaluate_network(network, games)
    if as_json:
        print(json.dumps(figures.as_dict(), allow_nan=False))
        return
    console = new_console(is_terminal=sys.stdout.isatty())
    console.print(figures_table(figures))
    console.print(draw_calibration_table(network, games))


def progress_display() -> Progress:
    """A progress bar on a terminal, nothing elsewhere. Output that goes to a file stays out of the terminal."""
    columns = (*Progress.get_default_columns()[:3], TimeRemainingColumn(elapsed_when_finished=True))
    return Progress(
        *columns,
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        redirect_stdout=sys.stdout.isatty(),
    )


RUNS: dict[str, Callable[[argparse.Namespace], int]] = {
    "generate": run_generate,
    "compact": run_compact,
    "fit": run_fit,
    "evaluate": run_evaluate,
    "export": run_export,
}
