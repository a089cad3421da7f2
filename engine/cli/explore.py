"""`teresa explore`: a game or a position in the browser with its search; saved as a page, or two compared."""

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from engine.analysis import Analysis
from engine.cli.arguments import (
    add_force,
    add_formula,
    add_limits,
    add_memory_and_threads,
    add_position,
    add_weights,
    asked_position,
    engine_options,
    opened,
    seconds_of,
)
from engine.cli.explore_game import ChosenGame, check_original, new_page, save_judged, show, show_interactive
from engine.cli.progress import warm_up
from engine.config.options import BY_NAME, Options
from engine.explorer.export import is_annotated
from engine.explorer.interactive import InteractiveSession
from engine.explorer.page_files import is_page, page_of
from engine.explorer.view import loaded
from engine.pgn.positions import AskedPosition, is_file_name
from engine.report.tree_file import check_saved_tree
from engine.review.plan import Plan
from engine.search.clock import limits_of
from engine.system.environment import check_extra
from engine.system.files import check_writable, write_whole
from movegen import Position
from perft.exits import DONE, INTERRUPTED, reported

SAVED_SECONDS = 10.0
SECONDS_PER_SLEEP = 0.05
SETTINGS = {
    "formula": "Formula",
    "evaluator": "Evaluator",
    "weights": "EvalFile",
    "threads": "Threads",
    "hash": "Hash",
    "batch": "Batch",
}


