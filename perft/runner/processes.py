"""Workers on this machine: processes, or this process itself. No package is needed for them."""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Collection, Mapping
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from perft.runner.groups import end_group, lead_group
from perft.runner.interrupts import ignore_interrupts, interrupts_held_back
from perft.runner.pool import UnitJob, UnitReport
from perft.runner.units import UnitAnswer, compute, compute_own

SECONDS_TO_END = 2.0  # for a worker that is killed
MOST_ON_WINDOWS = 60  # processes: before Python 3.13 it waits for no more than 63 pipes there


def most_processes(platform: str = sys.platform) -> int:
    """How many processes a pool can have."""
    return MOST_ON_WINDOWS if platform == "win32" else sys.maxsize


class _LocalPool:
    """Workers of this machine, and the jobs that wait for them."""

    notes = ()

    def __init__(self, hints: Mapping[str, Any]) -> None:
        """`hints`: see `compute`."""
        self._hints = hints
        self._jobs: deque[UnitJob] = deque()  # that no worker has begun

    def recall(self) -> list[UnitJob]:
        """Take back all jobs that wait."""
        jobs = list(self._jobs)
        self._jobs.clear()
        return jobs

    def cancel(self, jobs: Collection[UnitJob]) -> None:
        """Forget those of these jobs that wait."""
        self._jobs = deque(job for job in self._jobs if job not in jobs)


class InlinePool(_LocalPool):
    """One worker: this process. For units whose kernels use all processors themselves."""

    workers = 1
    lost = 0

    def send(self, job: UnitJob) -> None:
        """Let it wait for `receive`."""
        self._jobs.append(job)

    def receive(self, seconds: float) -> list[UnitReport]:  # noqa: ARG002  (a unit takes as long as it takes)
        """Do one job."""
        if not self._jobs:
            return []
        job = self._jobs.popleft()
        return [UnitReport(job, compute_own(job.unit.function, job.unit.input, self._hints))]

    def begun_at(self, job: UnitJob) -> None:  # noqa: ARG002  (none is under way when it is asked for)
        """Not yet: all jobs wait for `receive`."""
        return

    def close(self) -> None:
        """Forget what was not done."""
        self._jobs.clear()


class _Process:
    """A worker process, and the job that it has."""

    def __init__(self) -> None:
        context = get_context("spawn")  # kernels and threads do not survive a fork
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other,), daemon=True)
        with interrupts_held_back():
            self.process.start()
        other.close()
        self.job: UnitJob | None = None
        self.began = 0.0  # the job

    @property
    def name(self) -> str:
        return f":{self.process.pid}"

    def start(self, job: UnitJob, hints: Mapping[str, Any]) -> bool:
        """Give it a job; -> False if the process has died."""
        self.job, self.began = job, time.monotonic()
        try:
            self.connection.send((job.unit.function, dict(job.unit.input), job.unit.identity, dict(hints)))
        except OSError:
            return False
        return True

    def answer(self) -> UnitAnswer | None:
        """The answer to its job; None if the process has died."""
        try:
            answer: UnitAnswer = self.connection.recv()
        except (OSError, EOFError):
            return None
        return answer

    def end(self) -> None:
        """End it with all that it has started: there are engines that do not notice the end of their input."""
        self.connection.close()
        end_group(self.process.pid)
        self.process.kill()
        self.process.join(SECONDS_TO_END)


def _serve(connection: Connection) -> None:
    """The life of a worker process: it ends with the driver."""
    ignore_interrupts()
    lead_group()
    threading.Thread(target=_end_with_driver, daemon=True).start()
    try:
        while True:
            task: tuple[str, dict[str, Any], str, dict[str, Any]] = connection.recv()
            connection.send(compute(*task))
    except (EOFError, OSError):
        return


def _end_with_driver() -> None:
    """End with the driver, however that ends: a unit may take minutes, and no process waits for its result any more."""
    driver = parent_process()
    if driver is not None:
        driver.join()
        end_group(os.getpid())
        os._exit(1)


class ProcessPool(_LocalPool):
    """Processes of this machine; one that dies is replaced."""

    def __init__(self, workers: int, hints: Mapping[str, Any]) -> None:
        """`hints`: see `compute`."""
        super().__init__(hints)
        self.workers, self.lost = min(workers, most_processes()), 0
        self._processes = [_Process() for _ in range(self.workers)]
        self._lost: list[UnitReport] = []

    def send(self, job: UnitJob) -> None:
        """Let the next free process do it."""
        self._jobs.append(job)
        self._start_jobs()

    def receive(self, seconds: float) -> list[UnitReport]:
        """The answers that have come."""
        reports, self._lost = self._lost, []
        busy = {process.connection: process for process in self._processes if process.job is not None}
        for connection in wait(list(busy), 0 if reports else seconds):
            process = busy[connection]  # type: ignore[index]  # `wait` returns what it was given
            job, process.job = process.job, None
            answer = process.answer()
            if answer is None:
                self._replace(process)
            if job is not None:
                reports.append(UnitReport(job, answer))
        self._start_jobs()
        return reports

    def begun_at(self, job: UnitJob) -> float | None:
        """When a process got the job."""
        return next((process.began for process in self._processes if process.job == job), None)

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.end()

    def _start_jobs(self) -> None:
        for process in list(self._processes):
            job = self._job_for(process) if process.job is None else None
            if job is not None and not process.start(job, self._hints):
                self._lost.append(UnitReport(job, None))
                self._replace(process)

    def _job_for(self, process: _Process) -> UnitJob | None:
        """The next job that this process may do; a job that avoids it waits for another process, if there is one."""
        for job in self._jobs:
            if self.workers == 1 or job.avoid is None or not job.avoid.endswith(process.name):
                self._jobs.remove(job)
                return job
        return None

    def _replace(self, process: _Process) -> None:
        self.lost += 1
        process.end()
        self._processes[self._processes.index(process)] = _Process()
