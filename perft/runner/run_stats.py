"""How far a run is: the numbers that its progress and its summary show."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from perft.runner.journal import UnitBook
from perft.runner.units import Unit


@dataclass
class RunStats:
    """How far a run is."""

    total: int = 0
    done: int = 0
    from_journal: int = 0  # of those that are done
    redone: int = 0  # sent again because a worker was lost, or has other versions
    resent: int = 0  # sent to a second worker because they took long
    verified: int = 0  # done by two workers
    unverified: int = 0  # should have been verified, but there was no second worker
    booked_unverified: int = 0  # should be verified, but an earlier run has booked them after one answer
    workers: int = 0
    lost_workers: int = 0
    is_stopping: bool = False  # no more units are sent
    notes: list[str] = field(default_factory=list)  # for the user, a line each
    started: float = field(default_factory=time.monotonic)


def is_to_verify(unit: Unit, share: float) -> bool:
    """Is it one of the units that two workers do? The same ones in every run."""
    return unit.is_repeatable and int(unit.identity[:8], 16) < share * 2**32


def stats_at_start(units: Sequence[Unit], book: UnitBook, verify: float) -> RunStats:
    """How far a run is before anything is sent; `verify`: the share of the units that two workers shall do."""
    distinct = {unit.identity: unit for unit in units}
    done = [unit for unit in distinct.values() if unit.identity in book.done]
    alone = [unit for unit in done if is_to_verify(unit, verify) and len(book.done[unit.identity].workers) < 2]
    return RunStats(total=len(distinct), done=len(done), from_journal=len(done), booked_unverified=len(alone))
