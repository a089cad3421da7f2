"""`teresa review`: every move of the games in a PGN file is judged."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.terminal.numbers import positive
from engine.warmup import ensure_warm

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from engine.review.game import Review
    from engine.review.judge import Judge

SECONDS = 1.0
INTERRUPTED = 130
LONGEST_SPARKLINE = 100


def main(arguments: Sequence[str]) -> int:
    """Judge games; -> exit status."""
    options = _parser().parse_args(arguments)
    ensure_warm()
    try:
        reviews = _read(options)
        judge = _new_judge(options)
    except ValueError as error:
        print(f"teresa review: {error}", file=sys.stderr)
        return 2
    was_interrupted = _run(reviews, judge)
    try:
        _write(reviews, options)
    except OSError as error:
        print(f"teresa review: {error.filename or options.output}: {error.strerror}", file=sys.stderr)
        return 1
    if options.json:
        from engine.review import SCHEMA

        print(json.dumps({"schema": SCHEMA, "games": [review.data() for review in reviews]}))
    else:
        _tell(reviews)
    return INTERRUPTED if was_interrupted else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa review", description=__doc__)
    parser.add_argument("file", type=Path, metavar="GAMES.pgn")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.pgn", help="the games with evaluations and lines")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE.svg", help="the score over the game; of several games, numbered files"
    )
    parser.add_argument("--seconds", type=positive(float), help=f"for each position (default {SECONDS:g})")
    parser.add_argument("--visits", type=positive(int), help="for each position, instead of or besides --seconds")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="not 0: with --visits the numbers repeat themselves")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    return parser


def _read(options: argparse.Namespace) -> list["Review"]:
    """The games; where to write is looked at before the long work."""
    from engine.review.game import Review
    from engine.terminal.files import read_games

    for path in (options.output, options.picture):
        if path is None:
            continue
        if not path.absolute().parent.is_dir():
            raise ValueError(f"{path}: there is no such folder")
        if path.exists() and options.file.exists() and path.samefile(options.file):
            raise ValueError(f"{path}: the original stays as it is; choose another name")
    return [Review.of(game) for game in read_games(options.file)]


def _new_judge(options: argparse.Namespace) -> "Judge":
    from engine.options import Settings
    from engine.review.judge import Judge
    from engine.terminal.pace import Pace, search

    settings = Settings()
    for name, value in (("Hash", options.hash), ("Threads", options.threads), ("Seed", options.seed)):
        settings.set(name, str(value))
    seconds = SECONDS if options.seconds is None and options.visits is None else options.seconds
    return Judge(settings, Pace(seconds, options.visits).limits, search)


def _run(reviews: list["Review"], judge: "Judge") -> bool:
    """Judge all games; -> was it interrupted? What was judged until then stays."""
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
    try:
        with progress:
            for number, review in enumerate(reviews, 1):
                _watch(review, judge, progress, f"game {number} of {len(reviews)}")
    except KeyboardInterrupt:
        return True
    return False


def _watch(review: "Review", judge: "Judge", progress: "Progress", name: str) -> None:
    task = progress.add_task(name, total=len(review.codes))
    for _ in review.run(judge):
        progress.advance(task)
    progress.remove_task(task)


def _write(reviews: list["Review"], options: argparse.Namespace) -> None:
    from engine.review.annotate import annotate
    from engine.review.picture import svg
    from engine.terminal.files import text_of, write_whole

    if options.picture is not None:
        for number, review in enumerate(reviews, 1):
            name = options.picture.name if len(reviews) == 1 else f"{options.picture.stem}-{number}.svg"
            write_whole(options.picture.with_name(name), svg(review))
    if options.output is not None:
        for review in reviews:
            annotate(review)
        write_whole(options.output, text_of([review.game for review in reviews]))


# What is shown


def _tell(reviews: list["Review"]) -> None:
    from engine.terminal.table import new_console

    console = new_console(is_terminal=sys.stdout.isatty())
    for number, review in enumerate(reviews, 1):
        if len(reviews) > 1:
            console.print(f"{'' if number == 1 else chr(10)}Game {number}", style="bold")
        _tell_game(review, console)
    console.print(
        "Scores: win 1, draw 1/2, loss 0. A loss of .05 is an inaccuracy, of .10 a mistake, of .15 a blunder."
    )


def _tell_game(review: "Review", console: "Console") -> None:
    from engine.review.picture import BARS, sparkline, white_scores
    from engine.terminal.board import can_show
    from engine.terminal.files import printable

    if review.note:
        console.print(f"note: {printable(review.note)}", markup=False)
    if not review.moves:
        return
    if len(review.moves) < len(review.codes):
        console.print(f"{len(review.moves)} of {len(review.codes)} half-moves were judged")
    width = min(LONGEST_SPARKLINE, console.width - 16)
    console.print("White's score " + sparkline(white_scores(review), width, bars=can_show(BARS)), markup=False)
    console.print(_players(review))
    _tell_losses(review, console)


def _players(review: "Review") -> "Table":
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from engine.review.game import SIDES
    from engine.terminal.files import printable

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("side", "player", "moves", "average loss", "inaccuracies", "mistakes", "blunders"):
        table.add_column(column, justify="left" if column in ("side", "player") else "right")
    for side in SIDES:
        told = review.player(side)
        loss = "-" if told["average_loss"] is None else f"{told['average_loss']:.3f}".removeprefix("0")
        counts = [str(told[word]) for word in ("moves", "inaccuracy", "mistake", "blunder")]
        table.add_row(side, escape(printable(told["name"])), counts[0], loss, *counts[1:])
    return table


def _tell_losses(review: "Review", console: "Console") -> None:
    from engine.review.verdict import MARKS, Verdict
    from engine.why.words import score_text

    styles = {Verdict.INACCURACY: "yellow", Verdict.MISTAKE: "magenta", Verdict.BLUNDER: "bold red"}
    for move in review.moves:
        if move.verdict is not Verdict.NONE:
            best = f"{move.before.san} has {score_text(move.before.score)}: {' '.join(move.before.line)}"
            text = f"{move.name}{MARKS[move.verdict]}  {move.verdict}, score {score_text(move.score)}; {best}"
            console.print(text, style=styles[move.verdict], markup=False, soft_wrap=True)
