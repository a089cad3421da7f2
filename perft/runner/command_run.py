"""A run of units by a command: its folder, its workers, its progress."""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from perft.command_text import quoted
from perft.runner.arguments import MISSING_DASK, RunOptions, open_journal, open_pool
from perft.runner.display import RunDisplay, events_of, summary_line
from perft.runner.interrupts import interrupts_held_back
from perft.runner.journal import Journal, JournalError, Memory, UnitJournal
from perft.runner.pool import UnitPool
from perft.runner.processes import ProcessPool
from perft.runner.run_stats import RunStats, added
from perft.runner.runner import RunError, Runner, Stopped
from perft.runner.units import OTHER_SOURCES, AnswerCheck, no_check, sources_behind
from perft.runner.versions import computing_versions, differences


class CommandRun:
    """A run, new or continued. Use it as a context: it ends the workers, and lets others continue the run."""

    package = "perft"  # whose sources the results depend on
    program = ""  # in front of the command, in messages
    flag = "--threads"  # says how many workers there are

    def __init__(self, command: str, options: RunOptions, workers: int) -> None:
        """`workers`: how many units are done at a time on this machine."""
        if options.error is not None:
            raise ValueError(options.error)
        if options.cluster is not None and find_spec("distributed") is None:
            raise RunError(MISSING_DASK)
        self.command, self.options, self.workers = command, options, workers
        self.folder: Path | None = options.resume
        self.header: Mapping[str, Any] | None = None  # of a run that is continued
        self.journal: UnitJournal = Memory()
        self._stack = ExitStack()
        self._pool: UnitPool | None = None
        self._display: RunDisplay | None = None
        self._runners: list[Runner] = []
        if options.verify and self.is_here and self.workers < 2:
            raise RunError(f"--verify needs a second worker: {self.flag} 2, or a cluster with several")

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
        """How a user continues the run, for the end of a message; empty if nothing is kept."""
        return "" if self.folder is None else f"; continue by --resume {quoted(str(self.folder))}"

    def begin(self, header: Mapping[str, Any]) -> None:
        """Keep what a new run does in its folder, if it has one; `header`: all that is needed to continue it."""
        if self.options.cluster is not None:
            self.pool()  # a cluster that cannot be reached leaves no folder behind
        self.folder = self.options.new_folder(self.name())
        versions = {"sources": sources_behind(self.package), "versions": computing_versions()}
        journal = open_journal(self.folder, {"command": self.command, **header, **versions})
        if journal is not None:
            self._keep(journal)
            print(f"run folder: {self.folder} (continue by --resume)", file=sys.stderr)

    def runner(
        self,
        journal: UnitJournal | None = None,
        check: AnswerCheck = no_check,
        watcher: Callable[[RunStats], None] | None = None,
    ) -> Runner:
        """A runner for one list of units; `Stopped` if Ctrl-C came while the units of an earlier one were finished.

        `journal`: where results are kept, if not in the folder. `watcher` shows the progress, instead of a display to
        the end of the run.
        """
        if self.is_stopping:
            raise Stopped("what was begun is done")
        kept_in, shown = self.journal if journal is None else journal, watcher or self._shown()
        runner = Runner(self.pool(), kept_in, verify=self.options.verify, watcher=shown, check=check)
        self._runners.append(runner)
        return runner

    @property
    def is_stopping(self) -> bool:
        """Did Ctrl-C come while the units of a list were done? They may all have been finished all the same."""
        return any(runner.stats.is_stopping for runner in self._runners)

    def report(self) -> None:
        """Print what was special about the units of this run, if anything."""
        stats = added([runner.stats for runner in self._runners])
        if self.options.cluster is not None or self.options.verify or events_of(stats):
            print(summary_line(stats), file=sys.stderr)

    def pool(self) -> UnitPool:
        """The workers; they are started if there are none."""
        if self._pool is None:
            self._pool = open_pool(self.options, self.workers, self.hints, self.local_pool)
            self._stack.callback(self._pool.close)
            dashboard = getattr(self._pool, "dashboard", None)
            if dashboard is not None:
                print(f"dashboard: {dashboard}", file=sys.stderr)
        return self._pool

    # What a command may want otherwise

    def name(self) -> str:
        """The name of the folder, if the user has given none."""
        return self.command

    def hints(self, per_machine: int) -> Mapping[str, Any]:  # noqa: ARG002  (for those that need it)
        """What a worker may use, if `per_machine` workers share a machine."""
        return {}

    def local_pool(self) -> UnitPool:
        """Workers of this machine."""
        return ProcessPool(self.workers, {})

    # Parts

    def _shown(self) -> Callable[[RunStats], None]:
        if self._display is None:
            self._display = self._stack.enter_context(RunDisplay())
        return self._display.show

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
            raise JournalError(f"{folder} is not a run of {self.program}{self.command}")
        if header.get("sources") != sources_behind(self.package):
            raise JournalError(f"{folder} {OTHER_SOURCES}")
        difference = differences(computing_versions(), header.get("versions", {}))
        if difference is not None:
            print(f"note: {folder} was begun with other versions: this machine {difference}", file=sys.stderr)

    def _keep(self, journal: Journal) -> None:
        self.journal = journal
        self._stack.callback(journal.close)
