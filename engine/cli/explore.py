"""`teresa explore`: watch a search in the browser, save it as a page, compare two."""

import argparse
import math
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
from engine.cli.progress import warm_up
from engine.config.options import BY_NAME, Options
from engine.explorer.interactive import InteractiveSession
from engine.explorer.page_files import is_page, page_of
from engine.explorer.view import View, loaded
from engine.pgn.positions import AskedPosition
from engine.report.tree_file import check_saved_tree
from engine.system.environment import check_extra
from engine.system.files import check_writable, write_whole
from movegen import Position
from perft.exits import DONE, INTERRUPTED, reported

if TYPE_CHECKING:
    from engine.explorer.server import Server

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
        return _show(loaded(*arguments.diff), arguments)
    asked = _asked(arguments)
    warm_up()
    session = _new_session(opened(asked), arguments)
    return _save(session, arguments) if arguments.save else _show_interactive(session, arguments)


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa explore", description=__doc__)
    add_position(parser)
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
    add_force(parser, "with --save: overwrite the file, whatever is in it")
    add_limits(parser, f"{SAVED_SECONDS:g} with --save, else while a page is open", "the search")
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
    if arguments.force and not arguments.save:
        raise ValueError("--force is for --save")
    for name in ("hash", "threads"):
        _checked(name, str(getattr(arguments, name)))
    if arguments.beside:
        read_beside(arguments.beside)
    for name in arguments.diff or ():
        check_saved_tree(Path(name))
    if arguments.save:
        check_writable(
            arguments.save, is_ours=is_page, kind="a page that `explore --save` wrote", force=arguments.force
        )
    else:
        check_extra("explore")


def _asked(arguments: argparse.Namespace) -> AskedPosition:
    asked = asked_position(arguments, chess960=arguments.chess960)
    if asked.is_over:
        raise ValueError("the game is over in this position")
    return asked


def _new_session(position: Position, arguments: argparse.Namespace) -> InteractiveSession:
    searches = [engine_options(arguments)]
    if arguments.beside:
        second = engine_options(arguments)
        for name, value in read_beside(arguments.beside).items():
            second.set(name, value)
        searches.append(second)
    return InteractiveSession([_new_search(position, options) for options in searches], arguments.visits)


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


def _show_interactive(session: InteractiveSession, arguments: argparse.Namespace) -> int:
    session.start()
    end = threading.Timer(arguments.seconds or 0, session.pause)
    end.daemon = True
    if arguments.seconds:
        end.start()
    try:
        return _show(session, arguments)
    finally:
        end.cancel()
        session.close()


def _show(view: View, arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, which is how the user ends it: that is no interruption."""
    from engine.explorer.server import Server  # needs the extra `explore`

    server = Server(view, arguments.port)
    try:
        print(f"{server.address}\n(Ctrl-C ends it)", flush=True)
        if not arguments.no_browser:
            _open_browser(server)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return DONE
    finally:
        server.close()


def _open_browser(server: "Server") -> None:
    try:
        server.open_browser()
    except ValueError as error:  # the address is printed: any browser can open it
        print(f"teresa explore: {error}", file=sys.stderr)


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
