"""A run of units that count leaves: new or continued, on this machine or on a cluster."""

import argparse
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from movegen.fen import START_FEN
from perft.runner.arguments import RunOptions, open_journal, open_pool
from perft.runner.display import RunDisplay, summary_line
from perft.runner.interrupts import interrupts_held_back
from perft.runner.journal import Journal, JournalError, Memory, UnitBook, hash_of_units
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.run_stats import stats_at_start
from perft.runner.runner import RunError, Runner, UnitPool
from perft.runner.units import OTHER_SOURCES, Unit, sources_behind

OTHER_UNITS = "has other units than before: a suite has changed"


@dataclass(frozen=True)
class CountPlan:
    """What is counted: all that the units depend on. It is in the header of the journal."""

    fen: str
    chess960: bool
    depth: int | None
    hash: int  # megabytes
    divide: bool = False
    suite: list[str] = field(default_factory=list)
    max_nodes: int | None = None
    per_unit: int | None = None  # positions; chosen when a run starts

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "CountPlan":
        """The plan of a command line."""
        fen = START_FEN if arguments.fen is None else arguments.fen
        suite = [str(name) for name in arguments.suite or []]
        return cls(
            fen, arguments.chess960, arguments.depth, arguments.hash, arguments.divide, suite, arguments.max_nodes
        )


class UnitRun:
    """A run of units. Close it, so that others can continue it."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.options = RunOptions.of(arguments)
        self.threads: int = arguments.threads
        self.plan = CountPlan.of(arguments)
        self.folder = self.options.new_folder("perft-suite" if self.plan.suite else f"perft-{self.plan.depth}")
        self._journal: Journal | None = None
        self._header: Mapping[str, Any] | None = None  # of a run that is continued
        self._stack = ExitStack()
        self._pool: UnitPool | None = None
        self._megabytes_used = 0
        self._table: Callable[[], np.ndarray | None] = lambda: None
        if self.options.resume is not None:
            self._resume(self.options.resume)
        elif self.options.verify and self.options.cluster is None and self.threads < 2:
            raise RunError("--verify needs a second worker: --threads 2, or a cluster")

    def _resume(self, folder: Path) -> None:
        self.folder = folder
        self._journal = Journal(folder)
        self._stack.callback(self._journal.close)
        try:
            self._header = self._journal.resume()
            self.plan = _plan_of(folder, self._header)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers, and let others continue the run."""
        with interrupts_held_back():  # one more Ctrl-C does not leave workers behind
            self._stack.close()

    def workers(self) -> int:
        """How many units are done at a time (0: not known yet), or how many threads do one."""
        return self.threads if self.options.cluster is None else self._open_pool().workers

    def results(
        self,
        units: Sequence[Unit],
        plan: CountPlan,
        megabytes_used: int = 0,
        table: Callable[[], np.ndarray | None] = lambda: None,
    ) -> list[Any]:
        """The values of all units, in their order; each is booked as soon as it is known.

        `megabytes_used`: of the memory of the plan, on this machine; the rest is for the tables of its workers.
        `table`: the memory that this process can use instead, if it does all units itself.
        """
        book = self._open_book(units, plan)
        stats = stats_at_start(units, book, self.options.verify)
        if stats.done < stats.total:
            self._megabytes_used, self._table = megabytes_used, table
            self._run(units, book)
        elif stats.booked_unverified:
            print(summary_line(stats), file=sys.stderr)
        return [book.done[unit.identity].value for unit in units]

    def _run(self, units: Sequence[Unit], book: UnitBook) -> None:
        with RunDisplay() as display:
            runner = Runner(self._open_pool(), book, verify=self.options.verify, watcher=display.show)
            for _ in runner.run(units):
                pass
        if self.options.cluster is not None or self.options.verify or runner.stats.from_journal:
            print(summary_line(runner.stats), file=sys.stderr)

    def _open_book(self, units: Sequence[Unit], plan: CountPlan) -> UnitBook:
        hash_of_list = hash_of_units(units)
        if self._header is not None and self._header["list"] != hash_of_list:
            raise JournalError(f"{self.folder} {OTHER_UNITS}")
        if self._journal is None:
            self._journal = open_journal(
                self.folder,
                {
                    "command": "perft",
                    "plan": asdict(plan),
                    "sources": _sources(),
                    "python": platform.python_version(),
                    "units": len(units),
                    "list": hash_of_list,
                },
            )
            if self._journal is not None:
                self._stack.callback(self._journal.close)
                print(f"run folder: {self.folder} (continue by --resume)", file=sys.stderr)
        return self._journal if self._journal is not None else Memory()

    def _open_pool(self) -> UnitPool:
        if self._pool is None:
            self._pool = open_pool(self.options, self.threads, self._hints, self._local_pool)
            self._stack.callback(self._pool.close)
            dashboard = getattr(self._pool, "dashboard", None)
            if dashboard is not None:
                print(f"dashboard: {dashboard}", file=sys.stderr)
        return self._pool

    def _local_pool(self) -> UnitPool:
        """One unit after the other, with all threads and one table; units are verified by other processes."""
        if self.options.verify:
            return ProcessPool(self.threads, self._hints(self.threads))
        table = self._table()
        own = {} if table is None else {"table": table}
        return InlinePool({**self._hints(1), "threads": self.threads, **own})

    def _hints(self, per_machine: int) -> dict[str, int]:
        """What a worker may use, if `per_machine` workers share a machine."""
        is_here = self.options.cluster in (None, "local")
        megabytes = max(0, self.plan.hash - self._megabytes_used) if is_here else self.plan.hash
        return {"threads": 1, "megabytes": megabytes // per_machine}


def _plan_of(folder: Path, header: Mapping[str, Any]) -> CountPlan:
    """What a run counts; a `JournalError` if it cannot be continued."""
    if header.get("command") != "perft":
        raise JournalError(f"{folder} is not a run of perft")
    if header.get("sources") != _sources():
        raise JournalError(f"{folder} {OTHER_SOURCES}")
    return CountPlan(**header["plan"])


def _sources() -> str:
    return sources_behind("perft")
