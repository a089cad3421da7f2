"""`teresa explore`: watch a search in the browser, save it as a page, compare two."""

import argparse
import math
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import add_position, position_from, positive, seconds_of
from engine.config.options import BY_NAME
from engine.system.extras import check_extra
from engine.system.output_file import check_writable, write_whole
from engine.warmup import ensure_warm
from perft.exits import reported

if TYPE_CHECKING:
    from engine.analysis import Analysis
    from engine.explorer.interactive import InteractiveSession
    from engine.explorer.server import Server
    from engine.explorer.view import View
    from movegen import Position

SAVED_SECONDS = 10.0
SECONDS_BETWEEN_LOOKS = 0.05
SETTINGS = {"formula": "Formula", "evaluator": "Evaluator", "threads": "Threads", "hash": "Hash", "batch": "Batch"}


def main(arguments: Sequence[str]) -> int:
    """Show a search in the browser; -> exit status."""
    options = _parser().parse_args(arguments)
    return reported("teresa explore", lambda: _main(options))


def _main(options: argparse.Namespace) -> int:
    _check(options)
    ensure_warm()
    if options.diff:
        from engine.explorer.compare import loaded

        return _show(loaded(*options.diff), options)
    session = _new_session(options)
    return _save(session, options) if options.save else _show_interactive(session, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa explore", description=__doc__)
    add_position(parser)
    parser.add_argument("--formula", type=str.upper, choices=("PUCT", "UCB1"), default="PUCT")
    parser.add_argument("--evaluator", type=str.capitalize, choices=("Network", "Playout"), default="Network")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--beside", metavar="SETTINGS", help="a second search beside it, as formula=ucb1,evaluator=playout"
    )
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="two trees from `savetree`, side by side")
    parser.add_argument("--save", type=Path, metavar="FILE.html", help="search, write one page that works offline, end")
    parser.add_argument("--force", action="store_true", help="with --save: over any file that is there")
    seconds = f"length of the search (default: {SAVED_SECONDS:g} with --save, else as long as a page watches)"
    parser.add_argument("--seconds", type=positive(float), help=seconds)
    parser.add_argument(
        "--visits", type=positive(int), metavar="N", help="for the search, instead of or besides --seconds"
    )
    parser.add_argument("--port", type=int, default=0, help="of the server (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    return parser


def _check(options: argparse.Namespace) -> None:
    """`ValueError` for what can be seen to be wrong before anything is compiled or searched."""
    port = BY_NAME["explorer port"]
    if not port.lowest <= options.port <= port.highest:
        raise ValueError(f"--port must be from {port.lowest} to {port.highest}, not {options.port}")
    if options.diff and (options.save or options.seconds or options.visits or options.beside or options.position):
        raise ValueError(
            "--diff shows two saved searches: no position, --beside, --save, --seconds or --visits with it"
        )
    if options.force and not options.save:
        raise ValueError("--force is for --save")
    for name in ("hash", "threads"):
        _checked(name, str(getattr(options, name)))
    if options.beside:
        read_settings(options.beside)
    if options.save:
        from engine.explorer.offline import is_page

        check_writable(options.save, is_ours=is_page, kind="a page that `explore --save` wrote", force=options.force)
    else:
        check_extra("explore")


def _new_session(options: argparse.Namespace) -> "InteractiveSession":
    from engine.explorer.interactive import InteractiveSession

    position, remark = position_from(options)
    if position.is_game_over(claim_draw=True):
        raise ValueError("the game is over in this position")
    if remark:
        print(remark, file=sys.stderr)
    first = {"Formula": options.formula, "Evaluator": options.evaluator}
    common = {"Hash": str(options.hash), "Threads": str(options.threads)}
    chosen = [first, first | read_settings(options.beside)] if options.beside else [first]
    return InteractiveSession([_new_search(position, common | one) for one in chosen], options.visits)


def read_settings(text: str) -> dict[str, str]:
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


def _new_search(position: "Position", settings: dict[str, str]) -> tuple[str, "Analysis"]:
    from engine.analysis import Analysis

    analysis = Analysis(position, settings)
    options = analysis.searcher.options
    return f"{options.formula}, {options.evaluator.lower()}", analysis


def _show_interactive(session: "InteractiveSession", options: argparse.Namespace) -> int:
    session.start()
    end = threading.Timer(options.seconds or 0, session.pause)
    end.daemon = True
    if options.seconds:
        end.start()
    try:
        return _show(session, options)
    finally:
        end.cancel()
        session.close()


def _show(view: "View", options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from engine.explorer.server import Server

    server = Server(view, options.port)
    try:
        print(f"{server.address}\n(Ctrl-C ends it)", flush=True)
        if not options.no_browser:
            _open_browser(server)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()


def _open_browser(server: "Server") -> None:
    try:
        server.open_browser()
    except ValueError as error:  # the address is printed: any browser can open it
        print(f"teresa explore: {error}", file=sys.stderr)


def _save(session: "InteractiveSession", options: argparse.Namespace) -> int:
    """Search, write the page, end."""
    from engine.explorer.offline import page_of

    seconds = seconds_of(options, SAVED_SECONDS)
    end = math.inf if seconds is None else time.monotonic() + seconds
    session.go()
    try:
        while session.is_searching and time.monotonic() < end:
            time.sleep(min(SECONDS_BETWEEN_LOOKS, max(0.0, end - time.monotonic())))
    except KeyboardInterrupt:
        print("teresa explore: interrupted; what is known by now is saved", file=sys.stderr)
    session.pause()
    page = page_of(session)
    write_whole(options.save, page)
    print(f"{options.save}: {len(page) / 1000:,.0f} kB")
    return 0
