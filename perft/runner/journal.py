"""Which units of a run are done, on disk: it can be continued after anything that may happen to its processes.

    RUN/journal.jsonl   a header, written aside and renamed, then a line for each unit that is done, each with its own
                        checksum
    RUN/results/        large results, a file each: written aside, renamed, and only then recorded
    RUN/lock            held by the process that writes

A line that was cut off is skipped, and its unit is done again. So is a unit whose file is missing or damaged, or whose
result was withdrawn. A folder in which a run ended before it had a header is as good as new.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from filelock import FileLock, Timeout

from perft.runner.checked_lines import append_line, flush_folder, line_of, read_lines
from perft.runner.units import Unit, UnitAnswer, checksum

FORMAT = 1
JOURNAL, RESULTS, LOCK = "journal.jsonl", "results", "lock"
WITHDRAWN = "withdrawn"  # in a line: the unit is to be done again
ASIDE = ".new"  # the ending of a file that is not whole yet
BEFORE_THE_HEADER = {LOCK, RESULTS, JOURNAL + ASIDE}  # what a run has that ended before its header was there


class JournalError(ValueError):
    """A journal cannot be written, or is not the one of this run."""


@dataclass(frozen=True)
class Result:
    """The result of a unit that is done."""

    value: Any
    digest: str  # equal answers have equal digests
    workers: tuple[str, ...]  # that gave it: two if it was verified
    seconds: float  # of work
    files: Mapping[str, bytes | Path] = field(default_factory=dict)  # by their suffix

    def read(self, suffix: str) -> bytes:
        """The content of a large result."""
        file = self.files[suffix]
        return file.read_bytes() if isinstance(file, Path) else file


class UnitJournal(Protocol):
    """Where results are kept."""

    done: dict[str, Result]  # by the identity of the unit

    def record(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        """Keep a result."""

    def withdraw(self, unit: Unit) -> None:
        """Forget the result of a unit that is done: it may be wrong."""


class Memory:
    """Keeps results in memory only."""

    def __init__(self) -> None:
        self.done: dict[str, Result] = {}

    def record(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        """Keep a result."""
        result = Result(answer.value, answer.digest, workers, answer.seconds, answer.files)
        self.done[unit.identity] = result
        return result

    def withdraw(self, unit: Unit) -> None:
        """Forget a result."""
        del self.done[unit.identity]


def hash_of_units(units: Iterable[Unit]) -> str:
    """A hash of a list of units, in its order."""
    return checksum("\n".join(unit.identity for unit in units).encode())


class Journal:
    """The journal of a run in its folder. Use it as a context: other processes cannot open it meanwhile."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: dict[str, Result] = {}
        self._lock = FileLock(folder / LOCK)

    def start(self, header: Mapping[str, Any]) -> None:
        """Begin a new journal; the folder must be new or empty."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._check_is_new()
            self._take_lock()
            self._check_is_new()  # another process may have begun a run meanwhile
            (self.folder / RESULTS).mkdir(exist_ok=True)
            self._write_file(self.folder / JOURNAL, line_of({"journal": FORMAT, **header}))
        except OSError as error:
            raise JournalError(f"{self.folder}: {error.strerror or error}") from None

    def resume(self) -> dict[str, Any]:
        """Continue a journal; -> its header."""
        if not (self.folder / JOURNAL).is_file():
            raise JournalError(f"{self.folder} is not the folder of a run: it has no {JOURNAL}")
        self._take_lock()
        header, *entries = self._read() or [{}]
        if header.get("journal") != FORMAT:
            raise JournalError(f"{self.folder / JOURNAL} has no header of this version")
        for entry in entries:
            self.done.pop(entry["unit"], None)  # the last line of a unit counts
            result = None if WITHDRAWN in entry else self._result_of(entry)
            if result is not None:
                self.done[entry["unit"]] = result
        return header

    def close(self) -> None:
        """Let other processes open it."""
        self._lock.release()

    def record(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        """Keep a result on disk."""
        sums = {suffix: [len(data), checksum(data)] for suffix, data in answer.files.items()}
        entry = {"unit": unit.identity, "value": answer.value, "digest": answer.digest, "files": sums}
        entry |= {"seconds": round(answer.seconds, 6), "workers": list(workers)}
        with self._writing():
            for suffix, data in answer.files.items():
                self._write_file(self._path(unit.identity, suffix), data)
            append_line(self.folder / JOURNAL, entry)
        files = {suffix: self._path(unit.identity, suffix) for suffix in answer.files}
        result = Result(answer.value, answer.digest, workers, answer.seconds, files)
        self.done[unit.identity] = result
        return result

    def withdraw(self, unit: Unit) -> None:
        """Forget a result, also on disk."""
        with self._writing():
            append_line(self.folder / JOURNAL, {"unit": unit.identity, WITHDRAWN: True})
        del self.done[unit.identity]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(
                f"{self.folder}: {error.strerror or error}; what is recorded is safe, continue by --resume"
            ) from None

    def _check_is_new(self) -> None:
        names = {path.name for path in self.folder.iterdir()}
        results = self.folder / RESULTS
        if not names <= BEFORE_THE_HEADER or (results.exists() and any(results.iterdir())):
            raise JournalError(f"{self.folder} is not empty: take another folder, or continue its run by --resume")

    def _take_lock(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise JournalError(f"{self.folder} is in use by another process") from None

    def _path(self, identity: str, suffix: str) -> Path:
        return self.folder / RESULTS / f"{identity[:32]}{suffix}"

    def _write_file(self, path: Path, data: bytes) -> None:
        aside = path.with_name(path.name + ASIDE)
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        flush_folder(path.parent)

    def _read(self) -> list[dict[str, Any]]:
        """All whole lines; if the header is damaged, nothing."""
        entries = read_lines(self.folder / JOURNAL)
        return [] if entries[:1] == [None] else [entry for entry in entries if entry is not None]

    def _result_of(self, entry: Mapping[str, Any]) -> Result | None:
        """What a line says; None if one of its files is not as it was recorded."""
        files = {suffix: self._path(entry["unit"], suffix) for suffix in entry["files"]}
        for suffix, (size, digest) in entry["files"].items():
            path = files[suffix]
            if not path.is_file() or path.stat().st_size != size or checksum(path.read_bytes()) != digest:
                return None
        return Result(entry["value"], entry["digest"], tuple(entry["workers"]), entry["seconds"], files)
