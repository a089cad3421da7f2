"""Where the games of a file are: one pass over its bytes, split by the rules of `game_file`.

Games in the usual form are found by one regular expression over the bytes; all others line by line. The former needs
an encoding in which each byte below 128 is the ASCII letter, whatever stands before it.
"""

import io
import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from engine.pgn.encoding import CHUNK_BYTES, Encoding
from engine.pgn.game_file import Splitter
from engine.pgn.headers import KNOWN_TAGS, split_text
from engine.pgn.movetext import is_game

END = rb"\r?\n"
LINE_START = rb"(?=[!-~])(?![\[%;])"  # neither blank nor a header, an escape or a comment up to the end of the line
HEADER = rb'\[[A-Za-z0-9][A-Za-z0-9_+#=:-]* +"[^"\\\r\n]*"\]' + END
COMMENT = rb"\{[^{}\r\n]*(?:" + END + rb"(?=[!-~])[^{}\r\n]*)*\}"  # without blank lines
LINE = rb"[^{};\r\n]*(?:" + COMMENT + rb"[^{};\r\n]*)*"
MOVES = LINE_START + LINE + rb"(?:" + END + LINE_START + LINE + rb")*" + END
BLANK_LINES = re.compile(rb"(?:" + END + rb")+")
USUAL_GAME = re.compile(rb"((?:" + HEADER + rb")+)(?:" + END + rb")*+" + MOVES + rb"(?=" + END + rb")")
USUAL_HEADER = re.compile(r'^\[(\S+) +"(.*)"\]', re.MULTILINE)
ANY_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)")
BYTE_ORDER_MARK = "\ufeff"


class FoundPart(NamedTuple):
    """A game in a file."""

    offset: int  # of its first byte
    content: bytes
    headers: dict[str, str]
    is_readable: bool  # False: some bytes are not valid in the encoding


def scan(file: IO[bytes], encoding: Encoding) -> Iterator[FoundPart]:
    """The games of a file, in order."""
    return _Scanner(file, encoding).games() if has_ascii_bytes(encoding.name) else _decoded_games(file, encoding)


def has_ascii_bytes(name: str) -> bool:
    """Does each byte below 128 mean the ASCII letter, also after any other byte?"""
    singles = all(bytes([byte]).decode(name, "replace") == chr(byte) for byte in range(128))
    return singles and all(bytes([byte, 0x5B]).decode(name, "replace").endswith("[") for byte in range(128, 256))


def text_in(content: bytes, encoding: str, errors: str = "strict") -> str:
    """The text of a part of a file, with line ends as they are read from files."""
    return content.decode(encoding, errors).replace("\r\n", "\n").replace("\r", "\n")


class _Scanner:
    """A window that moves over a file."""

    def __init__(self, file: IO[bytes], encoding: Encoding) -> None:
        self._file, self._encoding = file, encoding
        self._offset = len(encoding.mark)  # of the window, in the file
        self._window, self._at, self._is_last = b"", 0, False
        file.seek(self._offset)

    def games(self) -> Iterator[FoundPart]:
        while True:
            self._skip_blank_lines()
            match = USUAL_GAME.match(self._window, self._at)
            usual = match and self._usual(match)
            if usual:
                yield usual
            elif len(self._window) - self._at >= CHUNK_BYTES or self._is_last:
                found = self._by_lines()
                if found is not None:
                    yield found
                if self._is_last and self._at == len(self._window):
                    return
            else:
                self._read_on()

    def _skip_blank_lines(self) -> None:
        match = BLANK_LINES.match(self._window, self._at)
        if match:
            self._at = match.end()

    def _read_on(self) -> None:
        more = self._file.read(2 * CHUNK_BYTES)
        self._offset += self._at
        self._window, self._at, self._is_last = self._window[self._at :] + more, 0, not more

    def _usual(self, match: re.Match[bytes]) -> FoundPart | None:
        """A game as it is usually written; None if the rules must be asked."""
        name = self._encoding.name
        found = USUAL_HEADER.findall(match[1].decode(name, "replace"))
        headers = dict(found)
        if len(headers) < len(found) or KNOWN_TAGS.isdisjoint(headers):
            return None
        self._at = match.end()
        return FoundPart(self._offset + match.start(), match[0], headers, _is_readable(match[0], name))

    def _by_lines(self) -> FoundPart | None:
        """The next part, line by line; None if it is no game."""
        splitter, content, offset = Splitter(), bytearray(), self._offset + self._at
        for line in self._lines():
            text = text_in(line, self._encoding.name, "replace")
            if splitter.add(text):
                break
            self._at += len(line)
            if splitter.is_empty:
                offset += len(line)
            else:
                content += line
        return _part_of(offset, bytes(content), self._encoding.name)

    def _lines(self) -> Iterator[bytes]:
        while True:
            match = ANY_LINE.match(self._window, self._at)
            is_cut = match is None or (match[0].endswith(b"\r") and match.end() == len(self._window))
            if is_cut and not self._is_last:
                self._read_on()
            elif match is not None:
                yield match[0]
            else:
                if self._at < len(self._window):
                    yield self._window[self._at :]
                return


def _part_of(offset: int, content: bytes, encoding: str) -> FoundPart | None:
    text = text_in(content, encoding, "replace")
    if not is_game(text):
        return None
    return FoundPart(offset, content, split_text(text)[0], _is_readable(content, encoding))


def _is_readable(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except ValueError:
        return False
    return True


def _decoded_games(file: IO[bytes], encoding: Encoding) -> Iterator[FoundPart]:
    """The games of a file in an encoding of several bytes a letter; `ValueError` if it is not valid all through."""
    file.seek(len(encoding.mark))
    offset, start, splitter, content = len(encoding.mark), 0, Splitter(), bytearray()
    for line, size in _decoded_lines(file, encoding):
        raw = line.encode(encoding.name)
        if raw and splitter.add(line.replace("\r\n", "\n").replace("\r", "\n")):
            part = _part_of(start, bytes(content), encoding.name)
            if part is not None:
                yield part
            content = bytearray()
        if raw and not splitter.is_empty:
            start = start if content else offset + size - len(raw)
            content += raw
        offset += size
    part = _part_of(start, bytes(content), encoding.name)
    if part is not None:
        yield part
    if offset != file.seek(0, io.SEEK_END):
        raise ValueError(f"games cannot be found by their place in {encoding.name.upper()}; write the file as UTF-8")


def _decoded_lines(file: IO[bytes], encoding: Encoding) -> Iterator[tuple[str, int]]:
    """Lines with their sizes in bytes, also of lines that do not count."""
    text = io.TextIOWrapper(file, encoding.name, newline="")
    try:
        for number, line in enumerate(text):
            counted = line.removeprefix(BYTE_ORDER_MARK) if number == 0 and not encoding.mark else line
            yield "" if counted == BYTE_ORDER_MARK else counted, len(line.encode(encoding.name))
    finally:
        text.detach()
