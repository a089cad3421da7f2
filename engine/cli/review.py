"""`teresa review`: every move of the games in PGN files is judged."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import add_force, add_game, add_limits, engine_options, seconds_of
from engine.cli.play.farewell import ended_by_signals, status_after
from engine.cli.progress import Progress
from engine.warmup import ensure_warm
from perft.exits import reported

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from engine.cli.play.pace import Pace
    from engine.pgn.game_file import FoundGame, GameFile
    from engine.review.game import Review
    from engine.review.judge import Judge
    from engine.review.output import ReviewFile

SECONDS = 1.0
LONGEST_SPARKLINE = 100
SHORTEST_NAME = 8


def main(arguments: Sequence[str]) -> int:
    """Judge games; -> exit status."""
    options = _parser().parse_args(arguments)
    return reported("teresa review", lambda: _main(options))


def _main(options: argparse.Namespace) -> int:
    with ExitStack() as stack:
        files = _open(options, stack)
        work = _Work(options, files)
        ensure_warm()
        judge = _new_judge(options, work.pace)
        with ended_by_signals():
            try:
                work.run(judge)
            except KeyboardInterrupt as end:
                work.end()
                print(f"teresa review: interrupted{work.how_to_go_on}", file=sys.stderr)
                return status_after(end)
            except ValueError:
                work.end()
                raise
        work.end()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa review", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="GAMES.pgn", help="- is standard input")
    add_game(parser, "all")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.pgn", help="the games with evaluations and lines")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE.svg", help="the score over the game; of several games, numbered files"
    )
    parser.add_argument("--resume", action="store_true", help="go on: games that are judged in -o already stay")
    add_force(parser)
    add_limits(parser, SECONDS, "each position")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="not 0: with --visits the numbers repeat themselves")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    return parser


# What to read and to write


def _open(options: argparse.Namespace, stack: ExitStack) -> list["GameFile"]:
    """The files; each has a game. `ValueError` says what is wrong."""
    from engine.pgn.game_file import GameFile

    if options.game is not None and len(options.files) > 1:
        raise ValueError("--game is for one file")
    files = [stack.enter_context(GameFile(name, options.encoding)) for name in options.files]
    for file in files:
        file.game(1)
    return files


def _new_judge(options: argparse.Namespace, pace: "Pace") -> "Judge":
    from engine.cli.play.pace import search
    from engine.review.judge import Judge

    return Judge(engine_options(options), pace.limits, search)


def _new_output(options: argparse.Namespace, files: list["GameFile"]) -> "ReviewFile | None":
    """Where the games are written, in the encoding of the files if they have one; checked before the long work."""
    from engine.pgn.encoding import Encoding
    from engine.review.output import KIND, ReviewFile, is_review
    from engine.system.output_file import check_writable

    if options.output is None:
        if options.resume:
            raise ValueError("--resume needs -o: the file in which the games are that were judged")
        return None
    _check_original(options.output, options.files)
    check_writable(options.output, is_ours=is_review, kind=KIND, force=options.force or options.resume)
    codings = {file.encoding for file in files}
    return ReviewFile(options.output, codings.pop() if len(codings) == 1 else Encoding())


def _check_picture(options: argparse.Namespace, *, is_alone: bool) -> None:
    """Pictures are checked before the long work: the one, or the numbered ones that are there already."""
    from engine.review.chart import is_chart
    from engine.system.output_file import check_writable

    picture: Path | None = options.picture
    if picture is None:
        return
    numbered = re.compile(re.escape(picture.stem) + r"-\d+\.svg")
    folder = picture.absolute().parent
    there = [path for path in folder.iterdir() if numbered.fullmatch(path.name)] if folder.is_dir() else []
    for path in [picture] if is_alone else [picture.with_name(f"{picture.stem}-1.svg"), *there]:
        _check_original(path, options.files)
        check_writable(path, is_ours=is_chart, kind="a picture by Teresa", force=options.force)


def _check_original(path: Path, names: list[str]) -> None:
    for original in map(Path, names):
        if path.exists() and original.exists() and path.samefile(original):
            raise ValueError(f"{path}: the original stays as it is; choose another name")


class _Work:
    """All games of a review, from the files to what is written and shown."""

    def __init__(self, options: argparse.Namespace, files: list["GameFile"]) -> None:
        from engine.cli.play.pace import Pace

        self.options, self.files = options, files
        self._chosen = files[0].game(options.game) if options.game else None
        engine_options(options)  # names the argument if one is wrong
        self.pace = Pace(seconds_of(options, SECONDS), options.visits)
        self._output = _new_output(options, files)
        self._is_alone = self._is_single_game()
        _check_picture(options, is_alone=self._is_alone)
        self._done = self._output.resume(self._games(), self.pace.text) if self._output and options.resume else 0
        self._show: _Json | _Text = _Json() if options.json else _Text([] if self._is_alone else files)
        if self._done:
            print(f"{self._done} games are judged already", file=sys.stderr)

    def _games(self) -> Iterator["FoundGame"]:
        if self._chosen is not None:
            yield self._chosen
            return
        for file in self.files:
            yield from file.games()

    def _is_single_game(self) -> bool:
        games = self._games()
        next(games)
        return next(games, None) is None

    @property
    def how_to_go_on(self) -> str:
        """What to say about an end before the end."""
        return "" if self._output is None else "; the same command with --resume goes on"

    def run(self, judge: "Judge") -> None:
        """Judge game after game. `KeyboardInterrupt` comes after what was judged is written."""
        from engine.review.game import Review

        for number, found in enumerate(self._games(), 1):
            if number <= self._done:
                continue
            review = Review.of(found)
            try:
                with Progress(self._name(found), len(review.codes)) as progress:
                    for _ in review.run(judge):
                        progress.advance()
            except KeyboardInterrupt:
                if review.moves:
                    self._finish(review, number)
                raise
            self._finish(review, number)

    def _name(self, found: "FoundGame") -> str:
        file = next(file for file in self.files if file.name == found.file)
        share = "" if self._is_alone else f" ({file.share_read:.0%} of the file)"
        return f"game {found.number}{share}" if len(self.files) == 1 else f"{found.file}, game {found.number}{share}"

    def _finish(self, review: "Review", number: int) -> None:
        """Write a game, then show it: standard output may be full or closed."""
        from engine.review.chart import svg
        from engine.review.output import judged_text
        from engine.system.output_file import write_whole

        picture: Path | None = self.options.picture
        if picture is not None:
            name = picture.name if self._is_alone else f"{picture.stem}-{number}.svg"
            write_whole(picture.with_name(name), svg(review))
        if self._output is not None:
            self._output.append(judged_text(review, self.pace.text))
        self._show.add(review)

    def end(self) -> None:
        """Close what is shown."""
        self._show.end()


# What is shown


class _Json:
    """One JSON document, printed game by game."""

    def __init__(self) -> None:
        from engine.review import SCHEMA

        self._before = f'{{"schema": {json.dumps(SCHEMA)}, "games": ['

    def add(self, review: "Review") -> None:
        """Another game."""
        print(self._before + json.dumps(review.data()), end="", flush=True)
        self._before = ", "

    def end(self) -> None:
        """No more games."""
        print(("" if self._before == ", " else self._before) + "]}", flush=True)


class _Text:
    """Tables for people."""

    def __init__(self, files: list["GameFile"]) -> None:
        """`files`: whose games need names."""
        from engine.cli.table import new_console

        self._console = new_console(is_terminal=sys.stdout.isatty())
        self._files, self._is_first = files, True

    def add(self, review: "Review") -> None:
        """Another game."""
        from engine.system.text import printable

        if self._files:
            found = review.found
            name = f"Game {found.number}" if len(self._files) == 1 else f"{printable(found.file)}, game {found.number}"
            self._console.print(("" if self._is_first else "\n") + name, style="bold", markup=False)
        self._is_first = False
        _tell_game(review, self._console)
        sys.stdout.flush()

    def end(self) -> None:
        """No more games."""
        self._console.print(
            "Scores: win 1, draw 1/2, loss 0. A loss of .05 is an inaccuracy, of .10 a mistake, of .15 a blunder."
        )


def _tell_game(review: "Review", console: "Console") -> None:
    from engine.cli.play.board import can_show
    from engine.review.chart import BARS, sparkline, white_scores
    from engine.system.text import printable

    if review.note:
        console.print(f"note: {printable(review.note)}", markup=False)
    if not review.moves:
        return
    if len(review.moves) < len(review.codes):
        console.print(f"{len(review.moves)} of {len(review.codes)} half-moves were judged")
    width = min(LONGEST_SPARKLINE, console.width - 16)
    console.print("White's score " + sparkline(white_scores(review), width, bars=can_show(BARS)), markup=False)
    console.print(_players(review, console.width))
    _tell_losses(review, console)


def _players(review: "Review", width: int) -> "Table":
    from engine.cli.table import Column, cut, table_of
    from engine.review.game import SIDES
    from engine.system.text import printable

    told = [review.player(side) for side in SIDES]
    losses = [one["average_loss"] for one in told]
    columns = [
        Column("side", list(SIDES), 1, "left"),
        Column("player", [printable(one["name"]) for one in told], 4, "left", least=SHORTEST_NAME),
        Column("moves", [str(one["moves"]) for one in told], 7),
        Column("average loss", ["-" if loss is None else f"{loss:.3f}".removeprefix("0") for loss in losses], 5),
        Column("inaccuracies", [str(one["inaccuracy"]) for one in told], 6),
        Column("mistakes", [str(one["mistake"]) for one in told], 3),
        Column("blunders", [str(one["blunder"]) for one in told], 2),
    ]
    return table_of(columns, width, cut)


def _tell_losses(review: "Review", console: "Console") -> None:
    from engine.review.severity import MARKS, Severity

    styles = {Severity.INACCURACY: "yellow", Severity.MISTAKE: "magenta", Severity.BLUNDER: "bold red"}
    for move in review.moves:
        if move.severity is not Severity.NONE:
            text = f"{move.name}{MARKS[move.severity]}  {move.severity}, {move.evidence}: {' '.join(move.before.line)}"
            console.print(text, style=styles[move.severity], markup=False, soft_wrap=not console.is_terminal)
