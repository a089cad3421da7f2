"""How a text file encodes its letters: found by its first bytes, used again to write it back."""

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.system.files import HEAD_BYTES

CHUNK_BYTES = 1 << 20  # bytes
BYTE_ORDER_MARKS = (  # the longer ones first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class NoTextError(ValueError):
    """A file holds something other than text."""


@dataclass(frozen=True)
class Encoding:
    """How a file encodes its text, to write it the same way."""

    name: str = "utf-8"
    mark: bytes = b""  # the byte order mark it begins with
    newline: str = "\n"

    def encode(self, text: str) -> bytes:
        """A part of a file, without the mark. What the encoding lacks becomes `?`."""
        return text.replace("\n", self.newline).encode(self.name, errors="replace")


def find_encoding(file: IO[bytes], name: str | None = None) -> Encoding:
    """The encoding of this name; else by the byte order mark; else UTF-8 if all of it is valid; else Latin-1.

    Latin-1 is the character set of the PGN standard; every file can be read as Latin-1 and written back byte for byte.
    `ValueError` if there is no such encoding, `NoTextError` if the file is no text.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    mark, marked = find_mark(head) or (b"", "")
    newline = "\r\n" if b"\r\n" in head.replace(b"\0", b"") else "\n"
    if name is not None:
        name = check_encoding(name)
        if marked.startswith(name):
            return Encoding(marked, mark, newline)
        return Encoding(WITHOUT_MARK.get(name, name), b"", newline)
    if mark:
        return Encoding(marked, mark, newline)
    if b"\0" in head:
        raise NoTextError("it is no text (if it is UTF-16, say --encoding utf-16)")
    return Encoding("utf-8" if _is_utf8(file) else "latin-1", b"", newline)


def find_mark(head: bytes) -> tuple[bytes, str] | None:
    """The byte order mark at the start of a file, and the encoding that it means."""
    return next(((mark, name) for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None)


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
        while chunk := file.read(CHUNK_BYTES):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def read_lines(path: Path) -> list[str]:
    """All lines of a text file, whatever its encoding; `ValueError` says what is wrong with it."""
    try:
        with path.open("rb") as file:
            encoding = find_encoding(file)
            file.seek(len(encoding.mark))
            return file.read().decode(encoding.name).split("\n")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except NoTextError:
        raise ValueError(f"{path}: it is no text (UTF-16 needs a byte order mark)") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
