"""The games of a review, from the files to what is written and printed."""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from engine.cli.arguments import engine_options
from engine.cli.progress import ProgressDisplay
from engine.cli.review_tables import JsonPrinter, TextPrinter
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import FoundGame, GameFile
from engine.review.chart import is_chart, svg
from engine.review.judge import Judge
from engine.review.kept import KeptReview, game_digest, settings_key
from engine.review.output import KIND, ReviewFile, is_review, judged_text
from engine.review.plan import Plan
from engine.review.reviewed_game import Review
from engine.search.searcher import search_to_end
from engine.system.files import check_writable, printable, write_whole


def open_files(arguments: argparse.Namespace, stack: ExitStack) -> list[GameFile]:
    """The files; each has a game. `ValueError` says what is wrong."""
    if arguments.game is not None and len(arguments.files) > 1:
        raise ValueError("--game is for one file")
    files = [stack.enter_context(GameFile(name, arguments.encoding)) for name in arguments.files]
    for file in files:
        file.game(1)
    return files


def new_judge(arguments: argparse.Namespace, plan: Plan) -> Judge:
    """The judge, with the options of the command line."""
    return Judge(engine_options(arguments), plan, search_to_end)


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


class GamesToReview:
    """All games of a review, from the files to what is written and printed."""

    def __init__(self, arguments: argparse.Namespace, files: list[GameFile], plan: Plan) -> None:
        self._arguments, self._files = arguments, files
        self._chosen = files[0].game(arguments.game) if arguments.game else None
        self._plan, self._settings_key = plan, settings_key(engine_options(arguments), plan)
        self._output = _new_output(arguments, files)
        self._is_alone = self._is_single_game()
        _check_picture(arguments, is_alone=self._is_alone)
        self._done = self._output.resume(self._games(), self._plan.text) if self._output and arguments.resume else 0
        self._printer = JsonPrinter() if arguments.json else TextPrinter([] if self._is_alone else files)
        self._kept_now: KeptReview | None = None
        self._said: set[str] = set()
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
                    for left in review.run(judge, self._kept(review)):
                        progress.advance(left=left)
            except KeyboardInterrupt:
                if review.moves:
                    self._finish(review, number)
                raise
            self._finish(review, number)
        for fault in filter(None, faults.values()):
            raise ValueError(f"no game could be judged: {printable(fault)}")

    def _kept(self, review: Review) -> KeptReview | None:
        """What was judged of a game before; what is wrong with the file is said once."""
        if review.start is None or not review.codes:
            return None
        digest = game_digest(review.start, review.codes)
        kept = KeptReview.open(digest, self._settings_key, fresh=self._arguments.fresh)
        self._say(kept.remark)
        self._kept_now = kept
        return kept

    def _say(self, remark: str) -> None:
        if remark and remark not in self._said:
            print(f"teresa review: {printable(remark)}", file=sys.stderr)
            self._said.add(remark)

    def _title(self, found: FoundGame) -> str:
        file = next(file for file in self._files if file.name == found.file)
        share = "" if self._is_alone else f" ({file.share_read:.0%} of the file)"
        return f"game {found.number}{share}" if len(self._files) == 1 else f"{found.file}, game {found.number}{share}"

    def _finish(self, review: Review, number: int) -> None:
        """Write a game, then print it: standard output may be full or closed."""
        if self._kept_now is not None:
            self._say(self._kept_now.trouble)
        picture: Path | None = self._arguments.picture
        if picture is not None:
            name = picture.name if self._is_alone else f"{picture.stem}-{number}.svg"
            write_whole(picture.with_name(name), svg(review))
        if self._output is not None:
            self._output.append(judged_text(review, self._plan.text))
        self._printer.add(review)

    def end(self) -> None:
        """Print what comes after the last game."""
        self._printer.end()
