"""Workers of a Dask cluster (https://distributed.dask.org), as a pool."""

import queue
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from distributed import Client, Future, LocalCluster, get_worker
from distributed.scheduler import KilledWorker

from perft.runner.groups import Groups
from perft.runner.pool import UnitJob, UnitReport
from perft.runner.reasons import innermost, reason_of, without_teresa
from perft.runner.runner import RunError
from perft.runner.units import UnitAnswer, compute
from perft.runner.versions import ADVICE, Refusal, differences, has_teresa, versions_behind

RESULT_SECONDS = 15.0  # for the transfer of a result
MEETING_SECONDS = 15.0  # for new workers to say that they have Teresa
SECONDS_BETWEEN_COUNTS = 2.0  # of workers
SECONDS_BETWEEN_LOOKS = 2.0  # at the jobs that workers have
SECONDS_TO_LEAVE, SECONDS_TO_END = 2.0, 5.0  # for the client, and for the workers of a local cluster
SCHEDULER_GONE = "the scheduler of the cluster has gone; start it again, and continue by --resume"
MOST_NAMED = 3  # foreign workers in a message


# On the worker


def compute_here(
    function: str, values: dict[str, Any], identity: str, hints: dict[str, Any], versions: dict[str, str]
) -> UnitAnswer | Refusal:
    """Do the work of a unit on a worker of Dask, if it has the `versions` of the driver."""
    worker, difference = get_worker().address, differences(versions_behind(function), versions)
    if difference is not None:
        return Refusal(worker, difference)
    return replace(compute(function, values, identity, hints), worker=worker)


# On the scheduler


def failed_on(key: str, dask_scheduler: Any) -> list[str]:
    """The workers on which Dask could not run a task. Dask fills in its scheduler."""
    task = dask_scheduler.tasks.get(key)
    return sorted(task.erred_on or ()) if task is not None else []


# On the driver


@dataclass
class _Sent:
    """A job that is out."""

    future: Future
    allowed: frozenset[str]  # the workers that may do it; empty: all may
    at: float
    seen_begun: float = float("inf")  # when a look found it begun


