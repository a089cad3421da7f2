"""The progress of long work: a bar on a terminal, else a line on standard error from time to time."""

import sys
import time
from collections.abc import Iterator
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from engine.warmup import ensure_warm

SECONDS_BETWEEN_LINES = 30.0
_last_line = time.monotonic()  # when the last line was printed


class ProgressDisplay:
    """Counts the steps of one task."""

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0

    def __enter__(self) -> Self:
        self._bar = _new_bar()
        self._bar.start()
        self._task = self._bar.add_task(self.name, total=self.total)
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def advance(self, remark: str = "", left: int | None = None) -> None:
        """One more step; `remark` is shown after the name. `left`: how many steps are left, if that has changed."""
        global _last_line  # noqa: PLW0603  (the pause is between any two lines, whatever their task)
        self.done += 1
        self.total = self.total if left is None else self.done + left
        self._bar.update(self._task, advance=1, total=self.total, description=self.name + remark)
        if not sys.stderr.isatty() and time.monotonic() - _last_line >= SECONDS_BETWEEN_LINES:
            print(f"{self.name}{remark}: {self.done} of {self.total}", file=sys.stderr, flush=True)
            _last_line = time.monotonic()


def warm_up() -> None:
    """At the very first start: compile what a search needs, with a progress bar."""
    ensure_warm(compiling)


def compiling(parts: list[str]) -> Iterator[str]:
    """Pass the names of kernels to compile on, and show the progress."""
    with _new_bar() as bar:
        yield from bar.track(parts, description="compiling")


def _new_bar() -> Bar:
    """A bar on standard error, only on a terminal; it disappears at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Bar(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
