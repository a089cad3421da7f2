"""A run of units by a command: its folder, its workers, its progress."""

import platform
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from perft.processors import processors
from perft.runner.arguments import MISSING_DASK, RunOptions, open_journal, open_pool
from perft.runner.display import RunDisplay, summary_line
from perft.runner.interrupts import interrupts_held_back
from perft.runner.journal import Journal, JournalError, Memory, UnitBook
from perft.runner.processes import ProcessPool
from perft.runner.runner import RunError, Runner, UnitPool
from perft.runner.units import OTHER_SOURCES, AnswerCheck, no_check, sources_behind


class CommandRun:
    """A run, new or continued. Use it as a context: it ends the workers, and lets others continue the run."""

    def __init__(self, command: str, options: RunOptions, workers: int | None = None) -> None:
        """`workers`: how many units are done at a time on this machine; None: as many as there are processors."""
        if options.error is not None:
            raise ValueError(options.error)
        if options.cluster is not None and find_spec("distributed") is None:
            raise RunError(MISSING_DASK)
        self.command, self.options, self.workers = command, options, workers or processors()
        self.folder: Path | None = options.resume
        self.header: Mapping[str, Any] | None = None  # of a run that is continued
        self.book: UnitBook = Memory()
        self._stack = ExitStack()
        self._pool: UnitPool | None = None
        if options.verify and options.cluster is None and self.workers < 2:
            raise RunError("--verify needs a second worker: --workers 2, or a cluster")

    def __enter__(self) -> Self:
        if self.options.resume is not None:
            self._resume(self.options.resume)
        return self

    def __exit__(self, *_: object) -> None:
        with interrupts_held_back():  # one more Ctrl-C does not leave workers behind
            self._stack.close()

    @property
    def is_here(self) -> bool:
        """Are all workers on this machine?"""
        return self.options.cluster in (None, "local")

    @property
    def how_to_continue(self) -> str:
        """For messages; empty if nothing is kept."""
        return "" if self.folder is None else f"; continue by --resume {self.folder}"

    def begin(self, header: Mapping[str, Any]) -> None:
        """Keep what a new run does in its folder, if it has one; `header`: all that is needed to continue it."""
        if self.options.cluster is not None:
            self._open_pool()  # a cluster that cannot be reached leaves no folder behind
        self.folder = self.options.new_folder(self.command)
        versions = {"sources": sources_behind("engine"), "python": platform.python_version()}
        journal = open_journal(self.folder, {"command": self.command, **header, **versions})
        if journal is not None:
            self._keep(journal)
            print(f"run folder: {self.folder} (continue by --resume)", file=sys.stderr)

    def runner(self, book: UnitBook | None = None, check: AnswerCheck = no_check) -> Runner:
        """For a list of units; each list has a runner. `book`: where results are kept, if not in the folder."""
        pool, kept_in = self._open_pool(), self.book if book is None else book
        return Runner(pool, kept_in, verify=self.options.verify, watcher=self._display.show, check=check)

    def report(self, runner: Runner) -> None:
        """Print what was special about the units that a runner did, if anything."""
        stats = runner.stats
        if stats.from_journal or stats.redone or stats.resent or stats.verified or stats.unverified:
            print(summary_line(stats), file=sys.stderr)

    def _resume(self, folder: Path) -> None:
        journal = Journal(folder)
        self._keep(journal)
        try:
            header = journal.resume()
            self._check_header(folder, header)
        except BaseException:
            self._stack.close()
            raise
        self.header = header

    def _check_header(self, folder: Path, header: Mapping[str, Any]) -> None:
        if header.get("command") != self.command:
            raise JournalError(f"{folder} is not a run of teresa {self.command}")
        if header.get("sources") != sources_behind("engine"):
            raise JournalError(f"{folder} {OTHER_SOURCES}")

    def _keep(self, journal: Journal) -> None:
        self.book = journal
        self._stack.callback(journal.close)

    def _open_pool(self) -> UnitPool:
        if self._pool is None:
            self._pool = self._new_pool()
        return self._pool

    def _new_pool(self) -> UnitPool:
        pool = open_pool(self.options, self.workers, lambda _: {}, lambda: ProcessPool(self.workers, {}))
        self._stack.callback(pool.close)
        self._display = self._stack.enter_context(RunDisplay())
        dashboard = getattr(pool, "dashboard", None)
        if dashboard is not None:
            print(f"dashboard: {dashboard}", file=sys.stderr)
        return pool
