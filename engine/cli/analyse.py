"""`teresa analyse`: search a position and show what the search thinks of each move, while it thinks."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.cli.arguments import add_limits, add_position, engine_options, position_from, positive, seconds_of
from engine.report.columns import context_of, find, lesson
from engine.report.node import Shape
from engine.warmup import ensure_warm
from movegen.moves import MAX_MOVES
from perft.exits import INTERRUPTED, reported

if TYPE_CHECKING:
    from engine.analysis import Analysis
    from engine.explain.explain import Explanation, NotLegal
    from movegen import Position

SECONDS = 5.0
ROWS = 10
SECONDS_BETWEEN_PICTURES = 0.25


def main(arguments: Sequence[str]) -> int:
    """Analyse a position; -> exit status."""
    options = _parser().parse_args(arguments)
    return reported("teresa analyse", lambda: _main(options))


def _main(options: argparse.Namespace) -> int:
    ensure_warm()
    from engine.explain.explain import answer

    columns = [find(text) for text in options.explain]
    analysis = _new_analysis(options)
    _check_moves(analysis.position, options.why)
    was_interrupted = _search(analysis, seconds_of(options, SECONDS), options)
    reasons = [answer(analysis.report, move or None, options.extra) for move in options.why]
    if options.json:
        root = _root(analysis, MAX_MOVES)
        told = {"summary": analysis.summary(), "root": root, "why": [reason.data() for reason in reasons]}
        print(json.dumps({**told, "history": analysis.history()}))
    else:
        _tell(analysis, options.moves, reasons)
        for column in columns:
            print("\n" + "\n".join(_lesson(analysis, column.key)))
    return INTERRUPTED if was_interrupted else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa analyse", description=__doc__)
    add_position(parser)
    add_limits(parser, SECONDS, "the search")
    parser.add_argument("--moves", "--multipv", type=positive(int), default=ROWS, metavar="N", help="rows to show")
    parser.add_argument("--formula", type=str.upper, choices=("PUCT", "UCB1"), default="PUCT")
    parser.add_argument("--evaluator", type=str.capitalize, choices=("Network", "Playout"), default="Network")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--why", nargs="?", const="", action="append", default=[], metavar="MOVE", help="why, or why not"
    )
    parser.add_argument(
        "--extra", type=positive(int), metavar="VISITS", help="for a move of --why, before it is judged"
    )
    parser.add_argument("--explain", action="append", default=[], metavar="COLUMN", help="how its number is made")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    return parser


# What to analyse


def _new_analysis(options: argparse.Namespace) -> "Analysis":
    from engine.analysis import Analysis

    engine_options(options)  # names the argument if one is wrong
    position, remark = position_from(options)
    if not position.move_codes:
        raise ValueError(f"the game is over: {'checkmate' if position.in_check else 'stalemate'}")
    if remark:
        print(remark, file=sys.stderr)
    wanted = {"Formula": options.formula, "Evaluator": options.evaluator}
    return Analysis(position, {**wanted, "Hash": options.hash, "Threads": options.threads})


def _check_moves(position: "Position", moves: list[str]) -> None:
    from engine.explain.legality import objection

    for move in moves:
        wrong = objection(position, move) if move else None
        if wrong is not None:
            raise ValueError(f"{move}: {wrong.text}")


# What is shown


def _search(analysis: "Analysis", seconds: float | None, options: argparse.Namespace) -> bool:
    """Search, and show how it stands meanwhile if somebody looks; -> was it interrupted?"""
    analysis.start(seconds, options.visits)
    try:
        if sys.stdout.isatty() and not options.json:
            _watch(analysis, options.moves)
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_PICTURES)
    except KeyboardInterrupt:
        analysis.stop()
        return True
    return False


def _root(analysis: "Analysis", rows: int) -> dict[str, Any]:
    return analysis.children(k=rows, shape=Shape(lines=rows, first_look=True))


def _watch(analysis: "Analysis", rows: int) -> None:
    from rich.live import Live

    from engine.cli.table import new_console, picture

    console = new_console(is_terminal=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_PICTURES)
            live.update(picture(analysis.summary(), _root(analysis, rows), console.width), refresh=True)


def _tell(analysis: "Analysis", rows: int, reasons: "list[Explanation | NotLegal]") -> None:
    from engine.cli.table import new_console, picture, print_lines
    from engine.explain.text import EXTRA, lines_of

    console = new_console(is_terminal=sys.stdout.isatty())
    console.print(picture(analysis.summary(), _root(analysis, rows), console.width))
    for told in reasons:
        print_lines(console, ["", *lines_of(told, EXTRA)])


def _lesson(analysis: "Analysis", key: str) -> list[str]:
    """A column explained with the numbers of the best move."""
    report = analysis.report
    row = report.rows(k=1, shape=Shape(lines=0, first_look=True))[0]
    return lesson(find(key), row, context_of(report.snapshot, ""), analysis.position.turn.capitalize())
