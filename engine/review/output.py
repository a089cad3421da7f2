"""The judged games in a PGN file: appended one by one, so that it is safe, and an interrupted review can go on."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.pgn.encoding import Encoding
from engine.pgn.game_file import FoundGame, GameFile, text_of
from engine.pgn.headers import read_tags, split_text
from engine.review.reviewed_game import annotate
from engine.system.environment import version
from engine.system.files import write_whole

if TYPE_CHECKING:
    from engine.review.reviewed_game import Review

REVIEW_TAG = "Review"
TAG_VALUE = re.compile(
    r"Teresa [^,]+, (?P<pace>.*), (?P<judged>\d+) of (?P<all>\d+) half-moves, original (?P<digest>\w+)"
)
KIND = "a review by Teresa"
UNFINISHED = " (not to its end)"  # after the limits: all moves were judged, but not yet longer where the game turns
LONGEST_LETTER = 4  # bytes, in all encodings of PGN files


def is_review(head: bytes) -> bool:
    """Does a file begin with a game that `teresa review` wrote?"""
    text = head.replace(b"\0", b"").decode("latin-1")  # also of UTF-16: its letters are ASCII with zeros between
    return f'[{REVIEW_TAG} "Teresa ' in text


def judged_text(review: "Review", pace: str) -> str:
    """A game with what was judged; as it was written if nothing was."""
    if not review.moves:
        return review.found.text.strip() + "\n\n"
    annotate(review)
    if not review.is_complete and len(review.moves) == len(review.codes):
        pace += UNFINISHED
    counts = f"{len(review.moves)} of {len(review.codes)} half-moves"
    review.game.headers[REVIEW_TAG] = f"Teresa {version()}, {pace}, {counts}, original {review.found.digest}"
    if review.rest:
        end, rest = review.game.end(), " ".join(re.sub(r"[{}]", " ", review.rest).split())
        end.comment = f"{end.comment} Not legal from here on: {rest}".strip()
    return text_of(review.game)


def is_part_of(text: str, original: FoundGame) -> bool:
    """Is a text the beginning of what `judged_text` makes of a game?"""
    headers, movetext = split_text(text)
    value = TAG_VALUE.fullmatch(headers.pop(REVIEW_TAG, ""))
    if value is not None:
        return value["digest"] == original.digest
    if original.text.strip().startswith(text.strip()):  # nothing was judged
        return True
    known = dict(original.read().game.headers)
    *lines, last = text.rstrip("\n").split("\n")
    is_plain = all(read_tags(line) for line in lines) and (bool(read_tags(last)) or last.startswith("["))
    is_known = all(known.get(name, value) == value for name, value in headers.items())
    return is_plain and is_known and not movetext.strip()


class ReviewFile:
    """A file of judged games. After each `append` it holds whole games only, whatever happens."""

    def __init__(self, path: Path, encoding: Encoding) -> None:
        self.path, self.encoding = path, encoding
        self._size = 0  # of what this review has written, in bytes

    def append(self, text: str) -> None:
        """Add a game; what an earlier review left is replaced by the first one. `OSError` if that cannot be."""
        data = self.encoding.encode(text)
        try:
            if self._size == 0:
                data = self.encoding.mark + data
                write_whole(self.path, data)
            elif self.path.is_file():
                self._add(data)
            else:
                with self.path.open("ab") as file:  # a device or a pipe
                    file.write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self._size += len(data)

    def _add(self, data: bytes) -> None:
        with self.path.open("r+b") as file:
            try:
                file.seek(self._size)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(self._size)
                raise

    def resume(self, originals: Iterable[FoundGame], pace: str) -> int:
        """Keep the games that are judged already; -> their number. `ValueError` if the file is of another review."""
        if not self.path.is_file() or self.path.stat().st_size == 0:
            return 0
        with GameFile(self.path, self.encoding.name, errors="ignore") as file:  # it may end within a letter
            kept, self._size = self._find_judged(file, originals, pace)
        with self.path.open("r+b") as whole:
            whole.truncate(self._size)
        return kept

    def _find_judged(self, file: GameFile, originals: Iterable[FoundGame], pace: str) -> tuple[int, int]:
        """-> number of games that are judged to their end, their size in bytes."""
        kept, size, size_before, unfinished = 0, 0, 0, None
        games = file.games_or_none()
        for original in originals:
            found = next(games, None)
            if found is None or not self._is_judged(found, original, pace):
                unfinished = original
                break
            kept, size, size_before = kept + 1, file.offset, size
        is_cut = kept > 0 and not self._has_blank_line_before(size)
        if next(games, None) is not None or not (is_cut or self._is_part_of(unfinished, size)):
            raise ValueError(f"{self.path}: what follows game {kept} is not of this review")
        if not 0 <= file.size - file.offset < LONGEST_LETTER or (is_cut and size < file.offset):
            raise ValueError(f"{self.path}: it was changed by another program")
        return (kept - 1, size_before) if is_cut else (kept, size)

    def _is_part_of(self, original: FoundGame | None, offset: int) -> bool:
        """Is what follows an offset the beginning of a judged game, at which the review was interrupted, or nothing?"""
        with self.path.open("rb") as file:
            file.seek(offset)
            content = file.read().removeprefix(self.encoding.mark if offset == 0 else b"")
        tail = content.decode(self.encoding.name, errors="ignore").replace(self.encoding.newline, "\n")
        return not tail.strip() or (original is not None and is_part_of(tail, original))

    def _has_blank_line_before(self, offset: int) -> bool:
        blank = self.encoding.encode("\n\n")
        with self.path.open("rb") as file:
            file.seek(max(0, offset - len(blank)))
            return file.read(len(blank)) == blank

    def _is_judged(self, found: FoundGame, original: FoundGame, pace: str) -> bool:
        """Is it this game, judged to its end? False only of a game at which the review was interrupted."""
        headers, movetext = split_text(found.text)
        value = TAG_VALUE.fullmatch(headers.get(REVIEW_TAG, ""))
        if value is None:  # nothing to judge, or cut while it was written
            return found.digest == original.digest
        if value["digest"] != original.digest:
            other = f"game {original.number} of {original.file}"
            raise ValueError(f"{self.path}: game {found.number} was not made from {other}")
        if value["pace"] == pace + UNFINISHED:
            return False
        if value["pace"] != pace:
            raise ValueError(f"{self.path}: it was judged with {value['pace']}, not with {pace}")
        is_whole = movetext.rstrip().endswith(headers.get("Result", "*"))
        return is_whole and value["judged"] == value["all"]