class DaskPool:
    """The workers of a cluster."""

    def __init__(
        self, client: Client, hints: Callable[[int], Mapping[str, Any]], cluster: LocalCluster | None = None
    ) -> None:
        """`cluster`: one that ends with this pool. `hints`: see `compute`; by the most workers of one machine."""
        self.lost = 0
        self._client, self._hints, self._cluster = client, hints, cluster
        self._groups = Groups()  # of the workers of a local cluster, with the engines that they have started
        self._jobs: dict[UnitJob, _Sent] = {}
        self._ended: queue.SimpleQueue[UnitJob] = queue.SimpleQueue()
        self._threads: dict[str, int] = {}  # of workers, by their address
        self._foreign: dict[str, Refusal] = {}  # workers that get no jobs
        self._per_machine = 1  # the most workers that have shared a machine
        self._counted_at = self._looked_at = float("-inf")
        self._holders: dict[str, str] = {}  # the workers that had jobs when it looked, by the key of the job
        self._answered_at: dict[str, float] = {}  # when workers last gave an answer

    @property
    def dashboard(self) -> str | None:
        """The address of Dask's own page, if there is one."""
        return (self._client.dashboard_link or None) if find_spec("bokeh") else None

    @property
    def workers(self) -> int:
        """How many units they could do at a time, a moment ago. A `RunError` if none of them can do any."""
        now = time.monotonic()
        if now - self._counted_at >= SECONDS_BETWEEN_COUNTS:
            with self._talking():
                self._count_workers(self._client.nthreads())
            self._counted_at = now
        usable = self._usable()
        if self._threads and not usable:
            names = "; ".join(str(refusal) for refusal in list(self._foreign.values())[:MOST_NAMED])
            raise RunError(f"no worker of the cluster can do a unit: {names}: {ADVICE}")
        return sum(self._threads[address] for address in usable)

    def _usable(self) -> list[str]:
        return [address for address in self._threads if address not in self._foreign]

    @property
    def notes(self) -> list[str]:
        """Which workers get no jobs, and why."""
        return [f"{refusal}: it gets no units; {ADVICE}" for refusal in self._foreign.values()]

    def _count_workers(self, threads: Mapping[str, int]) -> None:
        self._groups.update(self._leaders())
        if new := threads.keys() - self._threads.keys():
            self._meet(new)
        self.lost += sum(address not in threads for address in self._threads)
        self._threads = dict(threads)
        hosts = Counter(address.rpartition(":")[0] for address in threads)
        self._per_machine = max(self._per_machine, *hosts.values(), 1)
        self._give_up_waiting()

    def _meet(self, new: Collection[str]) -> None:
        """Refuse new workers that cannot load Teresa. One that gives no answer in time may be busy: it gets jobs."""
        with suppress(TimeoutError):
            answers = self._client.run(has_teresa, workers=[*new], on_error="return", callback_timeout=MEETING_SECONDS)
            for address, answer in answers.items():
                if isinstance(answer, Exception) and not isinstance(answer, OSError):  # that one has gone already
                    self._foreign[address] = without_teresa(address, answer)

    def _give_up_waiting(self) -> None:
        """Jobs whose allowed workers have all gone would wait for ever: they are lost, and the runner repeats them."""
        for job, sent in self._jobs.items():
            if sent.allowed and sent.allowed.isdisjoint(self._threads):
                sent.future.cancel()
                self._ended.put(job)

    def send(self, job: UnitJob) -> None:
        """Submit a unit to the scheduler."""
        unit = job.unit
        with self._talking(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a slice of positions has some megabytes
            allowed = self._allowed(job)
            future = self._client.submit(
                compute_here,
                unit.function,
                dict(unit.input),
                unit.identity,
                dict(self._hints(self._per_machine)),
                dict(versions_behind(unit.function)),
                key=f"{_name_of(job)}-{job.attempt}",
                pure=False,
                workers=allowed or None,  # none but these: see `_give_up_waiting`
            )
        self._jobs[job] = _Sent(future, frozenset(allowed), time.monotonic())
        future.add_done_callback(lambda _: self._ended.put(job))

    def _allowed(self, job: UnitJob) -> list[str]:
        """The workers that may do a job; all (an empty list) if there is no reason to choose."""
        if job.attempt == 1 and not self._foreign:
            return []
        avoided = self._avoided(job) if job.attempt > 1 else set()
        usable = self._usable()
        return [address for address in usable if address not in avoided] or usable

    def _avoided(self, job: UnitJob) -> set[str]:
        """Workers that shall not do a job: one that has done it already, and those that have it now."""
        processing: Mapping[str, tuple[str, ...]] = self._client.processing()
        have_it = {worker for worker, keys in processing.items() if any(key.startswith(_name_of(job)) for key in keys)}
        return have_it | ({job.avoid} if job.avoid else set())

    def begun_at(self, job: UnitJob) -> float | None:
        """When a job can have begun: not before the last answer of its worker, which does one after the other.

        A job that waits behind one that never ends has begun, in this sense. If a worker has several threads, answers
        of the others do not count once a look has found the job begun.
        """
        self._look()
        sent = self._jobs.get(job)
        worker = None if sent is None else self._holders.get(sent.future.key)
        if sent is None or worker is None:
            return None
        return min(sent.seen_begun, max(sent.at, self._answered_at.get(worker, sent.at)))

    def _look(self) -> None:
        """See which workers have which jobs, now and then."""
        now = time.monotonic()
        if now - self._looked_at < SECONDS_BETWEEN_LOOKS:
            return
        with self._talking():
            processing: Mapping[str, tuple[str, ...]] = self._client.processing()
        self._looked_at = now
        self._holders = {key: worker for worker, keys in processing.items() for key in keys}
        begun = self._begun(processing)
        for sent in self._jobs.values():
            if sent.future.key in begun:
                sent.seen_begun = min(sent.seen_begun, now)

    def _begun(self, processing: Mapping[str, tuple[str, ...]]) -> set[str]:
        """The keys of jobs that workers have begun: each those that it got first, one for each thread."""
        return {key for worker, keys in processing.items() for key in keys[: self._threads.get(worker, 1)]}

    def receive(self, seconds: float) -> list[UnitReport]:
        """The jobs that have ended."""
        self._check_client()
        ended = []
        with suppress(queue.Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        return [self._report_of(job, self._jobs.pop(job).future) for job in ended if job in self._jobs]

    def _report_of(self, job: UnitJob, future: Future) -> UnitReport:
        """How a job ended. Only a future that is `finished` has a result."""
        try:
            if future.status == "finished":
                return self._report_of_answer(job, future.result(timeout=RESULT_SECONDS))
            error = future.exception(timeout=RESULT_SECONDS) if future.status == "error" else None
            failed = self._failed_on(future.key) if error is not None else []
        except Exception:  # noqa: BLE001  (the worker that has the result has died, or the scheduler)
            error, failed = None, []
        finally:
            future.release()
        self._check_client()
        if error is None or isinstance(error, KilledWorker):
            return UnitReport(job, None)
        if failed:  # a unit that fails gives an answer: here not even its function was called
            return self._refused(job, without_teresa(failed[-1], error))
        return UnitReport(job, UnitAnswer("the cluster", 0.0, error=reason_of(error)))

    def _report_of_answer(self, job: UnitJob, answer: UnitAnswer | Refusal) -> UnitReport:
        if isinstance(answer, Refusal):
            return self._refused(job, answer)
        self._answered_at[answer.worker] = time.monotonic()
        return UnitReport(job, answer)

    def _refused(self, job: UnitJob, refusal: Refusal) -> UnitReport:
        """Note that a worker refuses units: it gets no more jobs."""
        self._foreign[refusal.worker] = refusal
        self._counted_at = float("-inf")  # are there others?
        return UnitReport(job, None, is_refused=True)

    def _failed_on(self, key: str) -> list[str]:
        with suppress(Exception):  # the scheduler may have another version of Teresa
            found: list[str] = self._client.run_on_scheduler(failed_on, key)
            return found
        return []

    def recall(self) -> list[UnitJob]:
        """Cancel the jobs that workers have not begun."""
        return self._take_back(self._jobs)

    def cancel(self, jobs: Collection[UnitJob]) -> None:
        """Cancel those of these jobs that workers have not begun."""
        self._take_back(jobs)

    def _take_back(self, jobs: Collection[UnitJob]) -> list[UnitJob]:
        with self._talking():
            begun = self._begun(self._client.processing())
            out = {job: self._jobs[job].future for job in jobs if job in self._jobs}
            waiting = [job for job, future in out.items() if future.key not in begun and not future.done()]
            self._client.cancel([self._jobs.pop(job).future for job in waiting])
        return waiting

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """Talk to the scheduler. Whatever it does not answer, it has gone."""
        self._check_client()
        try:
            yield
        except Exception as error:
            raise RunError(f"{SCHEDULER_GONE} ({innermost(error)})") from error

    def _check_client(self) -> None:
        """Raise a `RunError` if the scheduler has ended: the cluster has forgotten all, the journal has not."""
        if self._client.status != "running":
            raise RunError(SCHEDULER_GONE)

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        with suppress(Exception):
            self._client.close(timeout=SECONDS_TO_LEAVE)
        if self._cluster is not None:
            self._groups.update(self._leaders())
            with suppress(Exception):
                self._cluster.close(timeout=SECONDS_TO_END)
            self._groups.update(set())

    def _leaders(self) -> set[int]:
        """The processes of a local cluster."""
        nannies = [] if self._cluster is None else list(self._cluster.workers.values())
        return {nanny.pid for nanny in nannies if nanny.pid}


def _name_of(job: UnitJob) -> str:
    """What the keys of all attempts at a unit begin with."""
    return f"{job.unit.function.rpartition(':')[2]}-{job.unit.identity[:32]}"
