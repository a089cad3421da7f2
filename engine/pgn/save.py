"""A game replaced in its file: all other bytes stay, and after a crash there is the old file or the new one."""

import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from engine.pgn.annotated import tree_text
from engine.pgn.encoding import CHUNK_BYTES, Encoding
from engine.pgn.game_tree import GameTree
from engine.pgn.index import CHANGED, GameIndex, Place, digest_of_bytes
from engine.pgn.scan import scan
from engine.system.files import write_whole

TAIL_BYTES = 1 << 16  # after the last game, read to see whether it stays apart


def save_tree(index: GameIndex, tree: GameTree) -> None:
    """Write a tree in the place of its game; `ValueError` if something would be lost, or if it cannot be written."""
    if tree.found is None or tree.found.file != index.name:
        raise ValueError(f"the game is not of {index.name}; save a copy instead")
    if tree.has_other_moves:
        raise ValueError(f"{tree.found.origin}: it holds text that is no move and would be lost; save a copy instead")
    if index.game(tree.found.number).digest != tree.found.digest:  # it was changed before the index was made
        raise ValueError(f"{index.name}: {CHANGED}")
    save_game(index, tree.found.number, tree_text(tree))
    tree.found, tree.is_changed = index.game(tree.found.number), False


def save_game(index: GameIndex, number: int, text: str) -> None:
    """Replace a game of a file by a text, in the encoding and with the line ends of the file.

    `ValueError` if that cannot be: the file is as it was then. The index knows the game from then on.
    """
    if index.path is None:
        raise ValueError(f"{index.name}: it is no file that can be written")
    index.wait()
    place = index.place(number)
    try:
        _check_writable(index.path)
        old = _read(index.path, place, index.name)
        new = _encoded(text, old, index.encoding, index.name)
        content = _checked_part(index, index.path, number, old, new)
        write_whole(index.path, _parts(index.path, place, new, index.name))
    except OSError as error:
        raise ValueError(f"{index.name}: {error.strerror or error}; nothing was changed") from None
    index.replaced(number, len(new) - place.size, content)


def _check_writable(path: Path) -> None:
    """A file that may not be written is not replaced either."""
    if not os.access(path, os.F_OK):
        path.stat()  # says why
    if not (os.access(path, os.W_OK) and path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)):
        raise PermissionError(0, "the file is read-only")


def _read(path: Path, place: Place, name: str) -> bytes:
    with path.open("rb") as file:
        file.seek(place.offset)
        content = file.read(place.size)
    if digest_of_bytes(content) != place.digest:
        raise ValueError(f"{name}: {CHANGED}")
    return content


def _encoded(text: str, old: bytes, encoding: Encoding, name: str) -> bytes:
    """The text as bytes, with the line ends of the game and the white space at its end."""
    before = old.decode(encoding.name)
    newline = "\r\n" if "\r\n" in before else "\n" if "\n" in before else "\r" if "\r" in before else encoding.newline
    ending = before[len(before.rstrip()) :]
    try:
        return text.strip().replace("\n", newline).encode(encoding.name) + ending.encode(encoding.name)
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        raise ValueError(f"{name}: {letter!a} cannot be written in {encoding.name.upper()}, as the file is") from None


def _checked_part(index: GameIndex, path: Path, number: int, old: bytes, new: bytes) -> bytes:
    """The new game as it will be found; `ValueError` if it, or a game next to it, would be another one then."""
    place = index.place(number)
    start = index.place(number - 1).offset if number > 1 else len(index.encoding.mark)
    end = sum(index.place(number + 1)[:2]) if number < index.count else place.offset + place.size + TAIL_BYTES
    with path.open("rb") as file:
        file.seek(start)
        window = file.read(end - start)
    before, after = window[: place.offset - start], window[place.offset - start + len(old) :]
    plain = Encoding(index.encoding.name, b"", index.encoding.newline)
    expected, actual = (
        [(part.offset, part.content) for part in scan(io.BytesIO(before + middle + after), plain)]
        for middle in (old, new)
    )
    changed = next((content for offset, content in actual if offset == len(before)), b"")
    for parts, grown in ((expected, len(new) - len(old)), (actual, 0)):
        parts[:] = [(offset + grown * (offset > len(before)), content) for offset, content in parts]
    same = [part for part in expected if part[0] != len(before)] == [part for part in actual if part[0] != len(before)]
    is_whole = changed and changed.decode(plain.name).strip() == new.decode(plain.name).strip()
    if not (same and is_whole):
        raise ValueError(f"{index.name}, game {number}: it would not be read as one game any more; save a copy instead")
    return changed


def _parts(path: Path, place: Place, new: bytes, name: str) -> Iterator[bytes]:
    """The content of the new file; `ValueError` if another program changes the old one meanwhile."""
    with path.open("rb") as file:
        before = os.fstat(file.fileno())
        yield from _chunks(file, place.offset)
        if digest_of_bytes(file.read(place.size)) != place.digest:
            raise ValueError(f"{name}: {CHANGED}")
        yield new
        yield from _chunks(file, before.st_size)
    after = path.stat()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise ValueError(f"{name}: {CHANGED}")


def _chunks(file: IO[bytes], count: int) -> Iterator[bytes]:
    """The next bytes of a file, up to a size."""
    while count > 0 and (chunk := file.read(min(count, CHUNK_BYTES))):
        count -= len(chunk)
        yield chunk
