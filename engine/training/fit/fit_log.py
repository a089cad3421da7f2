"""The log of a net in training: a line of JSON for each pool."""

import json
import os
from pathlib import Path
from typing import Any


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; none if there is no log. A line that is damaged, as by a power cut, is left out."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return [entry for line in lines if (entry := read_entry(line)) is not None]


def read_entry(line: bytes) -> dict[str, Any] | None:
    """A line of a log, if it is complete."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # the latter: thousands of brackets
        return None
    return entry if isinstance(entry, dict) and "seen" in entry else None


def append_entry(path: Path, entry: dict[str, Any]) -> None:
    """Add a line to a log; if the last line is incomplete, start a new one."""
    with path.open("a+b") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        is_incomplete = file.read(1) not in (b"", b"\n")
        file.write(b"\n" * is_incomplete + json.dumps(entry).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
