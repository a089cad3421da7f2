"""A tuning from the command line: its run, the gate, and what is printed."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.cli.command_run import CommandRun
from engine.match.open_players import check_players
from engine.match.pairs import opening_of
from engine.match.play import Match
from engine.match.sprt import Decision, Sprt, new_test
from engine.match.summary import MatchSummary
from engine.system.files import check_writable, write_whole
from engine.tune.picture import curves_svg, is_picture
from engine.tune.plan import Constant, TunePlan, read_tune_plan
from engine.tune.tuning import gate_plan, tune
from perft.exits import DONE, INTERRUPTED
from perft.runner.arguments import RunOptions
from perft.runner.runner import Stopped

TAKEN = {
    Decision.H1: "the proposed setting is better: take it",
    Decision.H0: "the proposed setting is not better: keep the present one",
    Decision.OPEN: "not decided: more --gate-games are needed",
}


def run_tuning(arguments: argparse.Namespace) -> int:
    """Tune, or continue; -> exit status."""
    if arguments.picture is not None:
        check_writable(arguments.picture, is_ours=is_picture, kind="a picture of curves", force=arguments.force)
    if arguments.gate is not None:
        new_test(arguments.gate)  # wrong numbers are refused before the first game
    with CommandRun("tune", RunOptions.of(arguments), arguments.workers) as run:
        plan, gate, games = _continued(run, arguments) if run.header is not None else _new(run, arguments)
        check_players([plan.player("present", plan.present)], is_local=run.is_here)
        try:
            _tune_and_gate(run, arguments, plan, (gate, games))
        except Stopped as stopped:
            print(f"stopped: {stopped}{run.how_to_continue}", file=sys.stderr)
            return INTERRUPTED
    return DONE


def _new(run: CommandRun, arguments: argparse.Namespace) -> tuple[TunePlan, Sprt | None, int]:
    if arguments.file is None:
        raise ValueError("name a file with the constants to tune, or --resume a run")
    plan = read_tune_plan(arguments.file)
    check_players([plan.player("present", plan.present)], is_local=run.is_here)
    run.begin({"plan": asdict(plan), "gate": arguments.gate, "gate_games": arguments.gate_games})
    return plan, _gate_of(arguments.gate), arguments.gate_games


def _continued(run: CommandRun, arguments: argparse.Namespace) -> tuple[TunePlan, Sprt | None, int]:
    """The plan of the folder, and its gate unless another one is asked for."""
    header = run.header or {}
    if arguments.file is not None:
        raise ValueError(f"{run.folder} has its constants already: --resume continues them")
    gate, games = header["gate"], header["gate_games"]
    if arguments.gate is not None:
        gate, games = arguments.gate, arguments.gate_games
    return tune_plan_of_header(header["plan"]), _gate_of(gate), games


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


def _gate_of(elos: list[float] | None) -> Sprt | None:
    return None if elos is None else new_test(elos)


def _tune_and_gate(
    run: CommandRun, arguments: argparse.Namespace, plan: TunePlan, gate: tuple[Sprt | None, int]
) -> None:
    outcome = tune(plan, run.runner)
    if arguments.picture is not None:
        write_whole(arguments.picture, curves_svg(outcome))
    if not arguments.json:
        print("\n".join(outcome.lines()), flush=True)
    test, games = gate
    summary = None
    if test is not None and outcome.is_new:
        summary = Match(gate_plan(outcome, games), test).play(run.runner())
    if arguments.json:
        print(json.dumps({**outcome.data(), "gate": None if summary is None else summary.data()}, indent=2))
    elif test is not None:
        print("\n".join(_gate_lines(summary)))


def _gate_lines(summary: MatchSummary | None) -> list[str]:
    if summary is None:
        return ["", "the present setting is the best one: there is nothing to test"]
    return ["", *summary.lines(), TAKEN[summary.decision]]
