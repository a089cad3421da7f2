"""A tuning from the command line: its run, the gate, and what is printed."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.console import Console

from engine.cli.arguments import GATE_GAMES
from engine.cli.console import Column, cut, new_console, print_lines, table_of
from engine.cli.engine_run import EngineRun
from engine.cli.progress import warm_up
from engine.match.open_players import check_players
from engine.match.pairs import opening_of
from engine.match.play import Match
from engine.match.player import PlayerSpec
from engine.match.player_files import check_same_files
from engine.match.replay import check_pairs
from engine.match.sprt import Decision, Sprt, new_test
from engine.system.files import check_writable, write_whole
from engine.tune.picture import curves_svg, is_picture
from engine.tune.plan import PRESENT_NAME, SPSA, Constant, TunePlan, read_tune_plan
from engine.tune.trials import check_trials
from engine.tune.tune_outcome import IMPORTANCE, CurveOutcome, TuneOutcome
from engine.tune.tuning import check_gate_book, gate_plan, tune
from perft.exits import DONE, INTERRUPTED
from perft.runner.arguments import RunOptions
from perft.runner.runner import Stopped

TAKEN = {
    Decision.H1: "the proposed setting is better: take it",
    Decision.H0: "the proposed setting is not better: keep the present one",
    Decision.OPEN: "not decided: more --gate-games are needed",
}


@dataclass(frozen=True)
class Gate:
    """The test of the proposed setting."""

    test: Sprt
    games: int  # at most


@dataclass
class TuneResult:
    """What is known so far. It is printed when the run has ended: while its display is shown, output would be lost."""

    gate: Gate | None = None
    outcome: TuneOutcome | None = None
    match: Match | None = None  # of the gate


def run_tuning(arguments: argparse.Namespace) -> int:
    """Tune, or continue; -> exit status. What was found is printed even if the gate is stopped or fails."""
    if arguments.picture is not None:
        check_writable(arguments.picture, is_ours=is_picture, kind="a picture of curves", force=arguments.force)
    if arguments.gate is not None:
        new_test(arguments.gate)  # wrong numbers are refused before the first game
    run = EngineRun("tune", RunOptions.of(arguments), arguments.workers)
    result = TuneResult()
    try:
        with run:
            _tune_and_gate(run, arguments, result)
            run.report()
    except Stopped as stopped:
        print(f"stopped: {stopped}{run.how_to_continue}", file=sys.stderr)
        return INTERRUPTED
    finally:
        if result.outcome is not None:
            _show(arguments, result, result.outcome)
    return DONE


def _tune_and_gate(run: EngineRun, arguments: argparse.Namespace, result: TuneResult) -> None:
    plan, result.gate = _continued(run, arguments) if run.header is not None else _new(run, arguments)
    result.outcome = tune(plan, partial(run.runner, check=check_trials))
    if result.gate is not None and result.outcome.is_new:
        result.match = Match(gate_plan(result.outcome, result.gate.games), result.gate.test)
        result.match.play(run.runner(check=check_pairs))


def _new(run: EngineRun, arguments: argparse.Namespace) -> tuple[TunePlan, Gate | None]:
    if arguments.file is None:
        raise ValueError("name a file with the constants to tune, or --resume a run")
    games = arguments.gate_games or GATE_GAMES
    plan, gate = read_tune_plan(arguments.file), _gate_of(arguments.gate, games)
    _prepare(run, arguments, plan, gate)
    checksums = dict(_present_player(plan).checksums)
    run.begin({"plan": asdict(plan), "gate": arguments.gate, "gate_games": games, "checksums": checksums})
    return plan, gate


def _continued(run: EngineRun, arguments: argparse.Namespace) -> tuple[TunePlan, Gate | None]:
    """The plan of the folder, and its gate; Elos and games that are given replace those of the folder."""
    header = run.header or {}
    if arguments.file is not None:
        raise ValueError(f"{run.folder} has its constants already: --resume continues them")
    elos = header["gate"] if arguments.gate is None else arguments.gate
    plan, gate = tune_plan_of_header(header["plan"]), _gate_of(elos, arguments.gate_games or header["gate_games"])
    if "checksums" in header:  # runs of earlier versions have none
        check_same_files(dict(plan.options), header["checksums"])
    _prepare(run, arguments, plan, gate)
    return plan, gate


def _prepare(run: EngineRun, arguments: argparse.Namespace, plan: TunePlan, gate: Gate | None) -> None:
    """Check all that can be wrong, then compile: bad input is reported at once."""
    if arguments.picture is not None and plan.method == SPSA:
        raise ValueError("--picture: SPSA finds values, not curves")
    if run.options.verify and not plan.is_repeatable:
        raise ValueError("--verify: games with several threads differ each time")
    if gate is not None:
        check_gate_book(plan, gate.games)
    check_players([_present_player(plan)], is_local=run.is_here)
    warm_up()


def _present_player(plan: TunePlan) -> PlayerSpec:
    return plan.player(PRESENT_NAME, plan.present)


def _gate_of(elos: list[float] | None, games: int) -> Gate | None:
    return None if elos is None else Gate(new_test(elos), games)


def tune_plan_of_header(data: Mapping[str, Any]) -> TunePlan:
    """A plan from the header of a journal."""
    return TunePlan(
        tuple(Constant(**row) for row in data["constants"]),
        data["method"],
        data["visits"],
        data["pairs"],
        data["seed"],
        tuple(data["resign"]),
        tuple(data["draw"]),
        tuple((name, value) for name, value in data["options"]),
        tuple(map(opening_of, data["book"])),
        data["round"],
    )


# What is printed


def _show(arguments: argparse.Namespace, result: TuneResult, outcome: TuneOutcome) -> None:
    """Print, then write the picture: if it cannot be written, the games were not in vain."""
    if arguments.json:
        gate = None if result.match is None else result.match.summary.data()
        print(json.dumps({**outcome.data(), "gate": gate}, indent=2), flush=True)
    else:
        console = new_console(is_terminal=sys.stdout.isatty())
        print_outcome(console, outcome)
        if result.gate is not None:
            print_lines(console, _gate_lines(result.match))
    if isinstance(outcome, CurveOutcome) and arguments.picture is not None:
        write_whole(arguments.picture, curves_svg(outcome))


def print_outcome(console: Console, outcome: TuneOutcome) -> None:
    """The table with the columns that there is room for, and the proposal."""
    columns = [Column(name, texts, IMPORTANCE[name], "left") for name, texts in outcome.columns.items()]
    print_lines(console, [outcome.headline, ""])
    console.print(table_of(columns, console.width, cut))
    print_lines(console, ["", *outcome.notes()])


def _gate_lines(match: Match | None) -> list[str]:
    if match is None:
        return ["", "there is nothing to test"]
    summary = match.summary
    is_stopped = summary.decision is Decision.OPEN and len(match.pairs) < len(match.plan.openings)
    return ["", *summary.lines(), "not decided: stopped" if is_stopped else TAKEN[summary.decision]]
