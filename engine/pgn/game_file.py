"""PGN files: opened, split into games, decoded and written back, for every command that reads games."""

import codecs
import hashlib
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from engine.pgn.movetext import ReadGame, is_game, printable, read_game, read_tags
from engine.system.output_file import HEAD_BYTES

if TYPE_CHECKING:
    import chess
    import chess.pgn

    from movegen import Position

STANDARD_INPUT = "-"
CHUNK = 1 << 20
MARKS = (  # the longer ones first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
NEW_GAME_IN_COMMENT = re.compile(r'\[Event\s+"')  # nobody closed the comment before it


# How text is coded


class NoTextError(ValueError):
    """A file holds something else than text."""


@dataclass(frozen=True)
class Coding:
    """How a file codes its text, to write the same way."""

    name: str = "utf-8"
    mark: bytes = b""  # the byte order mark it begins with
    newline: str = "\n"

    def encode(self, text: str) -> bytes:
        """A part of a file, without the mark. What the encoding lacks becomes `?`."""
        return text.replace("\n", self.newline).encode(self.name, errors="replace")


def find_coding(file: IO[bytes], wish: str | None = None) -> Coding:
    """The wish; else what a byte order mark says; else UTF-8 if all of it is that; else Latin-1.

    Latin-1 is the set of the PGN standard, and every file can be read as it and written back byte for byte.
    `ValueError` if the wish names no encoding, `NoTextError` if it is no text.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    mark, marked = next(((mark, name) for mark, name in MARKS if head.startswith(mark)), (b"", ""))
    newline = "\r\n" if b"\r\n" in head.replace(b"\0", b"") else "\n"
    if wish is not None:
        name = check_encoding(wish)
        if marked.startswith(name):
            return Coding(marked, mark, newline)
        return Coding(WITHOUT_MARK.get(name, name), b"", newline)
    if mark:
        return Coding(marked, mark, newline)
    if b"\0" in head:
        raise NoTextError("it is no text (if it is UTF-16, say --encoding utf-16)")
    return Coding("utf-8" if _is_utf8(file) else "latin-1", b"", newline)


def check_encoding(name: str) -> str:
    """The usual name of an encoding; `ValueError` if there is none of this name."""
    try:
        "a".encode(name)
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {name[:40]!a}") from None
    return codecs.lookup(name).name.removesuffix("-sig")


def _is_utf8(file: IO[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    try:
        while chunk := file.read(CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def read_lines(path: Path) -> list[str]:
    """All lines of a text file, whatever its encoding; `ValueError` says what is wrong with it."""
    try:
        with path.open("rb") as file:
            coding = find_coding(file)
            file.seek(len(coding.mark))
            return file.read().decode(coding.name).split("\n")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


# Files


class GameFile:
    """A PGN file, read game by game. `ValueError` names the file and says what is wrong with it."""

    def __init__(self, name: str | Path, encoding: str | None = None, errors: str = "strict") -> None:
        """`-` is standard input; `errors`: what to do with bytes that are none of the encoding's."""
        self.name = "standard input" if str(name) == STANDARD_INPUT else str(name)
        self.has_other_text = False  # besides games, in what was read up to now
        try:
            self._file = _open(str(name))
        except OSError as error:
            raise ValueError(f"{self.name}: {error.strerror or error}") from None
        try:
            self.coding = find_coding(self._file, encoding)
            self.size, self.place = self._file.seek(0, io.SEEK_END), 0  # in bytes; `place` is where reading stands
        except (OSError, ValueError) as error:
            self._file.close()
            what = "there is no game in it: " if isinstance(error, NoTextError) else ""
            raise ValueError(f"{self.name}: {what}{getattr(error, 'strerror', None) or error}") from None
        self._text = io.TextIOWrapper(self._file, self.coding.name, errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._text.close()

    @property
    def share_read(self) -> float:
        """How much of the file was read, from 0 to 1."""
        return min(1.0, self.place / max(1, self.size))

    def games(self) -> Iterator["FoundGame"]:
        """The games, one after the other; `ValueError` if there is none."""
        found = None
        for found in self.games_or_none():
            yield found
        if found is None:
            raise ValueError(f"{self.name}: there is no game in it")

    def games_or_none(self) -> Iterator["FoundGame"]:
        """The games, one after the other, as many as there are."""
        number = 0
        for text in self._blocks():
            if is_game(text):
                number += 1
                yield FoundGame(self.name, number, text)
            else:
                self.has_other_text = True

    def game(self, number: int | None = None) -> "FoundGame":
        """A game by its number, from 1 on; the last one if None."""
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
        """The text in pieces, each of which is a game or none."""
        try:
            yield from split_games(self._lines())
        except UnicodeDecodeError:
            raise ValueError(f"{self.name}: it is not {self.coding.name.upper()} all through; see --encoding") from None
        except OSError as error:
            raise ValueError(f"{self.name}: {error.strerror or error}") from None

    def _lines(self) -> Iterator[str]:
        self._text.seek(0)
        self.place = 0
        for line in self._text:
            is_marked = self.place == 0 and line.startswith("\ufeff")
            self.place += len(self.coding.encode(line))
            if line != "\ufeff":
                yield line[is_marked:]


def _open(name: str) -> IO[bytes]:
    """A file in which one can go back; what comes through a pipe is kept."""
    if name == STANDARD_INPUT:
        return _kept(sys.stdin.buffer)
    file = Path(name).open("rb")  # noqa: SIM115  (the caller closes it)
    if file.seekable():
        return file
    with file:
        return _kept(file)


def _kept(pipe: IO[bytes]) -> IO[bytes]:
    kept = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    shutil.copyfileobj(pipe, kept, CHUNK)
    return kept


# Games


@dataclass(frozen=True)
class FoundGame:
    """A game as it is written in a file."""

    file: str
    number: int  # in its file, from 1 on
    text: str

    def read(self) -> ReadGame:
        """The game as far as it can be played."""
        return read_game(self.text)

    def read_whole(self) -> "chess.pgn.Game":
        """The game; `ValueError` with file and number of the game if it cannot be played to its end."""
        found = self.read()
        if found.problem:
            raise ValueError(f"{self.file}, game {self.number}: {found.problem}")
        return found.game

    @property
    def digest(self) -> str:
        """Differs from game to game, whatever the file's encoding and line ends."""
        return hashlib.sha256(self.text.strip().encode(errors="surrogatepass")).hexdigest()[:16]


def split_games(lines: Iterable[str]) -> Iterator[str]:
    """Games are parted by blank lines, and begin with headers as a rule; a piece may also be some other text."""
    block: list[str] = []
    names: set[str] = set()
    has_moves = in_comment = is_after_blank = False
    for line in lines:
        is_blank = line.isspace()
        tags = [] if in_comment and not (is_after_blank and NEW_GAME_IN_COMMENT.match(line)) else read_tags(line)
        is_end = is_blank and has_moves and not in_comment
        if is_end or (tags and (has_moves or not names.isdisjoint(name for name, _ in tags))):
            yield "".join(block)
            block, names, has_moves, in_comment = [], set(), False, False
        if not is_blank or block:
            block.append(line)
        names.update(name for name, _ in tags)
        if not tags and not is_blank and (has_moves or line[0] not in "[%;"):
            has_moves, in_comment = True, _ends_in_comment(line, in_comment)
        is_after_blank = is_blank
    if block:
        yield "".join(block)


def _ends_in_comment(line: str, in_comment: bool) -> bool:
    if line.startswith("%") and not in_comment:
        return False
    for match in re.finditer(r"[;{}]", line):
        if match[0] == ";" and not in_comment:
            return False
        if match[0] != ";":
            in_comment = match[0] == "{"
    return in_comment


def text_of(game: "chess.pgn.Game") -> str:
    """A game as PGN, with the blank line that parts it from the next."""
    return f"{game}\n\n"


def looks_like_games(head: bytes) -> bool:
    """Does a file begin as one with games does?"""
    mark, name = next(((mark, name) for mark, name in MARKS if head.startswith(mark)), (b"", "latin-1"))
    text = head[len(mark) :].decode(name, errors="replace").replace("\r\n", "\n")
    if len(head) == HEAD_BYTES:  # the last word is cut
        text = text[: max(text.rfind(" "), text.rfind("\n")) + 1]
    return any(is_game(block) for block in split_games(io.StringIO(text)))


# Positions


def position_of(board: "chess.Board") -> "Position":
    """The same position, without what was played before; `ValueError` if it cannot be played."""
    from movegen import Position

    return Position(board.fen(shredder=board.chess960), chess960=board.chess960)


def board_uci(board: "chess.Board", moves: list["chess.Move"]) -> list[str]:
    """Moves of a game as Teresa writes them."""
    texts = []
    for move in moves:
        texts.append(board.uci(move))
        board.push(move)
    return texts


def positions_of(game: "chess.pgn.Game") -> list["Position"]:
    """Every position of the main line, each with what was played before it."""
    board = game.board()
    positions = [position_of(board)]
    for uci in board_uci(board, list(game.mainline_moves())):
        positions.append(positions[-1].play(uci))
    return positions


class OpenedPosition(NamedTuple):
    """A position that was asked for."""

    position: "Position"
    remark: str = ""  # what the user should know


def is_file_name(text: str) -> bool:
    """Is it meant as a file, and not as a FEN?"""
    if text == STANDARD_INPUT or text.lower().endswith(".pgn"):
        return True
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or it holds a NUL
        return False


def read_position(
    text: str, *, chess960: bool = False, game: int | None = None, ply: int | None = None, encoding: str | None = None
) -> OpenedPosition:
    """The position of a FEN or of a game in a file; nothing is the start. `ValueError` says what is wrong.

    Of a game: the position after `ply` half-moves; without it the last one in which the game is not over.
    """
    from movegen import Position

    if is_file_name(text):
        with GameFile(text, encoding) as file:
            return position_in(file.game(game or 1), ply)
    if ply is not None or game is not None:
        raise ValueError(f"--{'ply' if game is None else 'game'} is for PGN files")
    try:
        return OpenedPosition(Position(text, chess960=chess960) if text else Position())
    except ValueError as error:
        if " " in text.strip():
            raise
        raise ValueError(f"{printable(text)}: there is no such file, and as a FEN: {error}") from None


def position_in(found: FoundGame, ply: int | None = None) -> OpenedPosition:
    """A position of a game, as `read_position` gives it."""
    place = f"{found.file}, game {found.number}"
    try:
        positions = positions_of(found.read_whole())
    except ValueError as error:
        raise ValueError(str(error) if str(error).startswith(place) else f"{place}: {error}") from None
    last = len(positions) - 1
    if ply is not None:
        if not 0 <= ply <= last:
            raise ValueError(f"{place}: it has {last} half-moves, not {ply}")
        return OpenedPosition(positions[ply])
    open_ply = next((ply for ply in range(last, -1, -1) if not positions[ply].is_game_over(claim_draw=True)), last)
    if open_ply == last:
        return OpenedPosition(positions[last])
    ending = positions[last].outcome(claim_draw=True).name.lower().replace("_", " ")
    remark = f"the game is over: {ending}; this is the last position before it (--ply {open_ply})"
    return OpenedPosition(positions[open_ply], f"{place}: {remark}")
