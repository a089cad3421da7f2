"""The workers of a step, and their processor time, unit by unit, in a file: that before an interruption counts, too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from perft.runner.checked_lines import append_line, read_lines
from perft.runner.command_run import CommandRun
from perft.runner.journal import Result, UnitJournal
from perft.runner.units import Unit, UnitAnswer

OpenRun: TypeAlias = Callable[[], CommandRun]


class CountedJournal:
    """Notes the processor time of each unit that another journal keeps."""

    def __init__(self, journal: UnitJournal, path: Path) -> None:
        self._journal, self._path, self.done = journal, path, journal.done

    def record(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        """Keep a result; both workers of a unit that was verified have spent about the same."""
        result = self._journal.record(unit, answer, workers)
        append_line(self._path, {"unit": unit.identity, "cpu_seconds": len(workers) * answer.cpu_seconds})
        return result

    def withdraw(self, unit: Unit) -> None:
        """Forget a result; its time was spent."""
        self._journal.withdraw(unit)


def spent(path: Path) -> float:
    """The processor time in a file, in seconds."""
    entries: list[dict[str, Any] | None] = read_lines(path) if path.is_file() else []
    return round(sum(float(entry["cpu_seconds"]) for entry in entries if entry is not None), 3)
