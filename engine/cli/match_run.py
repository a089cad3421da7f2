"""A match from the command line: its plan, its run, and what is printed."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from engine.cli.arguments import MATCH_VISITS
from engine.cli.command_run import CommandRun
from engine.match.adjudication import Adjudication
from engine.match.open_players import check_players
from engine.match.openings import read_openings
from engine.match.pairs import MatchPlan, opening_of
from engine.match.play import Match, choose_openings
from engine.match.player import PlayerSpec, TimeControl
from engine.match.roster import read_engine, read_player
from engine.match.sprt import LOGISTIC, NORMALISED, Sprt, new_test
from engine.pgn.game_file import looks_like_games
from engine.system.files import check_writable, write_whole
from perft.exits import DONE, INTERRUPTED
from perft.runner.arguments import RunOptions
from perft.runner.journal import JournalError, hash_of_units
from perft.runner.runner import Stopped

SEATS = "AB"
VISITS_PER_UNIT = 1600  # times the moves of a pair: a unit then takes some seconds


def play_match(arguments: argparse.Namespace) -> int:
    """Play, or continue; -> exit status."""
    if arguments.pgn is not None:
        check_writable(arguments.pgn, is_ours=looks_like_games, kind="a file of games", force=arguments.force)
    with CommandRun("match", RunOptions.of(arguments), arguments.workers) as run:
        match = _continued(run, arguments) if run.header is not None else _new(run, arguments)
        runner, status = run.runner(), DONE
        try:
            match.play(runner)
        except Stopped as stopped:
            print(f"stopped: {stopped}{run.how_to_continue}", file=sys.stderr)
            status = INTERRUPTED
        run.report(runner)
        if arguments.pgn is not None:
            write_whole(arguments.pgn, match.pgn())
    if arguments.json:
        print(json.dumps(match.summary.data(), indent=2))
    else:
        print("\n".join(match.summary.lines()))
    return status


# A new match


def _new(run: CommandRun, arguments: argparse.Namespace) -> Match:
    plan, sprt = new_plan(arguments), _sprt_of(arguments)
    _check(run, plan)
    match = Match(plan, sprt)
    header = {"plan": asdict(plan), "sprt": None if sprt is None else asdict(sprt)}
    run.begin({**header, "units": len(match.units), "list": hash_of_units(match.units)})
    return match


def _check(run: CommandRun, plan: MatchPlan) -> None:
    if run.options.verify and not plan.is_repeatable:
        raise ValueError("--verify: games on a clock, of other engines or with several threads differ each time")
    check_players(plan.players, is_local=run.is_here)


def new_plan(arguments: argparse.Namespace) -> MatchPlan:
    """What the arguments ask for; a `ValueError` says what is wrong with them."""
    control, players = _control_of(arguments), _players_of(arguments)
    draft = MatchPlan(players, control, _rules_of(arguments), (), arguments.seed)
    book = None if arguments.book is None else read_openings(arguments.book, chess960=arguments.chess960)
    if book is None and arguments.chess960:
        raise ValueError("--chess960 needs a --book of its positions")
    pairs = -(-arguments.games // 2)
    openings = choose_openings(book, pairs, arguments.seed, is_repeatable=draft.is_repeatable)
    per_unit = pairs_per_unit(control.visits) if draft.is_repeatable else 1
    return MatchPlan(players, control, draft.rules, tuple(openings), arguments.seed, per_unit)


def pairs_per_unit(visits: int | None) -> int:
    """How many pairs make a unit of some seconds."""
    return max(1, min(64, VISITS_PER_UNIT // (visits or MATCH_VISITS)))


def _control_of(arguments: argparse.Namespace) -> TimeControl:
    given = [arguments.visits, arguments.clock, arguments.movetime]
    if sum(value is not None for value in given) > 1:
        raise ValueError("--visits, --clock and --movetime: one of them")
    if arguments.clock is not None:
        return TimeControl(clock=arguments.clock[0], increment=arguments.clock[1])
    if arguments.movetime is not None:
        return TimeControl(move_time=arguments.movetime)
    return TimeControl(visits=arguments.visits or MATCH_VISITS)


def _rules_of(arguments: argparse.Namespace) -> Adjudication:
    (resign_score, resign_moves), (draw_from, draw_score, draw_moves) = arguments.resign, arguments.draw
    if min(resign_score, resign_moves, draw_from, draw_score, draw_moves) < 0:
        raise ValueError("--resign and --draw: no number is below 0")
    return Adjudication(resign_score, resign_moves, draw_score, draw_moves, draw_from)


def _players_of(arguments: argparse.Namespace) -> tuple[PlayerSpec, PlayerSpec]:
    count = len(arguments.players) + len(arguments.engine)
    if count != len(SEATS):
        raise ValueError(f"a match has two players, not {count}: name them, or give --engine")
    options = _options_by_seat(arguments.set)
    specs = [read_player(text, seat, options[seat]) for text, seat in zip(arguments.players, SEATS, strict=False)]
    for command in arguments.engine:  # after the others
        seat = SEATS[len(specs)]
        specs.append(read_engine(command, seat, options[seat]))
    return specs[0], specs[1]


def _options_by_seat(texts: list[str]) -> dict[str, dict[str, str]]:
    options: dict[str, dict[str, str]] = {seat: {} for seat in SEATS}
    for text in texts:
        seats, colon, setting = text.partition(":")
        name, equals, value = setting.partition("=")
        if not (colon and equals and seats) or set(seats) - set(SEATS):
            raise ValueError(f"--set {text}: must be such as A:Hash=16")
        for seat in seats:
            options[seat][name.strip()] = value.strip()
    return options


def _sprt_of(arguments: argparse.Namespace) -> Sprt | None:
    if arguments.sprt is None:
        return None
    return new_test(arguments.sprt, arguments.alpha, arguments.beta, LOGISTIC if arguments.logistic else NORMALISED)


# A match that is continued


def _continued(run: CommandRun, arguments: argparse.Namespace) -> Match:
    if arguments.players or arguments.engine:
        raise ValueError(f"{run.folder} has its players already: --resume continues them")
    header = run.header or {}
    match = Match(plan_of(header["plan"]), None if header["sprt"] is None else Sprt(**header["sprt"]))
    if hash_of_units(match.units) != header["list"]:
        raise JournalError(f"{run.folder} has other units than before")
    _check(run, match.plan)
    return match


def plan_of(data: dict[str, Any]) -> MatchPlan:
    """A plan from the header of a journal."""
    first, second = (PlayerSpec(**player) for player in data["players"])
    control, rules = TimeControl(**data["control"]), Adjudication(**data["rules"])
    openings = tuple(map(opening_of, data["openings"]))
    return MatchPlan((first, second), control, rules, openings, data["seed"], data["pairs_per_unit"])
