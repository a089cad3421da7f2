"""The games of a file by number, without reading the file again: for lists of thousands, and to open one at once.

Of each game its place, a digest of its bytes and a few headers are kept. The file is opened only while it is read,
so that other programs can change it; what has changed is noticed by the digest.
"""

import hashlib
import os
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from engine.pgn.encoding import NoTextError, find_encoding
from engine.pgn.game_file import STANDARD_INPUT, FoundGame, open_file
from engine.pgn.game_table import GameTable
from engine.pgn.headers import split_text
from engine.pgn.row_checks import CheckedGame, RowChecks
from engine.pgn.scan import FoundPart, scan, text_in

CHANGED = "the file has changed since it was opened; open it again"
NONE_YET = CheckedGame(None, "")


class Place(NamedTuple):
    """Where a game is in its file, in bytes."""

    offset: int
    size: int
    digest: int


@dataclass(frozen=True)
class GameRow:
    """A game in a list. `plies` is None while its moves were not read."""

    number: int
    white: str
    black: str
    result: str
    date: str
    event: str
    round: str
    eco: str
    plies: int | None
    problem: str  # why it cannot be played to its end, or not be read

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class GameIndex:
    """The games of a file. `ValueError` names the file and says what is wrong with it."""

    def __init__(self, path: str | Path, encoding: str | None = None) -> None:
        """Find the encoding; the games are found by `build`, or in the background by `start`."""
        is_standard_input = str(path) == STANDARD_INPUT
        self.name = "standard input" if is_standard_input else str(path)
        self.path: Path | None = None if is_standard_input else Path(path).resolve()  # None: it cannot be saved
        self.size, self.share_read, self.trouble = 0, 0.0, ""
        self._copy: IO[bytes] | None = None
        self._offsets, self._sizes, self._digests = array("Q"), array("Q"), array("Q")
        self._table, self._checks = GameTable(), RowChecks()
        self._found, self._is_complete, self._is_closed = threading.Condition(), False, False
        self._building = threading.Lock()
        self._thread: threading.Thread | None = None
        try:
            file = open_file(str(path))
            if is_standard_input or not Path(path).is_file():  # a pipe: it can be read only once
                self._copy, self.path = file, None
            with self._opened() if self._copy else file as opened:
                self.encoding = find_encoding(opened, encoding)
                self.size = opened.seek(0, os.SEEK_END)
        except (OSError, ValueError) as error:
            self.close()
            what = "there is no game in it: " if isinstance(error, NoTextError) else ""
            raise ValueError(f"{self.name}: {what}{getattr(error, 'strerror', None) or error}") from None

    # Finding the games

    def start(self) -> None:
        """Find the games in the background; `trouble` says what went wrong."""
        if self._thread is None and not self._is_complete:
            self._thread = threading.Thread(target=self._build_quietly, name="games of a file", daemon=True)
            self._thread.start()

    def build(self) -> None:
        """Find the games; nothing is done twice."""
        with self._building:
            if not self._is_complete:
                self._build()
        if self.trouble:
            raise ValueError(self.trouble)

    def _build(self) -> None:
        try:
            with self._opened() as file:
                for part in scan(file, self.encoding):
                    if self._is_closed:
                        break
                    self._add(part)
        except UnicodeError:
            self.trouble = f"{self.name}: {self._not_readable}"
        except (OSError, ValueError) as error:
            self.trouble = f"{self.name}: {getattr(error, 'strerror', None) or error}"
        finally:
            with self._found:
                self.share_read, self._is_complete = 1.0, True
                self._found.notify_all()

    def _build_quietly(self) -> None:
        try:
            self.build()
        except ValueError:
            return  # in `trouble`

    def _add(self, part: FoundPart) -> None:
        with self._found:
            self._offsets.append(part.offset)
            self._sizes.append(len(part.content))
            self._digests.append(digest_of_bytes(part.content))
            self._table.add(part.headers)
            if not part.is_readable:
                self._checks.keep(self._digests[-1], CheckedGame(None, self._not_readable))
            self.share_read = min(1.0, part.offset / max(1, self.size))
            self._found.notify_all()

    @property
    def _not_readable(self) -> str:
        return f"it is not {self.encoding.name.upper()} all through; see --encoding"

    @property
    def count(self) -> int:
        """The number of games found up to now."""
        return len(self._table)

    @property
    def is_complete(self) -> bool:
        """Was all of the file read?"""
        return self._is_complete

    def wait(self, number: int | None = None) -> None:
        """Wait until a game is found, or all of them; `build` if nothing was begun."""
        if self._thread is None and not self._is_complete:
            self.build()
        with self._found:
            self._found.wait_for(lambda: self._is_complete or (number is not None and self.count >= number))

    def close(self) -> None:
        """Stop reading."""
        self._is_closed = True
        if self._thread is not None:
            self._thread.join()
        if self._copy is not None:
            self._copy.close()

    # Games

    def game(self, number: int) -> FoundGame:
        """A game by its number, which starts at 1; waits until it is found."""
        place = self.place(number)
        content = self._content(place)
        try:
            return FoundGame(self.name, number, text_in(content, self.encoding.name))
        except UnicodeDecodeError:
            raise ValueError(f"{self.name}, game {number}: {self._not_readable}") from None

    def place(self, number: int) -> Place:
        """Where a game is."""
        self.wait(number)
        if number < 1 or number > self.count:
            if self.trouble or not self.count:
                raise ValueError(self.trouble or f"{self.name}: there is no game in it")
            count = "one game" if self.count == 1 else f"{self.count} games"
            raise ValueError(f"{self.name}: it has {count}, there is no game {number}")
        row = number - 1
        return Place(self._offsets[row], self._sizes[row], self._digests[row])

    def _content(self, place: Place) -> bytes:
        try:
            with self._opened() as file:
                file.seek(place.offset)
                content = file.read(place.size)
        except OSError as error:
            raise ValueError(f"{self.name}: {error.strerror or error}") from None
        if digest_of_bytes(content) != place.digest:
            raise ValueError(f"{self.name}: {CHANGED}")
        return content

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self._copy is not None:
            self._copy.seek(0)
            yield self._copy
        else:
            with open_file(str(self.path)) as file:
                yield file

    # Lists

    def rows(self, first: int, count: int, text: str = "", patience: float = 0.5) -> tuple[int, list[GameRow]]:
        """-> how many games match a text, and some of those games, the `first` one of which has number 0.

        Each word of the text occurs in the players, the event, the date or the result. Moves are read to find what
        cannot be played, as long as the patience, in seconds, lasts; asked again, there is more.
        """
        matching = self._table.find(text)
        total = self.count if matching is None else len(matching)
        numbers = range(min(max(first, 0), total), min(max(first, 0) + count, total))
        rows = numbers if matching is None else matching[numbers.start : numbers.stop].tolist()
        self._checks.begin(patience)
        return total, [self._row(row) for row in rows]

    def _row(self, row: int) -> GameRow:
        place = self.place(row + 1)
        headers: dict[str, str] = {}
        try:
            content = self._content(place)
            headers = split_text(text_in(content, self.encoding.name, "replace"))[0]
            checked = self._checks.check(place.digest, content, self.encoding.name)
        except ValueError as error:
            checked = CheckedGame(None, str(error).removeprefix(f"{self.name}: "))
        white, black, result, date, event = (
            self._table.text(row, name) for name in ("White", "Black", "Result", "Date", "Event")
        )
        round_, eco = (headers.get(name, "?")[:20] for name in ("Round", "ECO"))
        return GameRow(row + 1, white, black, result, date, event, round_, eco, *checked)

    # After a game was saved

    def replaced(self, number: int, grown: int, content: bytes) -> None:
        """A game was replaced in the file; the file is longer by the difference."""
        row = number - 1
        with self._found:
            after = np.frombuffer(self._offsets, dtype=np.uint64)
            after[row + 1 :] += np.uint64(grown % (1 << 64))
            del after  # the array can grow again
            self._sizes[row], self._digests[row] = len(content), digest_of_bytes(content)
            self._table.replace(row, split_text(text_in(content, self.encoding.name, "replace"))[0])
            self.size += grown


def digest_of_bytes(content: bytes) -> int:
    """A number that differs from content to content."""
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
