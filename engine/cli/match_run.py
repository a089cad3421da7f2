"""A match from the command line: its plan, its run, and what is printed."""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.cli.arguments import MATCH_GAMES, MATCH_VISITS
from engine.cli.engine_run import EngineRun
from engine.cli.progress import warm_up
from engine.match.adjudication import Adjudication
from engine.match.forfeits import ForfeitLimit, new_limit
from engine.match.game_text import begins_a_match
from engine.match.open_players import check_players
from engine.match.openings import read_openings
from engine.match.pairs import MatchPlan, opening_of, with_units
from engine.match.play import Match, choose_openings
from engine.match.player import PlayerSpec, TimeControl
from engine.match.replay import check_pairs
from engine.match.roster import read_engine, read_player
from engine.match.sprt import LOGISTIC, NORMALISED, Sprt, new_test
from engine.system.files import check_writable, write_whole
from perft.exits import DONE, INTERRUPTED
from perft.runner.arguments import RunOptions
from perft.runner.journal import JournalError, hash_of_units
from perft.runner.runner import Stopped

SEATS = "AB"
LEAST_FACTOR = 0.001  # of the other player's time
# What a run keeps; `--resume` takes none of it.
PLAN_OPTIONS = (
    "engine", "set", "games", "visits", "clock", "seconds", "odds", "book", "chess960", "seed",
    "sprt", "alpha", "beta", "logistic", "leave_out", "resign", "draw",
)  # fmt: skip


def play_match(arguments: argparse.Namespace) -> int:
    """Play, or continue; -> exit status."""
    _check_output(arguments)
    with EngineRun("match", RunOptions.of(arguments), arguments.workers) as run:
        match = _continued(run, arguments) if run.header is not None else _new(run, arguments)
        runner, status = run.runner(check=check_pairs), DONE
        try:
            match.play(runner)
        except Stopped as stopped:
            print(f"stopped: {stopped}{run.how_to_continue}", file=sys.stderr)
            status = INTERRUPTED
        run.report()
    try:  # a full disk costs the games or the result, not both
        summary = match.summary
        print(json.dumps(summary.data(), indent=2) if arguments.json else "\n".join(summary.lines()), flush=True)
    finally:
        if arguments.pgn is not None:
            write_whole(arguments.pgn, match.pgn())
    return status


def _check_output(arguments: argparse.Namespace) -> None:
    """Games of others are not overwritten, and the book never."""
    if arguments.pgn is not None:
        if arguments.book is not None and _is_same_file(arguments.pgn, arguments.book):
            raise ValueError(f"--pgn {arguments.pgn} would overwrite the book")
        check_writable(arguments.pgn, is_ours=begins_a_match, kind="a file of a match", force=arguments.force)


