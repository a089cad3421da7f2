"""How far a run is: the numbers that its progress and its summary show."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from perft.runner.journal import UnitJournal
from perft.runner.units import Unit
from perft.runner.verified import recorded_first_answers, recorded_unverified

# The numbers of a `RunStats` that add up.
COUNTS_OF_UNITS = ("total", "done", "from_journal", "redone", "resent", "verified", "unverified", "recorded_unverified")


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
    recorded_unverified: int = 0  # should be verified, but the journal does not name its worker
    workers: int = 0
    lost_workers: int = 0
    is_stopping: bool = False  # no more units are sent
    notes: list[str] = field(default_factory=list)  # for the user, a line each
    started: float = field(default_factory=time.monotonic)


def stats_at_start(units: Sequence[Unit], journal: UnitJournal, verify: float) -> RunStats:
    """How far a run is before anything is sent; `verify`: the share of the units that two workers shall do."""
    distinct = {unit.identity: unit for unit in units}
    waiting = recorded_first_answers(distinct.values(), journal, verify)
    done = sum(identity in journal.done and identity not in waiting for identity in distinct)
    alone = recorded_unverified(distinct.values(), journal, verify)
    return RunStats(total=len(distinct), done=done, from_journal=done, recorded_unverified=alone)


def added(parts: Sequence[RunStats]) -> RunStats:
    """The numbers of several lists of units that the same workers have done, one after the other."""
    sums = {name: sum(getattr(part, name) for part in parts) for name in COUNTS_OF_UNITS}
    return RunStats(**sums, lost_workers=max((part.lost_workers for part in parts), default=0))
