"""How far long work is: a bar on a terminal, else a line on standard error from time to time."""

import sys
import time
from types import TracebackType
from typing import Self

SECONDS_BETWEEN_LINES = 30.0
_last_line = time.monotonic()  # when the last line was printed


class Progress:
    """Counts steps of one piece of work."""

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0
        self._is_shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), disable=not self._is_shown, transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.name, total=self.total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, remark: str = "") -> None:
        """One step more; `remark` is shown beside the name."""
        global _last_line  # noqa: PLW0603  (the pause is between lines, whatever they are about)
        self.done += 1
        self._bar.update(self._task, advance=1, description=self.name + remark)
        if not self._is_shown and time.monotonic() - _last_line >= SECONDS_BETWEEN_LINES:
            print(f"{self.name}{remark}: {self.done} of {self.total}", file=sys.stderr, flush=True)
            _last_line = time.monotonic()
