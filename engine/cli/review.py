"""`teresa review`: every move of the games in PGN files is judged."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import (
    add_force,
    add_game,
    add_limits,
    add_memory_and_threads,
    add_seed,
    engine_options,
    limits_from,
)
from engine.cli.progress import Progress, warm_up
from engine.cli.review_printer import JsonPrinter, TextPrinter
from engine.cli.termination import ended_by_signals, status_after
from perft.exits import DONE, reported

if TYPE_CHECKING:
    from engine.pgn.game_file import FoundGame, GameFile
    from engine.review.game import Review
    from engine.review.judge import Judge
    from engine.review.output import ReviewFile
    from engine.search.clock import Limits

SECONDS = 1.0


def main(argv: Sequence[str]) -> int:
    """Judge games; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa review", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    with ExitStack() as stack:
        games = _GamesToReview(arguments, _open(arguments, stack))
        warm_up()
        judge = _new_judge(arguments, games.limits)
        with ended_by_signals():
            try:
                games.judge_all(judge)
            except KeyboardInterrupt as end:
                games.end()
                print(f"teresa review: interrupted{games.how_to_resume}", file=sys.stderr)
                return status_after(end)
            except ValueError:
                games.end()
                raise
        games.end()
    return DONE


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa review", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="GAMES.pgn", help="- is standard input")
    add_game(parser, "all")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.pgn", help="write the games with evaluations and better lines"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE.svg",
        help="draw the score over the game; for several games, numbered files",
    )
    parser.add_argument("--resume", action="store_true", help="continue: keep the games that are judged in -o already")
    add_force(parser)
    add_limits(parser, SECONDS, "each position")
    add_memory_and_threads(parser)
    add_seed(parser, "the numbers")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return parser


# What to read and to write


def _open(arguments: argparse.Namespace, stack: ExitStack) -> list["GameFile"]:
    """The files; each has a game. `ValueError` says what is wrong."""
    from engine.pgn.game_file import GameFile

    if arguments.game is not None and len(arguments.files) > 1:
        raise ValueError("--game is for one file")
    files = [stack.enter_context(GameFile(name, arguments.encoding)) for name in arguments.files]
    for file in files:
        file.game(1)
    return files


def _new_judge(arguments: argparse.Namespace, limits: "Limits") -> "Judge":
    from engine.review.judge import Judge
    from engine.search.foreground import search_to_end

    return Judge(engine_options(arguments), limits, search_to_end)


def _new_output(arguments: argparse.Namespace, files: list["GameFile"]) -> "ReviewFile | None":
    """Where the games are written, in the encoding of the files if they share one; checked before the long work."""
    from engine.pgn.encoding import Encoding
    from engine.review.output import KIND, ReviewFile, is_review
    from engine.system.output_file import check_writable

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
    from engine.review.chart import is_chart
    from engine.system.output_file import check_writable

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


def limits_text(limits: "Limits") -> str:
    """`2 s`, `800 visits`, or both; it is written into the games."""
    parts = [] if limits.move_time is None else [f"{limits.move_time / 1000:g} s"]
    return " and ".join([*parts, *([] if limits.nodes is None else [f"{limits.nodes} visits"])])


class _GamesToReview:
    """All games of a review, from the files to what is written and printed."""

    def __init__(self, arguments: argparse.Namespace, files: list["GameFile"]) -> None:
        self._arguments, self._files = arguments, files
        self._chosen = files[0].game(arguments.game) if arguments.game else None
        engine_options(arguments)  # a wrong argument is reported before the long work
        self.limits = limits_from(arguments, SECONDS)
        self._limits_text = limits_text(self.limits)
        self._output = _new_output(arguments, files)
        self._is_alone = self._is_single_game()
        _check_picture(arguments, is_alone=self._is_alone)
        self._done = self._output.resume(self._games(), self._limits_text) if self._output and arguments.resume else 0
        self._printer = JsonPrinter() if arguments.json else TextPrinter([] if self._is_alone else files)
        if self._done:
            print(f"{self._done} games are judged already", file=sys.stderr)

    def _games(self) -> Iterator["FoundGame"]:
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

    def judge_all(self, judge: "Judge") -> None:
        """Judge game after game. At `KeyboardInterrupt` the moves judged so far are written first."""
        from engine.review.game import Review

        for number, found in enumerate(self._games(), 1):
            if number <= self._done:
                continue
            review = Review.of(found)
            try:
                with Progress(self._title(found), len(review.codes)) as progress:
                    for _ in review.run(judge):
                        progress.advance()
            except KeyboardInterrupt:
                if review.moves:
                    self._finish(review, number)
                raise
            self._finish(review, number)

    def _title(self, found: "FoundGame") -> str:
        file = next(file for file in self._files if file.name == found.file)
        share = "" if self._is_alone else f" ({file.share_read:.0%} of the file)"
        return f"game {found.number}{share}" if len(self._files) == 1 else f"{found.file}, game {found.number}{share}"

    def _finish(self, review: "Review", number: int) -> None:
        """Write a game, then print it: standard output may be full or closed."""
        from engine.review.chart import svg
        from engine.review.output import judged_text
        from engine.system.output_file import write_whole

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
