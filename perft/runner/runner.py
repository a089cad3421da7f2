"""Sends units to workers until all are done, each with one result, whatever happens to the workers.

- A few units for each worker are out at a time.
- A unit whose worker has died is sent again; likewise one whose worker has other versions than this process.
- A unit that takes five times as long as others is sent to a second worker, the first answer counts; not so if a clock
  decides about its result, since fast answers would be favoured.
- Some units are verified: done by two workers, and booked only if the answers agree. Two different answers to a unit,
  from whatever cause it was sent twice, stop the run.
- The first Ctrl-C sends no more units, and waits for those that workers have begun; the second one ends at once.
"""

import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from perft.runner.interrupts import interrupts_noted
from perft.runner.journal import Result, UnitBook
from perft.runner.run_stats import RunStats, is_to_verify, stats_at_start
from perft.runner.units import AnswerCheck, Unit, UnitAnswer, no_check

UNITS_OUT_PER_WORKER = 3  # that are out at a time
POLL_SECONDS = 0.2
STRAGGLER_FACTOR = 5.0  # times the median of the time that workers take for a unit
MOST_COPIES = 2  # of a unit that takes long, in all; one at a time
SHORTEST_STRAGGLER = 2.0  # seconds
FEWEST_FOR_MEDIAN, MOST_FOR_MEDIAN = 5, 1000
MOST_REPEATS = 3  # answers of the same worker to a unit that shall be verified: then they must do
MOST_LOSSES = 30  # of one unit: workers die for other reasons too


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
    """Workers."""

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


class RunError(ValueError):
    """A run cannot go on: a unit failed, or two workers disagree."""


class Stopped(Exception):  # noqa: N818  (not an error)
    """The user stopped the run before all units were done."""


