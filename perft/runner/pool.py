"""What a runner needs of workers: they take jobs, and report how these ended."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from perft.runner.units import Unit, UnitAnswer


@dataclass(frozen=True)
class UnitJob:
    """A unit that is sent out, for the first time or again."""

    unit: Unit
    attempt: int
    avoid: str | None = None  # a worker that shall not get it


@dataclass(frozen=True)
class UnitReport:
    """The end of a job: an answer, or none if its worker has died or has refused it."""

    job: UnitJob
    answer: UnitAnswer | None
    is_refused: bool = False  # the worker has other versions: it gets no more jobs


class UnitPool(Protocol):
    """The workers of a run, as its runner uses them."""

    @property
    def workers(self) -> int:
        """How many units they can do at a time."""

    @property
    def lost(self) -> int:
        """How many workers have died so far."""

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know about the workers, a line each."""

    def send(self, job: UnitJob) -> None:
        """Let a worker do it, now or later."""

    def receive(self, seconds: float) -> list[UnitReport]:
        """The jobs that have ended since; wait for one, but not longer than `seconds`."""

    def recall(self) -> list[UnitJob]:
        """Take back the jobs that no worker has begun, as far as they are known."""

    def cancel(self, jobs: Collection[UnitJob]) -> None:
        """Take back those of these jobs that no worker has begun; the others may still be reported."""

    def begun_at(self, job: UnitJob) -> float | None:
        """When its worker can have begun it (`time.monotonic`), as far as is known; None: no worker has it yet."""

    def close(self) -> None:
        """End the workers; jobs that are out are lost."""
