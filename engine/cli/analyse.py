"""`teresa analyse`: search a position and show what the search thinks of each move, also while it runs."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.live import Live

from engine.analysis import USUAL_SECONDS, Analysis
from engine.cli.arguments import (
    add_formula,
    add_limits,
    add_memory_and_threads,
    add_position,
    add_weights,
    asked_position,
    engine_options,
    opened,
    positive_number,
    seconds_of,
)
from engine.cli.console import TABLE_ROWS, new_console, print_lines, search_view
from engine.cli.progress import warm_up
from engine.explain.explain import Explanation, NotLegal, answer
from engine.explain.legality import objection
from engine.explain.text import EXTRA_HINT, data_of, lines_of
from engine.pgn.positions import AskedPosition, is_move
from engine.report.columns import find, lesson
from engine.report.formulas import context_of
from engine.report.node import Shape
from movegen import Position
from movegen.moves import MAX_MOVES
from perft.exits import DONE, INTERRUPTED, reported

SECONDS_BETWEEN_TABLES = 0.25


def main(argv: Sequence[str]) -> int:
    """Analyse a position; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa analyse", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    columns, options, asked = [find(text) for text in arguments.explain], engine_options(arguments), _asked(arguments)
    warm_up()
    analysis = Analysis(opened(asked), options)
    _check_moves(analysis.position, arguments.why)
    was_interrupted = _search(analysis, seconds_of(arguments, USUAL_SECONDS), arguments)
    reasons = [answer(analysis.report, move or None, arguments.extra) for move in arguments.why]
    if arguments.json:
        root = _root(analysis, MAX_MOVES)
        data = {"summary": analysis.summary(), "root": root, "why": [data_of(reason) for reason in reasons]}
        print(json.dumps({**data, "history": analysis.history()}))
    else:
        _print_report(analysis, arguments.moves, reasons)
        for column in columns:
            print("\n" + "\n".join(_lesson(analysis, column.key)))
    return INTERRUPTED if was_interrupted else DONE


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa analyse", description=__doc__)
    add_position(parser)
    add_limits(parser, USUAL_SECONDS, "the search")
    parser.add_argument(
        "--moves", "--multipv", type=positive_number(int), default=TABLE_ROWS, metavar="N", help="rows to show"
    )
    add_formula(parser)
    add_memory_and_threads(parser)
    add_weights(parser)
    parser.add_argument(
        "--why",
        nargs="?",
        const="",
        action="append",
        default=[],
        metavar="MOVE",
        help="explain a move (default: the best one): why, or why not",
    )
    parser.add_argument(
        "--extra", type=positive_number(int), metavar="VISITS", help="of a separate search for each move of --why"
    )
    parser.add_argument(
        "--explain", action="append", default=[], metavar="COLUMN", help="show how the numbers of a column are made"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return parser


# What to analyse


def _asked(arguments: argparse.Namespace) -> AskedPosition:
    """The position; `ValueError` for wrong arguments, before anything is compiled."""
    asked = asked_position(arguments, chess960=arguments.chess960)
    if not any(asked.board.legal_moves) and asked.is_over:
        raise ValueError(f"the game is over: {'checkmate' if asked.board.is_check() else 'stalemate'}")
    doubtful = [move for move in arguments.why if move and not is_move(asked.board, move)]
    if doubtful:  # only the kernels of the rules are compiled to say what is wrong
        _check_moves(asked.open().position, doubtful)
    return asked


def _check_moves(position: Position, moves: list[str]) -> None:
    for move in moves:
        wrong = objection(position, move) if move else None
        if wrong is not None:
            raise ValueError(f"{move}: {wrong.text}")


# What is shown


def _search(analysis: Analysis, seconds: float | None, arguments: argparse.Namespace) -> bool:
    """Search, and on a terminal show the table meanwhile; -> was it interrupted?"""
    analysis.start(seconds, arguments.visits)
    try:
        if sys.stdout.isatty() and not arguments.json:
            _watch(analysis, arguments.moves)
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_TABLES)
    except KeyboardInterrupt:
        analysis.stop()
        return True
    return False


def _root(analysis: Analysis, rows: int) -> dict[str, Any]:
    return analysis.children(k=rows, shape=Shape(lines=rows, first_look=True))


def _watch(analysis: Analysis, rows: int) -> None:

    console = new_console(is_terminal=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_TABLES)
            live.update(search_view(analysis.summary(), _root(analysis, rows), console.width), refresh=True)


def _print_report(analysis: Analysis, rows: int, reasons: list[Explanation | NotLegal]) -> None:
    console = new_console(is_terminal=sys.stdout.isatty())
    console.print(search_view(analysis.summary(), _root(analysis, rows), console.width))
    for reason in reasons:
        print_lines(console, ["", *lines_of(reason, EXTRA_HINT)])


def _lesson(analysis: Analysis, key: str) -> list[str]:
    """A column explained with the numbers of the best move."""
    report = analysis.report
    row = report.rows(k=1, shape=Shape(lines=0, first_look=True))[0]
    return lesson(find(key), row, context_of(report.snapshot, ""), analysis.position.turn.capitalize())