class Runner:
    """Gets units done."""

    def __init__(
        self,
        pool: UnitPool,
        book: UnitBook,
        *,
        verify: float = 0.0,
        watcher: Callable[[RunStats], None] = lambda _: None,
        check: AnswerCheck = no_check,
    ) -> None:
        """`verify`: the share of units that two workers do; `watcher` is called now and then, `check` for an answer."""
        self.stats = RunStats()
        self._pool, self._book, self._verify, self._watcher, self._check = pool, book, verify, watcher, check
        self._waiting: deque[UnitJob] = deque()
        self._out: dict[UnitJob, float] = {}  # -> when it was sent
        self._attempts: dict[str, int] = {}  # of units, by their identity, as all below
        self._answers: dict[str, UnitAnswer] = {}  # of units that wait for a second one
        self._losses: Counter[str] = Counter()
        self._repeats: Counter[str] = Counter()  # second answers of the same worker
        self._copies: Counter[str] = Counter()  # of units that took long
        self._lengths: deque[float] = deque(maxlen=MOST_FOR_MEDIAN)  # of units, in seconds
        self._has_recalled = False

    def run(self, units: Sequence[Unit]) -> Generator[tuple[Unit, Result], None, None]:
        """The units with their results, as they get done; first those that are booked already. Close it to stop early.

        A unit that is given several times is done once. `Stopped` after Ctrl-C, `RunError` if it cannot go on: what is
        booked stays.
        """
        distinct = list({unit.identity: unit for unit in units}.values())
        done = [unit for unit in distinct if self._is_done(unit)]
        self.stats = stats_at_start(distinct, self._book, self._verify)
        self._waiting.extend(UnitJob(unit, 1) for unit in distinct if not self._is_done(unit))
        for unit in done:
            yield unit, self._book.done[unit.identity]
        with interrupts_noted(self._announce_stop) as interrupts:
            while self._has_work():
                if interrupts.has_come:
                    self._stop_sending()
                self._send_waiting()
                for report in self._pool.receive(POLL_SECONDS):
                    yield from self._take(report)
                self._send_stragglers()
                self._watch()
        if self.stats.done < self.stats.total:
            raise Stopped(f"{self.stats.done} of {self.stats.total} units are done")

    def _has_work(self) -> bool:
        """Is there a unit that is not done and may still be? Further answers to units that are done are not awaited."""
        return bool(self._waiting) or any(not self._is_done(job.unit) for job in self._out)

    def _announce_stop(self) -> None:
        """At once: the units under way may take a minute."""
        self.stats.is_stopping = True
        self._watcher(self.stats)

    def _stop_sending(self) -> None:
        self._waiting.clear()
        if not self._has_recalled:
            self._has_recalled = True
            for job in self._pool.recall():
                self._out.pop(job, None)

    def _watch(self) -> None:
        self.stats.workers, self.stats.lost_workers = self._pool.workers, self._pool.lost
        self.stats.notes = list(self._pool.notes)
        self._watcher(self.stats)

    # Sending

    def _send_waiting(self) -> None:
        room = UNITS_OUT_PER_WORKER * self._pool.workers - sum(not self._is_done(job.unit) for job in self._out)
        while self._waiting and room > 0:
            job = self._waiting.popleft()
            if not self._is_done(job.unit):
                self._send(job)
                room -= 1

    def _send(self, job: UnitJob) -> None:
        self._attempts[job.unit.identity] = job.attempt
        self._out[job] = time.monotonic()
        self._pool.send(job)

    def _send_again(self, unit: Unit) -> None:
        """Put a unit first in the queue, as another attempt."""
        attempt = self._attempts[unit.identity] = self._attempts[unit.identity] + 1
        self._waiting.appendleft(UnitJob(unit, attempt, self._avoided(unit)))

    def _avoided(self, unit: Unit) -> str | None:
        """The worker that has given an answer already."""
        first = self._answers.get(unit.identity)
        return None if first is None else first.worker

    def _send_stragglers(self) -> None:
        """Send units that take long to a second worker, unless there is none."""
        if len(self._lengths) < FEWEST_FOR_MEDIAN or self._pool.workers < 2 or self.stats.is_stopping:
            return
        begun_before = time.monotonic() - max(SHORTEST_STRAGGLER, STRAGGLER_FACTOR * statistics.median(self._lengths))
        for job, sent in list(self._out.items()):
            if sent < begun_before and self._may_have_a_copy(job.unit) and self._has_begun(job, begun_before):
                self.stats.resent += 1
                self._copies[job.unit.identity] += 1
                self._send(UnitJob(job.unit, self._attempts[job.unit.identity] + 1, self._avoided(job.unit)))

    def _may_have_a_copy(self, unit: Unit) -> bool:
        is_alone = len(self._jobs_out(unit)) == 1 and not self._is_done(unit)
        return unit.is_repeatable and is_alone and self._copies[unit.identity] < MOST_COPIES

    def _has_begun(self, job: UnitJob, moment: float) -> bool:
        begun = self._pool.begun_at(job)
        return begun is not None and begun < moment

    # Receiving

    def _take(self, report: UnitReport) -> Iterator[tuple[Unit, Result]]:
        """Book the answer of a job, if it is the one that its unit still needs."""
        self._out.pop(report.job, None)
        unit, answer = report.job.unit, report.answer
        if answer is None:
            self._lose(unit, is_refused=report.is_refused)
            return
        if answer.error is not None:
            raise RunError(f"a unit failed on {answer.worker}: {answer.error}")
        try:
            self._check(unit, answer)
        except ValueError as error:
            raise RunError(f"the answer of {answer.worker} to a unit is wrong: {error}") from None
        self._lengths.append(answer.seconds)
        if self._is_done(unit):
            if unit.is_repeatable:
                known = self._book.done[unit.identity]
                _compare(unit, known.digest, known.workers[0], answer)
        elif is_to_verify(unit, self._verify):
            yield from self._verify_answer(unit, answer)
        else:
            yield unit, self._finish(unit, answer, (answer.worker,))

    def _verify_answer(self, unit: Unit, answer: UnitAnswer) -> Iterator[tuple[Unit, Result]]:
        """Keep the first answer, compare the second one; it should come from another worker."""
        first = self._answers.setdefault(unit.identity, answer)
        _compare(unit, first.digest, first.worker, answer)
        if first.worker != answer.worker:
            self.stats.verified += 1
            yield unit, self._finish(unit, answer, (first.worker, answer.worker))
            return
        self._repeats[unit.identity] += first is not answer
        if first is answer or (self._pool.workers > 1 and self._repeats[unit.identity] < MOST_REPEATS):
            if not self._is_under_way(unit):
                self._send_again(unit)
        else:
            self.stats.unverified += 1
            yield unit, self._finish(unit, answer, (answer.worker,))

    def _finish(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        result = self._book.book(unit, answer, workers)
        self._answers.pop(unit.identity, None)
        self.stats.done += 1
        self._cancel_others(unit)
        return result

    def _cancel_others(self, unit: Unit) -> None:
        """Other attempts at a unit that is done are not awaited; an answer that comes all the same is compared."""
        jobs = self._jobs_out(unit)
        for job in jobs:
            del self._out[job]
        if jobs:
            self._pool.cancel(jobs)

    def _lose(self, unit: Unit, *, is_refused: bool) -> None:
        """The worker of a unit has died or refuses it: send the unit again, unless another worker has it."""
        self._losses[unit.identity] += not is_refused
        if self._losses[unit.identity] > MOST_LOSSES:
            raise RunError(f"{MOST_LOSSES} workers died at one unit: perhaps it needs more memory than they have")
        if not self._is_done(unit) and not self._is_under_way(unit):
            self.stats.redone += 1
            self._send_again(unit)

    def _is_under_way(self, unit: Unit) -> bool:
        return bool(self._jobs_out(unit)) or any(job.unit is unit for job in self._waiting)

    def _jobs_out(self, unit: Unit) -> list[UnitJob]:
        return [job for job in self._out if job.unit is unit]

    def _is_done(self, unit: Unit) -> bool:
        return unit.identity in self._book.done


def _compare(unit: Unit, digest: str, worker: str, answer: UnitAnswer) -> None:
    if digest != answer.digest:
        raise RunError(
            f"{worker} and {answer.worker} gave different results for unit {unit.identity[:16]}: "
            "one of them computes wrongly"
        )


def results_in_order(units: Sequence[Unit], results: Iterator[tuple[Unit, Result]]) -> Iterator[tuple[Unit, Result]]:
    """The results in the order of the units: each as soon as it and all before it are there."""
    found: dict[str, Result] = {}
    position = 0
    for unit, result in results:
        found[unit.identity] = result
        while position < len(units) and units[position].identity in found:
            yield units[position], found[units[position].identity]
            position += 1
