"""The progress of a run of units: a line on the terminal, or one a minute in a log."""

import sys
import time
from typing import TYPE_CHECKING, Self, TextIO

from perft.runner.run_stats import RunStats

if TYPE_CHECKING:
    from rich.live import Live

SECONDS_BETWEEN_LOG_LINES = 60.0
STOPPING = "stops when the units under way are done (Ctrl-C: at once)"


class RunDisplay:
    """Shows how far a run is, on standard error."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live: Live | None = None
        self._last_line = time.monotonic()
        self._has_waited = False  # for workers
        self._is_stopping = False
        self._notes: set[str] = set()  # those that are shown

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, stats: RunStats) -> None:
        """Show the state of a run."""
        now = time.monotonic()
        self._show_notes(stats)
        begins = (not stats.workers and not self._has_waited) or (stats.is_stopping and not self._is_stopping)
        self._has_waited, self._is_stopping = not stats.workers, stats.is_stopping
        if self._stream.isatty():
            self._show_live(progress_line(stats, now))
        elif begins or now - self._last_line >= SECONDS_BETWEEN_LOG_LINES:
            self._last_line = now
            print(progress_line(stats, now), file=self._stream, flush=True)

    def _show_notes(self, stats: RunStats) -> None:
        for note in stats.notes:
            if note in self._notes:
                continue
            self._notes.add(note)
            if self._live is not None:
                self._live.console.print(note, markup=False, highlight=False, soft_wrap=True)
            else:
                print(note, file=self._stream, flush=True)

    def _show_live(self, text: str) -> None:
        from rich.console import Console
        from rich.live import Live

        if self._live is None:
            self._live = Live(
                console=Console(file=self._stream),
                transient=True,
                redirect_stdout=sys.stdout.isatty(),  # above the line; a file gets what is printed to it
                redirect_stderr=sys.stderr.isatty(),
            )
            self._live.start()
        self._live.update(text)


def progress_line(stats: RunStats, now: float) -> str:
    """Units done, time left, workers, and what was sent twice."""
    new = stats.done - stats.from_journal
    elapsed = max(now - stats.started, 1e-6)
    left = "?" if not new else clock_text(elapsed / new * (stats.total - stats.done))
    until = STOPPING if stats.is_stopping else f"{left} left"
    parts = [
        f"{stats.done:,} of {stats.total:,} units",
        f"{60 * new / elapsed:,.1f} a minute",
        until,
        number_of(stats.workers, "worker") if stats.workers else _waiting(stats),
    ]
    return ", ".join(parts + events_of(stats))


def _waiting(stats: RunStats) -> str:
    """That there is no worker. One that gets a unit before it is met may end at it: only its own log says why."""
    return "waiting for workers" + (" (the logs of those that have gone may say why)" if stats.lost_workers else "")


def summary_line(stats: RunStats) -> str:
    """What a run came to."""
    return ", ".join([number_of(stats.total, "unit"), *events_of(stats)])


def events_of(stats: RunStats) -> list[str]:
    """What was done more than once, and why, as far as it happened."""
    counts = (
        (stats.from_journal, "from the journal"),
        (stats.redone, "redone"),
        (stats.resent, "sent twice"),
        (stats.verified, "verified"),
        (stats.unverified, "not verified: there was no second worker"),
        (stats.recorded_unverified, "not verified: an earlier run has made them"),
    )
    lost = [f"{number_of(stats.lost_workers, 'worker')} lost"] if stats.lost_workers else []
    return lost + [f"{count:,} {word}" for count, word in counts if count]


def number_of(count: int, word: str) -> str:
    """A number with its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def clock_text(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
