"""The games of a review, from the files to what is written and printed."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine.cli.arguments import engine_options
from engine.cli.console import Column, can_show, cut, new_console, table_of
from engine.cli.progress import ProgressDisplay
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import FoundGame, GameFile
from engine.review import REVIEW_SCHEMA
from engine.review.chart import BARS, is_chart, sparkline, svg, white_scores
from engine.review.judge import MARK_OF_SEVERITY, Judge, Severity
from engine.review.output import KIND, ReviewFile, is_review, judged_text
from engine.review.reviewed_game import SIDES, Review
from engine.search.clock import Limits
from engine.search.searcher import search_to_end
from engine.system.files import check_writable, printable, write_whole

LONGEST_SPARKLINE = 100
SHORTEST_NAME = 8


def open_files(arguments: argparse.Namespace, stack: ExitStack) -> list[GameFile]:
    """The files; each has a game. `ValueError` says what is wrong."""
    if arguments.game is not None and len(arguments.files) > 1:
        raise ValueError("--game is for one file")
    files = [stack.enter_context(GameFile(name, arguments.encoding)) for name in arguments.files]
    for file in files:
        file.game(1)
    return files


def new_judge(arguments: argparse.Namespace, limits: Limits) -> Judge:
    """The judge, with the options of the command line."""
    return Judge(engine_options(arguments), limits, search_to_end)


def _new_output(arguments: argparse.Namespace, files: list[GameFile]) -> ReviewFile | None:
    """Where the games are written, in the encoding of the files if they share one; checked before the long work."""
    if arguments.output is None:
        if arguments.resume:
            raise ValueError("--resume needs -o: the file in which the games are that were judged")
        return None
    _check_original(arguments.output, arguments.files)
    check_writable(arguments.output, is_ours=is_review, kind=KIND, force=arguments.force or arguments.resume)
    encodings = {file.encoding for file in files}
    return ReviewFile(arguments.output, encodings.pop() if len(encodings) == 1 else Encoding())


def _check_picture(arguments: argparse.Namespace, *, is_alone: bool) -> None:
    """Check, before the long work, the picture, or the numbered ones that exist already."""
    picture: Path | None = arguments.picture
    if picture is None:
        return
    numbered = re.compile(re.escape(picture.stem) + r"-\d+\.svg")
    folder = picture.absolute().parent
    existing = [path for path in folder.iterdir() if numbered.fullmatch(path.name)] if folder.is_dir() else []
    for path in [picture] if is_alone else [picture.with_name(f"{picture.stem}-1.svg"), *existing]:
        _check_original(path, arguments.files)
        check_writable(path, is_ours=is_chart, kind="a picture by Teresa", force=arguments.force)


def _check_original(path: Path, names: list[str]) -> None:
    for original in map(Path, names):
        if path.exists() and original.exists() and path.samefile(original):
            raise ValueError(f"{path}: the original stays as it is; choose another name")


def limits_text(limits: Limits) -> str:
    """`2 s`, `800 visits`, or both; it is written into the games."""
    parts = [] if limits.move_time is None else [f"{limits.move_time / 1000:g} s"]
    return " and ".join([*parts, *([] if limits.nodes is None else [f"{limits.nodes} visits"])])


class GamesToReview:
    """All games of a review, from the files to what is written and printed."""

    def __init__(self, arguments: argparse.Namespace, files: list[GameFile], limits: Limits) -> None:
        self._arguments, self._files = arguments, files
        self._chosen = files[0].game(arguments.game) if arguments.game else None
        engine_options(arguments)  # a wrong argument is reported before the long work
        self._limits_text = limits_text(limits)
        self._output = _new_output(arguments, files)
        self._is_alone = self._is_single_game()
        _check_picture(arguments, is_alone=self._is_alone)
        self._done = self._output.resume(self._games(), self._limits_text) if self._output and arguments.resume else 0
        self._printer = JsonPrinter() if arguments.json else TextPrinter([] if self._is_alone else files)
        if self._done:
            print(f"{self._done} games are judged already", file=sys.stderr)

    def _games(self) -> Iterator[FoundGame]:
        if self._chosen is not None:
            yield self._chosen
            return
        for file in self._files:
            yield from file.games()

    def _is_single_game(self) -> bool:
        games = self._games()
        next(games)
        return next(games, None) is None

    @property
    def how_to_resume(self) -> str:
        """Printed when a review is interrupted."""
        return "" if self._output is None else "; the same command with --resume goes on"

    def judge_all(self, judge: Judge) -> None:
        """Judge game after game. At `KeyboardInterrupt` the moves judged so far are written first.

        `ValueError`, after all games, names a file in which nothing could be judged.
        """
        faults: dict[str, str] = {}  # file -> the first fault; empty if a game of it could be judged
        for number, found in enumerate(self._games(), 1):
            if number <= self._done:
                faults[found.file] = ""
                continue
            review = Review.of(found)
            faults[found.file] = review.fault and faults.get(found.file, review.fault)
            try:
                with ProgressDisplay(self._title(found), len(review.codes)) as progress:
                    for _ in review.run(judge):
                        progress.advance()
            except KeyboardInterrupt:
                if review.moves:
                    self._finish(review, number)
                raise
            self._finish(review, number)
        for fault in filter(None, faults.values()):
            raise ValueError(f"no game could be judged: {printable(fault)}")

    def _title(self, found: FoundGame) -> str:
        file = next(file for file in self._files if file.name == found.file)
        share = "" if self._is_alone else f" ({file.share_read:.0%} of the file)"
        return f"game {found.number}{share}" if len(self._files) == 1 else f"{found.file}, game {found.number}{share}"

    def _finish(self, review: Review, number: int) -> None:
        """Write a game, then print it: standard output may be full or closed."""
        picture: Path | None = self._arguments.picture
        if picture is not None:
            name = picture.name if self._is_alone else f"{picture.stem}-{number}.svg"
            write_whole(picture.with_name(name), svg(review))
        if self._output is not None:
            self._output.append(judged_text(review, self._limits_text))
        self._printer.add(review)

    def end(self) -> None:
        """Print what comes after the last game."""
        self._printer.end()


class JsonPrinter:
    """One JSON document, printed game by game."""

    def __init__(self) -> None:
        self._before = f'{{"schema": {json.dumps(REVIEW_SCHEMA)}, "games": ['

    def add(self, review: Review) -> None:
        """Print another game."""
        print(self._before + json.dumps(review.data()), end="", flush=True)
        self._before = ", "

    def end(self) -> None:
        """Close the document."""
        print(("" if self._before == ", " else self._before) + "]}", flush=True)


class TextPrinter:
    """Tables for people."""

    def __init__(self, files: list[GameFile]) -> None:
        """`files`: their games are printed with a title."""
        self._console = new_console(is_terminal=sys.stdout.isatty())
        self._files, self._is_first, self._has_scores = files, True, False

    def add(self, review: Review) -> None:
        """Print another game."""
        if self._files:
            found = review.found
            title = f"Game {found.number}" if len(self._files) == 1 else f"{printable(found.file)}, game {found.number}"
            self._console.print(("" if self._is_first else "\n") + title, style="bold", markup=False)
        self._is_first = False
        self._has_scores |= bool(review.moves)
        _print_game(review, self._console)
        sys.stdout.flush()

    def end(self) -> None:
        """Print what the numbers mean."""
        if not self._has_scores:
            return
        self._console.print(
            "Scores: win 1, draw 1/2, loss 0. A loss of .05 is an inaccuracy, of .10 a mistake, of .15 a blunder."
        )


def _print_game(review: Review, console: Console) -> None:
    if review.note:
        console.print(f"note: {printable(f'{review.found.origin}: {review.note}')}", markup=False, soft_wrap=True)
    if not review.moves:
        return
    if len(review.moves) < len(review.codes):
        console.print(f"{len(review.moves)} of {len(review.codes)} half-moves were judged")
    width = min(LONGEST_SPARKLINE, console.width - 16)
    console.print("White's score " + sparkline(white_scores(review), width, bars=can_show(BARS)), markup=False)
    console.print(players_table(review, console.width))
    _print_losses(review, console)


def players_table(review: Review, width: int) -> Table:
    """A row for each player: the average loss, and how many moves lost how much."""
    players = [review.player(side) for side in SIDES]
    losses = [player["average_loss"] for player in players]
    columns = [
        Column("side", list(SIDES), 1, "left"),
        Column("player", [printable(player["name"]) for player in players], 4, "left", least=SHORTEST_NAME),
        Column("moves", [str(player["moves"]) for player in players], 7),
        Column("average loss", ["-" if loss is None else f"{loss:.3f}".removeprefix("0") for loss in losses], 5),
        Column("inaccuracies", [str(player["inaccuracy"]) for player in players], 6),
        Column("mistakes", [str(player["mistake"]) for player in players], 3),
        Column("blunders", [str(player["blunder"]) for player in players], 2),
    ]
    return table_of(columns, width, cut)


def _print_losses(review: Review, console: Console) -> None:
    styles = {Severity.INACCURACY: "yellow", Severity.MISTAKE: "magenta", Severity.BLUNDER: "bold red"}
    for move in review.moves:
        if move.severity is not Severity.NONE:
            name, line = move.name + MARK_OF_SEVERITY[move.severity], " ".join(move.before.line)
            text = f"{name}  {move.severity}, {move.evidence}: {line}"
            console.print(text, style=styles[move.severity], markup=False, soft_wrap=not console.is_terminal)
