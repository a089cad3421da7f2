"""`teresa analyse`: search a position and show what the search thinks of each move, while it thinks."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.report.columns import Context, find, lesson
from engine.report.node import Shape
from engine.terminal.numbers import positive
from engine.warmup import ensure_warm

if TYPE_CHECKING:
    from engine.analysis import Analysis
    from movegen import Position

SECONDS = 5.0
ROWS = 10
SECONDS_BETWEEN_PICTURES = 0.25
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Analyse a position; -> exit status."""
    options = _parser().parse_args(arguments)
    ensure_warm()
    try:
        columns = [find(text) for text in options.explain]
        analysis = _new_analysis(options)
        _check_moves(analysis.position, options.why)
    except ValueError as error:
        print(f"teresa analyse: {error}", file=sys.stderr)
        return 2
    seconds = SECONDS if options.seconds is None and options.visits is None else options.seconds
    was_interrupted = _search(analysis, seconds, options)
    reasons = [analysis.explain(move or None, options.extra) for move in options.why]
    if options.json:
        told = {"summary": analysis.summary(), "root": _root(analysis, options.moves), "why": reasons}
        print(json.dumps({**told, "history": analysis.history()}))
    else:
        _tell(analysis, options.moves, reasons)
        for column in columns:
            print("\n" + "\n".join(_lesson(analysis, column.key)))
    return INTERRUPTED if was_interrupted else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa analyse", description=__doc__)
    parser.add_argument("position", nargs="*", help="a FEN, or a PGN file (its last position); default: the start")
    parser.add_argument("--ply", type=int, metavar="N", help="of a PGN file: the position after so many half-moves")
    parser.add_argument("--chess960", action="store_true", help="Chess960 castling rules")
    parser.add_argument("--seconds", type=positive(float), help=f"how long (default {SECONDS:g})")
    parser.add_argument("--visits", type=positive(int), help="how many visits, instead of or besides --seconds")
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

    position = read_position(" ".join(options.position), options.ply, options.chess960)
    if not position.move_codes:
        raise ValueError(f"the game is over: {'checkmate' if position.in_check else 'stalemate'}")
    wanted = {"Formula": options.formula, "Evaluator": options.evaluator}
    return Analysis(position, {**wanted, "Hash": options.hash, "Threads": options.threads})


def read_position(text: str, ply: int | None, chess960: bool) -> "Position":
    """A FEN, or the last position of the first game in a PGN file; `ValueError` says what is wrong with it."""
    from movegen import Position

    if text.lower().endswith(".pgn") or (text and len(text) < 255 and Path(text).is_file()):
        return read_game(Path(text), ply)
    if ply is not None:
        raise ValueError("--ply is for PGN files")
    return Position(text, chess960=chess960) if text else Position()


def read_game(path: Path, ply: int | None) -> "Position":
    """The position of a game after so many half-moves, with what was played before; the last one if None."""
    import chess.pgn

    from movegen import Position

    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            game = chess.pgn.read_game(file)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if game is None:
        raise ValueError(f"{path}: there is no game in it")
    if game.errors:
        raise ValueError(f"{path}: {game.errors[0]}")
    board, moves = game.board(), list(game.mainline_moves())
    if ply is not None and not 0 <= ply <= len(moves):
        raise ValueError(f"{path}: the game has {len(moves)} half-moves, not {ply}")
    position = Position(board.fen(shredder=board.chess960), chess960=board.chess960)
    return position.play_all(board_uci(board, moves[:ply]))


def board_uci(board: Any, moves: list[Any]) -> list[str]:
    """Moves of a game as Teresa writes them."""
    texts = []
    for move in moves:
        texts.append(board.uci(move))
        board.push(move)
    return texts


def _check_moves(position: "Position", moves: list[str]) -> None:
    from engine.why.legality import objection

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

    from engine.terminal.table import new_console, picture

    console = new_console(is_terminal=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while analysis.is_searching:
            analysis.wait(SECONDS_BETWEEN_PICTURES)
            live.update(picture(analysis.summary(), _root(analysis, rows), console.width), refresh=True)


def _tell(analysis: "Analysis", rows: int, reasons: list[dict[str, Any]]) -> None:
    from engine.terminal.table import new_console, picture

    console = new_console(is_terminal=sys.stdout.isatty())
    console.print(picture(analysis.summary(), _root(analysis, rows), console.width))
    for told in reasons:
        print("\n" + "\n".join(told["text"]))


def _lesson(analysis: "Analysis", key: str) -> list[str]:
    """A column explained with the numbers of the best move."""
    report = analysis.report
    rows = report.rows(shape=Shape(lines=0, first_look=True))
    total = sum(row.n for row in rows)
    context = Context(report.summary()["visits"], total, report.source.settings)
    return lesson(find(key), rows[0], context, analysis.position.turn.capitalize())
