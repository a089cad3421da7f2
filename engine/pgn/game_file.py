"""PGN files: opened and split into games, for every command that reads games."""

import hashlib
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

import chess
import chess.pgn

from engine.pgn.encoding import CHUNK_BYTES, NoTextError, find_encoding, find_mark
from engine.pgn.headers import read_tags
from engine.pgn.movetext import ReadGame, is_game, read_game
from engine.system.files import HEAD_BYTES

STANDARD_INPUT = "-"
NEW_GAME_IN_COMMENT = re.compile(r'\[Event\s+"')  # after a comment that was not closed


class GameFile:
    """A PGN file, read game by game. `ValueError` names the file and says what is wrong with it."""

    def __init__(self, name: str | Path, encoding: str | None = None, errors: str = "strict") -> None:
        """`-` is standard input; `errors`: what to do with bytes that are not valid in the encoding."""
        self.name = "standard input" if str(name) == STANDARD_INPUT else str(name)
        self.has_other_text = False  # besides games, in what was read up to now
        try:
            self._file = open_file(str(name))
        except OSError as error:
            raise ValueError(f"{self.name}: {error.strerror or error}") from None
        try:
            self.encoding = find_encoding(self._file, encoding)
            self.size, self.offset = self._file.seek(0, io.SEEK_END), 0  # in bytes; `offset`: read up to here
        except (OSError, ValueError) as error:
            self._file.close()
            what = "there is no game in it: " if isinstance(error, NoTextError) else ""
            raise ValueError(f"{self.name}: {what}{getattr(error, 'strerror', None) or error}") from None
        self._text = io.TextIOWrapper(self._file, self.encoding.name, errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._text.close()

    @property
    def share_read(self) -> float:
        """How much of the file was read, from 0 to 1."""
        return min(1.0, self.offset / max(1, self.size))

    def games(self) -> Iterator["FoundGame"]:
        """The games, in order; `ValueError` if there is none."""
        found = None
        for found in self.games_or_none():
            yield found
        if found is None:
            raise ValueError(f"{self.name}: there is no game in it")

    def games_or_none(self) -> Iterator["FoundGame"]:
        """The games, in order; there may be none."""
        number = 0
        for text in self._blocks():
            if is_game(text):
                number += 1
                yield FoundGame(self.name, number, text)
            else:
                self.has_other_text = True

    def game(self, number: int | None = None) -> "FoundGame":
        """A game by its number, which starts at 1; the last one if None."""
        games = self.games()
        found = next(games)
        while found.number != number:
            following = next(games, None)
            if following is None and number is None:
                return found
            if following is None:
                count = "one game" if found.number == 1 else f"{found.number} games"
                raise ValueError(f"{self.name}: it has {count}, there is no game {number}")
            found = following
        return found

    def _blocks(self) -> Iterator[str]:
        """The text in parts; a part is a game or some other text."""
        try:
            yield from split_games(self._lines())
        except UnicodeDecodeError:
            raise ValueError(
                f"{self.name}: it is not {self.encoding.name.upper()} all through; see --encoding"
            ) from None
        except OSError as error:
            raise ValueError(f"{self.name}: {error.strerror or error}") from None

    def _lines(self) -> Iterator[str]:
        self._text.seek(0)
        self.offset = 0
        for line in self._text:
            is_marked = self.offset == 0 and line.startswith("\ufeff")
            self.offset += len(self.encoding.encode(line))
            if line != "\ufeff":
                yield line[is_marked:]


def open_file(name: str) -> IO[bytes]:
    """A file that can be read again from its start; what comes through a pipe is copied."""
    if name == STANDARD_INPUT:
        return _copied(sys.stdin.buffer)
    file = Path(name).open("rb")  # noqa: SIM115  (the caller closes it)
    if file.seekable():
        return file
    with file:
        return _copied(file)


def _copied(pipe: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    shutil.copyfileobj(pipe, copy, CHUNK_BYTES)
    return copy


# Games


@dataclass(frozen=True)
class FoundGame:
    """A game as it is written in a file."""

    file: str
    number: int  # in its file; the first is 1
    text: str

    @property
    def origin(self) -> str:
        """File and number of the game, for messages."""
        return f"{self.file}, game {self.number}"

    def read(self) -> ReadGame:
        """The game as far as it can be played."""
        return read_game(self.text)

    def read_whole(self) -> chess.pgn.Game:
        """The game; `ValueError` with file and number of the game if it cannot be played to its end."""
        found = self.read()
        if found.problem:
            raise ValueError(f"{self.origin}: {found.problem}")
        return found.game

    @property
    def digest(self) -> str:
        """Differs from game to game, whatever the file's encoding and line ends."""
        return hashlib.sha256(self.text.strip().encode(errors="surrogatepass")).hexdigest()[:16]


def split_games(lines: Iterable[str]) -> Iterator[str]:
    """The parts of a text; a part is a game or some other text."""
    splitter, block = Splitter(), list[str]()
    for line in lines:
        if splitter.add(line):
            yield "".join(block)
            block = []
        if not splitter.is_empty:
            block.append(line)
    if block:
        yield "".join(block)


class Splitter:
    """Splits at blank lines between games, and at headers after moves; a part may also be some other text."""

    def __init__(self) -> None:
        self.is_empty = True  # the present part; blank lines before it belong to none
        self._names: set[str] = set()
        self._has_moves = self._in_comment = self._is_after_blank = False

    def add(self, line: str) -> bool:
        """Add a line; has a part ended before it?"""
        is_blank = line.isspace()
        may_be_new = self._is_after_blank and NEW_GAME_IN_COMMENT.match(line)
        tags = [] if self._in_comment and not may_be_new else read_tags(line)
        is_end = is_blank and self._has_moves and not self._in_comment
        is_end = is_end or bool(tags and (self._has_moves or not self._names.isdisjoint(name for name, _ in tags)))
        if is_end:
            self._names, self._has_moves, self._in_comment = set(), False, False
        self.is_empty = is_blank and (is_end or self.is_empty)
        self._names.update(name for name, _ in tags)
        if not tags and not is_blank and (self._has_moves or line[0] not in "[%;"):
            self._has_moves, self._in_comment = True, _ends_in_comment(line, self._in_comment)
        self._is_after_blank = is_blank
        return is_end


def _ends_in_comment(line: str, in_comment: bool) -> bool:
    if line.startswith("%") and not in_comment:
        return False
    for match in re.finditer(r"[;{}]", line):
        if match[0] == ";" and not in_comment:
            return False
        if match[0] != ";":
            in_comment = match[0] == "{"
    return in_comment


def text_of(game: chess.pgn.Game) -> str:
    """A game as PGN, with the blank line before the next game."""
    return f"{game}\n\n"


def looks_like_games(head: bytes) -> bool:
    """Does a file begin as one with games does?"""
    mark, name = find_mark(head) or (b"", "latin-1")
    text = head[len(mark) :].decode(name, errors="replace").replace("\r\n", "\n")
    if len(head) == HEAD_BYTES:  # the last word is cut
        text = text[: max(text.rfind(" "), text.rfind("\n")) + 1]
    return any(is_game(block) for block in split_games(io.StringIO(text)))
