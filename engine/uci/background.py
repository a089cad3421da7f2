"""What runs while commands are read: a search, or a long job in a thread.

Searches and jobs end in their own threads, so what runs changes under a lock.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from engine.search.clock import Limits

Say = Callable[[str], None]
Wake = Callable[[], None]
Work = Callable[[Say, Callable[[], bool]], None]  # gets what prints a line, and what says whether to stop


class Job(threading.Thread):
    """Some work in a thread."""

    def __init__(self, work: Work, say: Say, on_end: Callable[["Job"], None], after: "Job | None" = None) -> None:
        """`after`: a job that must have ended before this one starts."""
        super().__init__(name="job", daemon=True)
        self._work, self._say, self._on_end, self._after = work, say, on_end, after
        self._stop_flag = threading.Event()

    def stop(self) -> None:
        """Ask the job to end soon."""
        self._stop_flag.set()

    def run(self) -> None:
        """Do the work, and report an error."""
        if self._after is not None:
            self._after.join()
        try:
            self._work(self._say, self._stop_flag.is_set)
        except Exception as error:  # noqa: BLE001  (reported; the session continues)
            self._say(f"info string failed ({error!r})")
        self._on_end(self)


class Background:
    """A search or a job, never both; and extra searches for `why`, which run besides either, one after the other."""

    def __init__(self, say: Say, on_end: Wake) -> None:
        """`on_end` is called when a job has ended."""
        self._say, self._on_end = say, on_end
        self._lock = threading.Lock()
        self._search: Limits | None = None  # of the search that runs: a `bestmove` is due
        self._search_began = 0.0
        self._stop_running: Callable[[], None] = lambda: None  # stops that search
        self._is_answering = False  # a `bestmove` is being written
        self._job: Job | None = None
        self._extra: tuple[Job, ...] = ()

    # The search

    def begin_search(self, limits: Limits, stop: Callable[[], None]) -> None:
        """A search begins, which `stop` ends."""
        with self._lock:
            self._search, self._stop_running = limits, stop
            self._search_began = time.monotonic()

    def cancel_search(self) -> None:
        """The search could not be started."""
        with self._lock:
            self._search = None

    def ponder_hit(self) -> None:
        """The search no longer waits for the opponent's move."""
        with self._lock:
            if self._search is not None:
                self._search = replace(self._search, ponder=False)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While `bestmove` is written: the next `go` may come at once, but the answer is not complete yet."""
        with self._lock:
            self._search, self._is_answering = None, True
        try:
            yield
        finally:
            with self._lock:
                self._is_answering = False

    def stop_search(self) -> None:
        """Ask the search to end soon."""
        with self._lock:
            stop = self._stop_running
        stop()

    # Jobs

    def start_job(self, work: Work) -> None:
        """Start a job; nothing else runs then."""
        job = Job(work, self._say, self._end_job)
        with self._lock:
            self._job = job
        job.start()

    def start_extra(self, work: Work) -> None:
        """Start a job besides a search, once those before have ended."""
        with self._lock:
            job = Job(work, self._say, self._end_job, self._extra[-1] if self._extra else None)
            self._extra = (*self._extra, job)
        job.start()

    def _end_job(self, job: Job) -> None:
        with self._lock:
            self._job = None if self._job is job else self._job
            self._extra = tuple(other for other in self._extra if other is not job)
        self._on_end()

    def stop(self) -> None:
        """Ask everything to end soon."""
        self.stop_search()
        with self._lock:
            jobs = (*self._extra, *([] if self._job is None else [self._job]))
        for job in jobs:
            job.stop()

    # What commands wait for (see engine.uci.queue.Activity)

    @property
    def is_busy(self) -> bool:
        """Whether a search or a job runs."""
        with self._lock:
            return self._search is not None or self._job is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs at all, and all answers are written."""
        with self._lock:
            return not (self._search or self._job or self._extra or self._is_answering)

    @property
    def waits_for_stop(self) -> bool:
        """Whether the search never answers by itself."""
        limits = self._search
        return limits is not None and (limits.infinite or limits.ponder)

    @property
    def may_be_endless(self) -> bool:
        """Whether the search may never answer by itself: there may be no mate, and the depth is limited by it."""
        limits = self._search
        if limits is None or limits.infinite or limits.ponder:
            return limits is not None
        ends = (limits.nodes, limits.move_time, limits.time_left)
        return limits.mate is not None and all(end is None for end in ends)

    @property
    def search_seconds(self) -> float:
        """How long the search has run; if none runs, since the last one began."""
        return time.monotonic() - self._search_began
