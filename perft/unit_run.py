"""A run of units that count leaves: new or continued, on this machine or on a cluster."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from movegen.fen import START_FEN
from perft.runner.arguments import RunOptions
from perft.runner.command_run import CommandRun
from perft.runner.display import RunDisplay
from perft.runner.journal import JournalError, hash_of_units
from perft.runner.pool import UnitPool
from perft.runner.processes import InlinePool, ProcessPool
from perft.runner.run_stats import stats_at_start
from perft.runner.units import Unit

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
        suite = [_from_anywhere(name) for name in arguments.suite or []]
        return cls(
            fen, arguments.chess960, arguments.depth, arguments.hash, arguments.divide, suite, arguments.max_nodes
        )


def _from_anywhere(suite: str) -> str:
    """The file of a suite with its whole path: a run may be continued in another folder. Names of shipped ones stay."""
    return str(Path(suite).absolute()) if Path(suite).exists() else suite


class UnitRun(CommandRun):
    """A run of units that count."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__("perft", RunOptions.of(arguments), arguments.threads)
        self.plan = CountPlan.of(arguments)
        self.counted_now = 0  # leaves, without those of units that were recorded before
        self._megabytes_used = 0
        self._table: Callable[[], np.ndarray | None] = lambda: None

    def __enter__(self) -> Self:
        super().__enter__()
        if self.header is not None:
            self.plan = CountPlan(**self.header["plan"])
        return self

    def workers_now(self) -> int:
        """How many units are done at a time (0: not known yet), or how many threads do one."""
        return self.workers if self.options.cluster is None else self.pool().workers

    def results(
        self,
        units: Sequence[Unit],
        plan: CountPlan,
        megabytes_used: int = 0,
        table: Callable[[], np.ndarray | None] = lambda: None,
    ) -> list[Any]:
        """The values of all units, in their order; each is recorded as soon as it is known.

        `megabytes_used`: of the memory of the plan, on this machine; the rest is for the tables of its workers.
        `table`: the memory that this process can use instead, if it does all units itself.
        """
        hash_of_list = hash_of_units(units)
        if self.header is None:
            self.begin({"plan": asdict(plan), "units": len(units), "list": hash_of_list})
        elif self.header["list"] != hash_of_list:
            raise JournalError(f"{self.folder} {OTHER_UNITS}")
        stats = stats_at_start(units, self.journal, self.options.verify)
        recorded = set(self.journal.done)
        if stats.done < stats.total:
            self._megabytes_used, self._table = megabytes_used, table
            self._run(units)
        self.counted_now = sum(
            self.journal.done[unit.identity].value for unit in units if unit.identity not in recorded
        )
        return [self.journal.done[unit.identity].value for unit in units]

    def _run(self, units: Sequence[Unit]) -> None:
        with RunDisplay() as display:
            runner = self.runner(watcher=display.show)
            for _ in runner.run(units):
                pass
        self.report()

    def name(self) -> str:
        """Of a folder that has no name yet."""
        return "perft-suite" if self.plan.suite else f"perft-{self.plan.depth}"

    def local_pool(self) -> UnitPool:
        """One unit after the other, with all threads and one table; units are verified by other processes."""
        if self.options.verify:
            return ProcessPool(self.workers, self.hints(self.workers))
        table = self._table()
        own = {} if table is None else {"table": table}
        return InlinePool({**self.hints(1), "threads": self.workers, **own})

    def hints(self, per_machine: int) -> dict[str, int]:
        """What a worker may use, if `per_machine` workers share a machine."""
        megabytes = max(0, self.plan.hash - self._megabytes_used) if self.is_here else self.plan.hash
        return {"threads": 1, "megabytes": megabytes // per_machine}
