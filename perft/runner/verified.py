"""Which units two workers do, and the first answers to them."""

from collections.abc import Iterable
from dataclasses import dataclass

from perft.runner.journal import UnitJournal
from perft.runner.units import Unit


@dataclass(frozen=True)
class FirstAnswer:
    """What the second answer to a unit is compared with."""

    worker: str
    digest: str


def is_to_verify(unit: Unit, share: float) -> bool:
    """Is it one of the units that two workers do? The same ones in every run."""
    return unit.is_repeatable and int(unit.identity[:8], 16) < share * 2**32


def recorded_first_answers(units: Iterable[Unit], journal: UnitJournal, share: float) -> dict[str, FirstAnswer]:
    """The first answers to units that shall be verified, if an earlier run has recorded one; by identity."""
    recorded = {unit.identity: journal.done[unit.identity] for unit in units if _is_alone(unit, journal, share)}
    return {name: FirstAnswer(result.workers[0], result.digest) for name, result in recorded.items() if result.workers}


def recorded_unverified(units: Iterable[Unit], journal: UnitJournal, share: float) -> int:
    """How many units should be verified, but cannot: their workers are not recorded."""
    return sum(_is_alone(unit, journal, share) and not journal.done[unit.identity].workers for unit in units)


def _is_alone(unit: Unit, journal: UnitJournal, share: float) -> bool:
    result = journal.done.get(unit.identity)
    return result is not None and len(result.workers) < 2 and is_to_verify(unit, share)
