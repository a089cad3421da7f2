"""Sends units to workers until all are done, each with one result, whatever happens to the workers.

- A few units for each worker are out at a time.
- A unit whose worker has died is sent again; likewise one whose worker has other versions than this process.
- A unit that takes five times as long as others is sent to a second worker, the first answer counts; not so if a clock
  decides about its result, since fast answers would be favoured.
- Some units are verified: done by two workers, and recorded only if the answers agree. Those that an earlier run has
  recorded after one answer are done once more. Two different answers to a unit, from whatever cause it was sent twice,
  stop the run, and neither is kept.
- The first Ctrl-C sends no more units, and waits for those that workers have begun; the second one ends at once.
"""

import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence

from perft.runner.interrupts import interrupts_noted
from perft.runner.journal import Result, UnitJournal
from perft.runner.pool import UnitJob, UnitPool, UnitReport
from perft.runner.run_stats import RunStats, stats_at_start
from perft.runner.units import AnswerCheck, Unit, UnitAnswer, no_check
from perft.runner.verified import FirstAnswer, is_to_verify, recorded_first_answers

UNITS_OUT_PER_WORKER = 3  # that are out at a time
POLL_SECONDS = 0.2
STRAGGLER_FACTOR = 5.0  # times the median of the time that workers take for a unit
MOST_COPIES = 2  # of a unit that takes long, in all; one at a time
SHORTEST_STRAGGLER = 2.0  # seconds
FEWEST_FOR_MEDIAN, MOST_FOR_MEDIAN = 5, 1000
MOST_REPEATS = 3  # answers of the same worker to a unit that shall be verified: then they must do
MOST_LOSSES = 30  # of one unit: workers die for other reasons too


class RunError(ValueError):
    """A run cannot go on: a unit failed, or two workers disagree."""


class Stopped(Exception):  # noqa: N818  (not an error)
    """The user stopped the run before all units were done."""


class Runner:
    """Gets units done: sends them to workers, and records their results."""

    def __init__(
        self,
        pool: UnitPool,
        journal: UnitJournal,
        *,
        verify: float = 0.0,
        watcher: Callable[[RunStats], None] = lambda _: None,
        check: AnswerCheck = no_check,
    ) -> None:
        """`verify`: the share of units that two workers do; `watcher` is called now and then, `check` for an answer."""
        self.stats = RunStats()
        self._pool, self._journal, self._verify, self._watcher, self._check = pool, journal, verify, watcher, check
        self._own: frozenset[str] = frozenset()  # the units of this run, by their identity
        self._waiting: deque[UnitJob] = deque()
        self._out: dict[UnitJob, float] = {}  # -> when it was sent
        self._attempts: dict[str, int] = {}  # of units, by their identity, as all below
        self._first: dict[str, FirstAnswer] = {}  # of units that wait for a second one
        self._losses: Counter[str] = Counter()
        self._repeats: Counter[str] = Counter()  # second answers of the same worker
        self._copies: Counter[str] = Counter()  # of units that took long
        self._lengths: deque[float] = deque(maxlen=MOST_FOR_MEDIAN)  # of units, in seconds
        self._has_recalled = False

    def run(self, units: Sequence[Unit]) -> Generator[tuple[Unit, Result], None, None]:
        """The units with their results, as they get done; first those recorded already. Close it to stop early.

        A unit that is given several times is done once. `Stopped` after Ctrl-C, `RunError` if it cannot go on: what is
        recorded stays.
        """
        distinct = list({unit.identity: unit for unit in units}.values())
        self._own = frozenset(unit.identity for unit in distinct)
        self._first = recorded_first_answers(distinct, self._journal, self._verify)
        done = [unit for unit in distinct if self._is_done(unit)]
        self.stats = stats_at_start(distinct, self._journal, self._verify)
        self._waiting.extend(self._first_job(unit) for unit in distinct if not self._is_done(unit))
        for unit in done:
            yield unit, self._journal.done[unit.identity]
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

    def _first_job(self, unit: Unit) -> UnitJob:
        """The first job of a unit in this run; an earlier run may have recorded an answer that shall be verified."""
        return UnitJob(unit, 2 if unit.identity in self._first else 1, self._avoided(unit))

    def _has_work(self) -> bool:
        """Is there a unit that is not done and may still be? Further answers to units that are done are not awaited."""
        return bool(self._waiting) or any(not self._is_done(job.unit) for job in self._out)

    def _announce_stop(self) -> None:
        """Show at once that the run stops: the units under way may take a minute."""
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
        """The worker that has given an answer to a unit already."""
        first = self._first.get(unit.identity)
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
        """Record the answer of a job, if it is the one that its unit still needs.

        A pool may have done another list before: a copy of one of its units that was still under way is nobody's.
        """
        self._out.pop(report.job, None)
        if report.job.unit.identity not in self._own:
            return
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
                known = self._journal.done[unit.identity]
                self._compare(unit, FirstAnswer(known.workers[0], known.digest), answer)
        elif is_to_verify(unit, self._verify):
            yield from self._verify_answer(unit, answer)
        else:
            yield unit, self._finish(unit, answer, (answer.worker,))

    def _verify_answer(self, unit: Unit, answer: UnitAnswer) -> Iterator[tuple[Unit, Result]]:
        """Keep the first answer, compare the second one; it should come from another worker."""
        first = self._first.get(unit.identity)
        if first is None:
            self._first[unit.identity] = FirstAnswer(answer.worker, answer.digest)
        else:
            self._compare(unit, first, answer)
            if first.worker != answer.worker:
                self.stats.verified += 1
                yield unit, self._finish(unit, answer, (first.worker, answer.worker))
                return
            self._repeats[unit.identity] += 1
            if self._pool.workers == 1 or self._repeats[unit.identity] >= MOST_REPEATS:
                self.stats.unverified += 1
                yield unit, self._finish(unit, answer, (answer.worker,))
                return
        if not self._is_under_way(unit):
            self._send_again(unit)

    def _compare(self, unit: Unit, first: FirstAnswer, answer: UnitAnswer) -> None:
        """Two answers must be equal; if not, no one knows which is right."""
        if first.digest != answer.digest:
            if unit.identity in self._journal.done:
                self._journal.withdraw(unit)
            raise RunError(
                f"{first.worker} and {answer.worker} gave different results for unit {unit.identity[:16]}: "
                "one of them computes wrongly; neither is recorded"
            )

    def _finish(self, unit: Unit, answer: UnitAnswer, workers: tuple[str, ...]) -> Result:
        result = self._journal.record(unit, answer, workers)
        self._first.pop(unit.identity, None)
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
        return unit.identity in self._journal.done and unit.identity not in self._first


def results_in_order(units: Sequence[Unit], results: Iterator[tuple[Unit, Result]]) -> Iterator[tuple[Unit, Result]]:
    """The results in the order of the units: each as soon as it and all before it are there."""
    found: dict[str, Result] = {}
    position = 0
    for unit, result in results:
        found[unit.identity] = result
        while position < len(units) and units[position].identity in found:
            yield units[position], found[units[position].identity]
            position += 1
