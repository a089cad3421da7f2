"""A progress line with the remaining time on the terminal, for long runs; it is never written into a pipe."""

import sys
import time
from typing import TYPE_CHECKING, Self

from perft.counter import CountProgress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

QUIET_SECONDS = 1.0  # short runs show nothing


def seconds_left_of_run(progress: CountProgress) -> float | None:
    """The remaining seconds of a run, None before the first count. Merging is over by then: its time does not count."""
    if not progress.share:
        return None
    return progress.counting_seconds * (1 - progress.share) / progress.share


def seconds_left(progress: CountProgress, elapsed: float, share_before: float, share_of_run: float) -> float | None:
    """The remaining seconds of several runs, this one included; the coming ones are assumed to be like those so far.

    `elapsed`: seconds of all runs so far. The shares are those of the runs before and of this one.
    """
    left = seconds_left_of_run(progress)
    if left is None:
        return None
    reached = min(1.0, share_before + share_of_run)
    return left + (elapsed + left) * (1 - reached) / reached


class Display:
    """Shows nodes, speed, share done and time left on standard error."""

    def __init__(self) -> None:
        self._bar: tuple[Bar, TaskID] | None = None
        self._started = time.monotonic()
        self._enabled = sys.stderr.isatty()
        self._nodes_before, self._share_before, self._share_of_part = 0, 0.0, 1.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def part(self, nodes_before: int, share_before: float, share_of_part: float) -> None:
        """The following calls of `show` are for this part of the whole run."""
        self._nodes_before, self._share_before, self._share_of_part = nodes_before, share_before, share_of_part

    def show(self, progress: CountProgress) -> None:
        """Show the state of a run."""
        seconds = time.monotonic() - self._started
        if not self._enabled or seconds < QUIET_SECONDS:
            return
        if self._bar is None:
            self._bar = _new_bar()
        nodes = self._nodes_before + progress.nodes
        share = self._share_before + progress.share * self._share_of_part
        left = seconds_left(progress, seconds, self._share_before, self._share_of_part)
        time_left = "?" if left is None else _clock(left)
        bar, task = self._bar
        text = f"{nodes:,} nodes  {nodes / seconds / 1e6:,.0f} M/s  {time_left} left"
        bar.update(task, completed=share, description=text)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _new_bar() -> "tuple[Bar, TaskID]":
    from rich import console, progress  # not for short runs, nor for pipes

    columns = (progress.BarColumn(), progress.TaskProgressColumn(), progress.TextColumn("{task.description}"))
    bar = progress.Progress(*columns, console=console.Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("", total=1.0)
