"""Files of lines that are only added to, each a JSON object with a checksum: a line that was cut off is skipped."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from perft.runner.units import canonical, checksum

CHECK, CHECK_DIGITS = "check", 16  # the checksum of a line


def check_of(entry: Mapping[str, Any]) -> str:
    """The checksum of a line."""
    return checksum(canonical(entry).encode())[:CHECK_DIGITS]


def line_of(entry: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return canonical({**entry, CHECK: check_of(entry)}).encode() + b"\n"


def entry_of(line: bytes) -> dict[str, Any] | None:
    """The object of a line; None if the line is damaged."""
    try:
        entry = json.loads(line)
        if not isinstance(entry, dict):
            return None
        check = entry.pop(CHECK, None)
        return entry if check == check_of(entry) else None
    except (ValueError, RecursionError):  # the latter: thousands of brackets
        return None


def read_lines(path: Path) -> list[dict[str, Any] | None]:
    """The object of each line that is not empty; None for damaged ones."""
    return [entry_of(line) for line in path.read_bytes().split(b"\n") if line]


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Write a line to the disk; one that was cut off before it is closed first."""
    line = line_of(entry)
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Bring the names of files to the disk, where a system can do so."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
