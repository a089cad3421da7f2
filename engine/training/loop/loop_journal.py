"""What a loop has done: a file of lines that is only added to, and a lock. Anything else in its folder follows from it.

    LOOP/journal.jsonl   {"n": 0, "kind": "loop", "format": 1, "settings": {…}, "net": NAME}, then a line for each step
    LOOP/lock            held by the process that works
    LOOP/games/          the store of labelled games (games.parts: those that are being made)
    LOOP/nets/           NAME.net, and NAME.state, from which the next fit goes on
    LOOP/rounds/         what is kept of a round under way, and the games of its gates
    LOOP/report.html

Lines have numbers and checksums. One that was cut off is written again by the step that it was to write; one that is
missing between others stops the loop: it may have said which net is the best.

Other settings hold from the next round on; for the round under way, too, if their line has `at_once`; the book of its
open gates if it has `book_at_once`.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.system.files import write_whole
from engine.system.folder_lock import LOCK, take_lock
from perft.runner.checked_lines import append_line, line_of, read_lines

JOURNAL, FORMAT = "journal.jsonl", 1
OWN_NAMES = (JOURNAL, LOCK, "games", "games.parts", "nets", "rounds", "report.html")
HEADER, BEGIN, LABELS, FIT, GATE, END, SETTINGS = "loop", "begin", "labels", "fit", "gate", "end", "settings"
AT_ONCE, BOOK_AT_ONCE = "at_once", "book_at_once"  # of settings: for the round under way, too

Entry = dict[str, Any]


class LoopJournal:
    """The journal of a loop. Write to it only while it is `held`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / JOURNAL
        self.entries: list[Entry] = read_entries(self.path) if self.path.exists() else []

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out."""
        lock = take_lock(self.folder, "is in use: another process works on this loop")
        try:
            self.entries = read_entries(self.path) if self.path.exists() else []
            yield
        finally:
            lock.release()

    def start(self, **fields: Any) -> None:
        """Write the first line, all at once."""
        entry = self._numbered(HEADER, format=FORMAT, **fields)
        write_whole(self.path, line_of(entry))
        self.entries.append(entry)

    def add(self, kind: str, **fields: Any) -> None:
        """Record something that is done."""
        entry = self._numbered(kind, **fields)
        try:
            append_line(self.path, entry)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror or error}; what is recorded is safe", str(self.path)) from None
        self.entries.append(entry)

    def _numbered(self, kind: str, **fields: Any) -> Entry:
        """A line with its number and its time, as it will be read again: lists for tuples."""
        entry = {"n": len(self.entries), "kind": kind, **fields, "time": round(time.time())}
        return dict(json.loads(json.dumps(entry)))


def check_folder(folder: Path) -> None:
    """A `ValueError` if a folder has something else in it than a loop."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, no folder")
    if not folder.is_dir() or (folder / JOURNAL).is_file():
        return
    others = sorted(path.name for path in folder.iterdir() if path.name not in OWN_NAMES and path.name[:1] != ".")
    if others or (folder / "games").exists():
        what = f"has other files in it ({others[0]})" if others else f"has the games of a loop, but no {JOURNAL}"
        raise ValueError(f"{folder} {what}: name a new folder")


def read_entries(path: Path) -> list[Entry]:
    """All lines in order; a `ValueError` if one of them is missing."""
    try:
        lines = read_lines(path)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    entries = [entry for entry in lines if entry is not None]
    if not lines or lines[0] is None or entries[0].get("kind") != HEADER:
        raise ValueError(f"{path}: the first line is damaged, or it is no journal of a loop: put it back from a copy")
    if entries[0]["format"] != FORMAT:
        raise ValueError(f"{path}: format {entries[0]['format']!r}: this version of Teresa cannot read it")
    for number, entry in enumerate(entries):
        if entry.get("n") != number:
            raise ValueError(f"{path}: line {number + 1} is damaged or missing: put the file back from a copy")
    return entries
