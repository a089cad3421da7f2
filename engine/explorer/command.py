"""`teresa explore`: watch a search in the browser, save it as a page, compare two."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.warmup import ensure_warm

if TYPE_CHECKING:
    from engine.analysis import Analysis
    from engine.explorer.own import OwnSession
    from engine.explorer.show import Show
    from movegen import Position

SAVED_SECONDS = 10.0
SETTINGS = {"formula": "Formula", "evaluator": "Evaluator", "threads": "Threads", "hash": "Hash", "batch": "Batch"}
MISSING = "the page needs more packages: pip install 'teresa-chess[explore]'"


def main(arguments: Sequence[str]) -> int:
    """Show a search in the browser; -> exit status."""
    options = _parser().parse_args(arguments)
    ensure_warm()
    try:
        if options.diff:
            from engine.explorer.compare import loaded

            return _show(loaded(*options.diff), options)
        session = _new_session(options)
        return _save(session, options) if options.save else _show_own(session, options)
    except ValueError as error:
        print(f"teresa explore: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa explore", description=__doc__)
    parser.add_argument("position", nargs="*", help="a FEN, or a PGN file (its last position); default: the start")
    parser.add_argument("--ply", type=int, metavar="N", help="of a PGN file: the position after so many half-moves")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rules")
    parser.add_argument("--formula", type=str.upper, choices=("PUCT", "UCB1"), default="PUCT")
    parser.add_argument("--evaluator", type=str.capitalize, choices=("Network", "Playout"), default="Network")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--beside", metavar="SETTINGS", help="a second search beside it, as formula=ucb1,evaluator=playout"
    )
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="two trees from `savetree`, side by side")
    parser.add_argument("--save", type=Path, metavar="FILE.html", help="search, write one page that works offline, end")
    parser.add_argument("--seconds", type=float, default=SAVED_SECONDS, help="for --save (default 10)")
    parser.add_argument("--port", type=int, default=0, help="of the server (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    return parser


def _new_session(options: argparse.Namespace) -> "OwnSession":
    from engine.explorer.own import OwnSession
    from engine.terminal.analyse import read_position

    position = read_position(" ".join(options.position), options.ply, options.chess960)
    if position.is_game_over(claim_draw=True):
        raise ValueError("the game is over in this position")
    first = {"Formula": options.formula, "Evaluator": options.evaluator}
    common = {"Hash": str(options.hash), "Threads": str(options.threads)}
    chosen = [first, first | read_settings(options.beside)] if options.beside else [first]
    return OwnSession([_new_search(position, common | one) for one in chosen])


def read_settings(text: str) -> dict[str, str]:
    """`formula=ucb1,evaluator=playout` as options; `ValueError` if it means nothing."""
    found = {}
    for part in text.split(","):
        name, is_there, value = part.partition("=")
        option = SETTINGS.get(name.strip().lower())
        if not is_there or option is None:
            raise ValueError(f"{part[:40]!a}: settings are {', '.join(f'{known}=…' for known in SETTINGS)}")
        found[option] = value.strip()
    return found


def _new_search(position: "Position", settings: dict[str, str]) -> tuple[str, "Analysis"]:
    from engine.analysis import Analysis

    analysis = Analysis(position, settings)
    options = analysis.searcher.options
    return f"{options.text('Formula')}, {options.text('Evaluator').lower()}", analysis


def _show_own(session: "OwnSession", options: argparse.Namespace) -> int:
    session.start()
    try:
        return _show(session, options)
    finally:
        session.close()


def _show(show: "Show", options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from engine.explorer.server import Server, open_browser
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    server = Server(show, options.port)
    print(f"{server.address}\n(Ctrl-C ends it)", flush=True)
    if not options.no_browser:
        open_browser(server.address)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        server.close()


def _save(session: "OwnSession", options: argparse.Namespace) -> int:
    """Search, write the page, end."""
    from engine.explorer.export import page_of

    if not 0 < options.seconds < 10**6:
        raise ValueError("--seconds must be more than 0")
    session.go()
    try:
        time.sleep(options.seconds)
    except KeyboardInterrupt:
        print("interrupted: what is known by now is saved", file=sys.stderr)
    session.pause()
    try:
        options.save.write_bytes(page_of(session))
    except OSError as error:
        raise ValueError(f"{options.save}: {error.strerror}") from None
    print(f"{options.save}: {options.save.stat().st_size / 1000:,.0f} kB")
    return 0