def _is_same_file(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


# A new match


def _new(run: EngineRun, arguments: argparse.Namespace) -> Match:
    draft, sprt, limit = draft_of(arguments), _sprt_of(arguments), _limit_of(arguments)
    _check(run, draft)
    warm_up()  # openings need the kernels
    match = Match(with_openings(draft, arguments), sprt, limit)
    rules = {"sprt": None if sprt is None else asdict(sprt), "limit": None if limit is None else asdict(limit)}
    run.begin({"plan": asdict(match.plan), **rules, "units": len(match.units), "list": hash_of_units(match.units)})
    return match


def _check(run: EngineRun, plan: MatchPlan) -> None:
    if run.options.verify and not plan.is_repeatable:
        raise ValueError("--verify: games on a clock, of other engines or with several threads differ each time")
    check_players(plan.players, is_local=run.is_here)


def draft_of(arguments: argparse.Namespace) -> MatchPlan:
    """What the arguments ask for, without the openings; a `ValueError` says what is wrong with them."""
    _check_book(arguments)
    seed = 1 if arguments.seed is None else arguments.seed
    return MatchPlan(_players_of(arguments), _control_of(arguments), _rules_of(arguments), (), seed)


def _check_book(arguments: argparse.Namespace) -> None:
    if arguments.book is None and arguments.chess960:
        raise ValueError("--chess960 needs a --book of its positions")
    if arguments.book is not None:
        try:
            arguments.book.open("rb").close()
        except OSError as error:
            raise ValueError(f"{arguments.book}: {error.strerror or error}") from None


def with_openings(draft: MatchPlan, arguments: argparse.Namespace) -> MatchPlan:
    """The whole plan; a `ValueError` if the book is damaged or too small."""
    book = None if arguments.book is None else read_openings(arguments.book, chess960=arguments.chess960)
    pairs = -(-(arguments.games or MATCH_GAMES) // 2)
    openings = choose_openings(book, pairs, draft.seed, is_repeatable=draft.control.is_repeatable)
    return with_units(replace(draft, openings=tuple(openings)))


def _control_of(arguments: argparse.Namespace) -> TimeControl:
    given = [arguments.visits, arguments.clock, arguments.seconds]
    if sum(value is not None for value in given) > 1:
        raise ValueError("--visits, --clock and --seconds: one of them")
    if arguments.clock is not None:
        return TimeControl(clock=arguments.clock[0], increment=arguments.clock[1])
    if arguments.seconds is not None:
        return TimeControl(move_time=arguments.seconds)
    return TimeControl(visits=arguments.visits or MATCH_VISITS)


def _rules_of(arguments: argparse.Namespace) -> Adjudication:
    resign_score, resign_moves = arguments.resign or (0, 0)
    draw_from, draw_score, draw_moves = arguments.draw or (40, 0, 0)
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
    factors = _time_factors(arguments.odds)
    first, second = (_with_odds(spec, factors[seat]) for spec, seat in zip(specs, SEATS, strict=True))
    return first, second


def _with_odds(spec: PlayerSpec, factor: float) -> PlayerSpec:
    return spec if factor == 1.0 else replace(spec, time_factor=factor, name=f"{spec.name}, time × {factor:g}")


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


def _time_factors(texts: list[str]) -> dict[str, float]:
    factors = dict.fromkeys(SEATS, 1.0)
    for text in texts:
        seat, _, number = text.partition(":")
        try:
            factor = float(number)
        except ValueError:
            factor = 0.0
        if seat not in factors or not LEAST_FACTOR <= factor <= 1 / LEAST_FACTOR:
            raise ValueError(f"--odds {text}: must be such as B:0.1, from {LEAST_FACTOR:g} to {1 / LEAST_FACTOR:g}")
        factors[seat] = factor
    return factors


def _sprt_of(arguments: argparse.Namespace) -> Sprt | None:
    if arguments.sprt is None:
        return None
    risks = {name: value for name in ("alpha", "beta") if (value := getattr(arguments, name)) is not None}
    return new_test(arguments.sprt, **risks, model=LOGISTIC if arguments.logistic else NORMALISED)


def _limit_of(arguments: argparse.Namespace) -> ForfeitLimit | None:
    if arguments.leave_out is None:
        return None
    try:
        return new_limit(*arguments.leave_out)
    except ValueError as error:
        raise ValueError(f"--leave-out: {error}") from None


# A match that is continued


def _continued(run: EngineRun, arguments: argparse.Namespace) -> Match:
    if given := _plan_options_in(arguments):
        raise ValueError(f"{run.folder} has its {', '.join(given)} already: --resume continues the match as it is")
    header = run.header or {}
    sprt, limit = header["sprt"], header["limit"]
    rules = None if sprt is None else Sprt(**sprt), None if limit is None else ForfeitLimit(**limit)
    match = Match(plan_of(header["plan"]), *rules)
    if hash_of_units(match.units) != header["list"]:
        raise JournalError(f"{run.folder} has other units than before")
    _check(run, match.plan)
    warm_up()
    return match


def _plan_options_in(arguments: argparse.Namespace) -> list[str]:
    values = {f"--{name.replace('_', '-')}": getattr(arguments, name) for name in PLAN_OPTIONS}
    given = [name for name, value in values.items() if value is not None and value is not False and value != []]
    return ["players", *given] if arguments.players else given


def plan_of(data: dict[str, Any]) -> MatchPlan:
    """A plan from the header of a journal."""
    first, second = (PlayerSpec(**player) for player in data["players"])
    control, rules = TimeControl(**data["control"]), Adjudication(**data["rules"])
    openings = tuple(map(opening_of, data["openings"]))
    return MatchPlan((first, second), control, rules, openings, data["seed"], data["pairs_per_unit"])