def main(argv: Sequence[str]) -> int:
    """Show a search in the browser; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa explore", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    _check(arguments)
    if arguments.diff:
        warm_up()
        return show(loaded(*arguments.diff), arguments.port, has_browser=not arguments.no_browser)
    if arguments.save and not _is_whole_game(arguments):
        asked = _asked(arguments)
        warm_up()
        return _save(_new_session(opened(asked), arguments), arguments)
    chosen = _chosen(arguments)
    warm_up()
    return _save_game(chosen, arguments) if arguments.save or arguments.save_pgn else _show_game(chosen, arguments)


def _name(arguments: argparse.Namespace) -> str:
    """The FEN or the file."""
    return " ".join(arguments.position)


def _is_whole_game(arguments: argparse.Namespace) -> bool:
    """Is a game saved, and not the search of a position?"""
    return is_file_name(_name(arguments)) and arguments.ply is None


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa explore", description=__doc__)
    add_position(parser, of_game="of which a whole game")
    add_formula(parser)
    add_memory_and_threads(parser)
    add_weights(parser)
    parser.add_argument(
        "--beside", metavar="SETTINGS", help="a second search for comparison, such as formula=ucb1,evaluator=playout"
    )
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="two trees from `savetree`, side by side")
    parser.add_argument(
        "--save", type=Path, metavar="FILE.html", help="search, write a page that works offline, and end"
    )
    parser.add_argument("--save-pgn", type=Path, metavar="FILE.pgn", help="judge a game, write it as PGN, and end")
    add_force(parser, "with --save or --save-pgn: overwrite the file, whatever is in it")
    add_limits(
        parser,
        f"{SAVED_SECONDS:g} with --save, those of `review` for a whole game, else while a page is open",
        "the search",
    )
    parser.add_argument("--port", type=int, default=0, help="of the server (default: any free port)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    return parser


def _check(arguments: argparse.Namespace) -> None:
    """`ValueError` for arguments that are wrong, before anything is compiled or searched."""
    port = BY_NAME["explorer port"]
    if not port.lowest <= arguments.port <= port.highest:
        raise ValueError(f"--port must be from {port.lowest} to {port.highest}, not {arguments.port}")
    if arguments.diff and (
        arguments.save or arguments.seconds or arguments.visits or arguments.beside or arguments.position
    ):
        raise ValueError(
            "--diff shows two saved searches: no position, --beside, --save, --seconds or --visits with it"
        )
    if arguments.force and not (arguments.save or arguments.save_pgn):
        raise ValueError("--force is for --save and --save-pgn")
    for name in ("hash", "threads"):
        _checked(name, str(getattr(arguments, name)))
    if arguments.beside:
        _check_beside(arguments)
    for name in arguments.diff or ():
        check_saved_tree(Path(name))
    if arguments.save_pgn:
        _check_pgn(arguments)
    if arguments.save:
        check_writable(
            arguments.save, is_ours=is_page, kind="a page that `explore --save` wrote", force=arguments.force
        )
    elif not arguments.save_pgn:
        check_extra("explore")


def _check_beside(arguments: argparse.Namespace) -> None:
    read_beside(arguments.beside)
    if (arguments.save or arguments.save_pgn) and _is_whole_game(arguments):
        raise ValueError("--beside is for a position: a game is judged by one search (--ply chooses a position)")


def _check_pgn(arguments: argparse.Namespace) -> None:
    if not _is_whole_game(arguments) or arguments.diff:
        raise ValueError("--save-pgn is for a PGN file, without --ply")
    check_original(arguments.save_pgn, _name(arguments))
    kind = "a game that `explore --save-pgn` wrote"
    check_writable(arguments.save_pgn, is_ours=is_annotated, kind=kind, force=arguments.force)


def _asked(arguments: argparse.Namespace) -> AskedPosition:
    asked = asked_position(arguments, chess960=arguments.chess960)
    if asked.is_over:
        raise ValueError("the game is over in this position")
    return asked


def _chosen(arguments: argparse.Namespace) -> ChosenGame:
    """The game of a file, or an empty one."""
    if is_file_name(_name(arguments)):
        return ChosenGame.in_file(_name(arguments), arguments.game, arguments.ply, arguments.encoding)
    asked = _asked(arguments)
    return ChosenGame.empty(asked.fen, chess960=asked.board.chess960)


def _show_game(chosen: ChosenGame, arguments: argparse.Namespace) -> int:
    searches = _searches(chosen.position, arguments)
    session = new_page(chosen, searches, engine_options(arguments), None, arguments.visits)
    return show_interactive(session, arguments.seconds, arguments.port, has_browser=not arguments.no_browser)


def _save_game(chosen: ChosenGame, arguments: argparse.Namespace) -> int:
    """Judge a whole game and write it."""
    is_limited = arguments.seconds is not None or arguments.visits is not None
    plan = Plan.of(limits_of(arguments.seconds, arguments.visits)) if is_limited else None
    session = new_page(chosen, _searches(chosen.position, arguments)[:1], engine_options(arguments), plan, None)
    return save_judged(session, arguments.save, arguments.save_pgn)


def _new_session(position: Position, arguments: argparse.Namespace) -> InteractiveSession:
    return InteractiveSession(_searches(position, arguments), arguments.visits)


def _searches(position: Position, arguments: argparse.Namespace) -> list[tuple[str, Analysis]]:
    """One search, or two to compare."""
    searches = [engine_options(arguments)]
    if arguments.beside:
        second = engine_options(arguments)
        for name, value in read_beside(arguments.beside).items():
            second.set(name, value)
        searches.append(second)
    return [_new_search(position, options) for options in searches]


def read_beside(text: str) -> dict[str, str]:
    """`formula=ucb1,evaluator=playout` as options; `ValueError` if it means nothing."""
    found = {}
    for part in text.split(","):
        name, is_there, value = part.partition("=")
        option = SETTINGS.get(name.strip().lower())
        if not is_there or option is None:
            raise ValueError(f"{part[:40]!a}: settings are {', '.join(f'{known}=…' for known in SETTINGS)}")
        found[option] = _checked(name.strip().lower(), value.strip())
    return found


def _checked(name: str, value: str) -> str:
    """The value of a setting; `ValueError` says which ones it may have."""
    try:
        BY_NAME[SETTINGS[name].lower()].parse(value)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None
    return value


def _new_search(position: Position, options: Options) -> tuple[str, Analysis]:
    """A search and its title."""
    evaluator = Path(options.eval_file).name.split(".")[0] if options.eval_file else options.evaluator.lower()
    return f"{options.formula}, {evaluator}", Analysis(position, options)


def _save(session: InteractiveSession, arguments: argparse.Namespace) -> int:
    """Search, write the page, end."""
    seconds = seconds_of(arguments, SAVED_SECONDS)
    end = math.inf if seconds is None else time.monotonic() + seconds
    status = DONE
    session.go()
    try:
        while session.is_searching and time.monotonic() < end:
            time.sleep(min(SECONDS_PER_SLEEP, max(0.0, end - time.monotonic())))
    except KeyboardInterrupt:
        print("teresa explore: interrupted; the search up to now is saved", file=sys.stderr)
        status = INTERRUPTED
    session.pause()
    page = page_of(session)
    write_whole(arguments.save, page)
    print(f"{arguments.save}: {len(page) / 1000:,.0f} kB")
    return status
