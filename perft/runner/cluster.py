"""Workers of a Dask cluster (https://distributed.dask.org). No other module imports Dask."""

import logging
import queue
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask
from distributed import Client, Future, LocalCluster, get_worker
from distributed.scheduler import KilledWorker
from distributed.security import Security

from perft.runner.addresses import address_of, check_address
from perft.runner.runner import RunError, UnitJob, UnitReport
from perft.runner.units import UnitAnswer, compute

LOCAL = "local"
CONNECT_SECONDS = 15.0
RESULT_SECONDS = 15.0  # for the transfer of a result
SECONDS_BETWEEN_COUNTS = 2.0  # of workers
SECONDS_TO_LEAVE, SECONDS_TO_END = 2.0, 5.0  # for the client, and for the workers of a local cluster
ALLOWED_FAILURES = 30  # workers may die at a unit, for other reasons, before the scheduler blames the unit
LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
SAME_VERSIONS = ("python", "dask", "distributed")
SCHEDULER_GONE = "the scheduler of the cluster has gone; start it again, and continue by --resume"
NO_TERESA = "the scheduler or a worker cannot load Teresa: install the same version on all machines"


@dataclass(frozen=True)
class ClusterOptions:
    """Which cluster, and how to reach it."""

    cluster: str  # `local`, the address of a scheduler, or the file that one has written
    workers: int  # of a local cluster
    insecure: bool = False  # plain TCP to another machine is allowed
    tls_ca_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None


def _quiet_dask() -> None:
    """No messages of Dask: lost workers are counted, lost schedulers end the run."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


# On the worker


def compute_here(function: str, values: dict[str, Any], identity: str, hints: dict[str, Any]) -> UnitAnswer:
    """Do the work of a unit on a worker of Dask; the answer names the worker by its address."""
    return replace(compute(function, values, identity, hints), worker=get_worker().address)


def dask_setup(_worker: Any) -> None:
    """Dask calls this in each worker of a local cluster. Ctrl-C reaches them too, but the driver decides about it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _quiet_dask()  # its scheduler may end during a heartbeat


# On the driver


def open_cluster(options: ClusterOptions, hints: Callable[[int], Mapping[str, Any]]) -> "DaskPool":
    """Connect to a cluster, or start one; a `RunError` says why not. `hints` depend on the workers of a machine."""
    _quiet_dask()
    if options.cluster == LOCAL:
        cluster = _local_cluster(options.workers)
        return DaskPool(Client(cluster), hints, cluster)
    address = address_of(options.cluster)
    check_address(address, insecure=options.insecure)
    security = _security(options, address)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other versions: see `check_versions`
            client = Client(address, timeout=CONNECT_SECONDS, security=security)
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"the scheduler {address} cannot be reached: {_innermost(error)}") from None
    try:
        check_versions(client.get_versions())
    except BaseException:
        client.close(timeout=SECONDS_TO_LEAVE)
        raise
    return DaskPool(client, hints)


def _innermost(error: BaseException) -> str:
    """The cause behind the errors of Dask's layers: the last one that says something."""
    text = str(error)
    while error.__cause__ is not None:
        error = error.__cause__
        text = str(error) or text
    return text or type(error).__name__


def _local_cluster(workers: int) -> LocalCluster:
    """Workers on this machine; only it can reach them."""
    dask.config.set({"distributed.scheduler.allowed-failures": ALLOWED_FAILURES})
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,  # no limit: a table of positions is large, and is not to be written to disk
        preload=[__name__],  # its `dask_setup`
    )


def _security(options: ClusterOptions, address: str) -> Security | None:
    """Certificates: those of the options, else those of Dask's configuration."""
    given = {
        "tls_ca_file": options.tls_ca_file,
        "tls_client_cert": options.tls_cert,
        "tls_client_key": options.tls_key,
    }
    named = {name: value for name, value in given.items() if value is not None}
    for value in named.values():
        if not Path(value).is_file():
            raise RunError(f"{value}: no such file")
    if not address.startswith("tls://"):
        return None
    security = Security(require_encryption=True, **named)
    if security.tls_ca_file is None or security.tls_client_cert is None:
        raise RunError(f"--cluster {address}: say --tls-ca-file and --tls-cert (and --tls-key), or configure Dask")
    return security


def check_versions(versions: Mapping[str, Any]) -> None:
    """Refuse a cluster whose scheduler or workers have other versions of Python (up to the minor one) or Dask."""
    ours = _versions_of(versions["client"])
    for member, facts in {"the scheduler": versions["scheduler"], **versions["workers"]}.items():
        for name, theirs in _versions_of(facts).items():
            if theirs != ours[name]:
                raise RunError(
                    f"{member} has {name} {theirs}, this machine {ours[name]}: install the same on all machines"
                )


def _versions_of(facts: Mapping[str, Any] | None) -> dict[str, str]:
    packages = (facts or {}).get("packages", {})
    found = {name: str(packages.get(name, "of unknown version")) for name in SAME_VERSIONS}
    return found | {"python": ".".join(found["python"].split(".")[:2])}


class DaskPool:
    """The workers of a cluster."""

    def __init__(
        self, client: Client, hints: Callable[[int], Mapping[str, Any]], cluster: LocalCluster | None = None
    ) -> None:
        """`cluster`: one that ends with this pool. `hints`: see `compute`; by the most workers of one machine."""
        self.lost = 0
        self._client, self._hints, self._cluster = client, hints, cluster
        self._futures: dict[UnitJob, Future] = {}
        self._ended: queue.SimpleQueue[UnitJob] = queue.SimpleQueue()
        self._allowed: dict[UnitJob, frozenset[str]] = {}  # the workers that may do a job, if not all may
        self._threads: dict[str, int] = {}  # of workers, by their address
        self._per_machine = 1  # the most workers that have shared a machine
        self._counted_at = -SECONDS_BETWEEN_COUNTS

    @property
    def dashboard(self) -> str | None:
        """The address of Dask's own page, if there is one."""
        return (self._client.dashboard_link or None) if find_spec("bokeh") else None

    @property
    def workers(self) -> int:
        """How many units they could do at a time, a moment ago."""
        now = time.monotonic()
        if now - self._counted_at >= SECONDS_BETWEEN_COUNTS:
            with self._talking():
                self._count_workers(self._client.nthreads())
            self._counted_at = now
        return sum(self._threads.values())

    def _count_workers(self, threads: Mapping[str, int]) -> None:
        self.lost += sum(address not in threads for address in self._threads)
        self._threads = dict(threads)
        hosts = Counter(address.rpartition(":")[0] for address in threads)
        self._per_machine = max(self._per_machine, *hosts.values(), 1)
        self._give_up_waiting()

    def _give_up_waiting(self) -> None:
        """Jobs whose allowed workers have all gone would wait for ever: they are lost, and the runner repeats them."""
        for job, workers in self._allowed.items():
            if workers.isdisjoint(self._threads) and job in self._futures:
                self._futures[job].cancel()
                self._ended.put(job)

    def send(self, job: UnitJob) -> None:
        """Submit a unit to the scheduler."""
        unit = job.unit
        with self._talking(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a slice of positions has some megabytes
            others = self._workers_but(self._avoided(job)) if job.attempt > 1 else []
            future = self._client.submit(
                compute_here,
                unit.function,
                dict(unit.input),
                unit.identity,
                dict(self._hints(self._per_machine)),
                key=f"{_name_of(job)}-{job.attempt}",
                pure=False,
                workers=others or None,  # none but these: see `_give_up_waiting`
            )
        self._futures[job] = future
        if others:
            self._allowed[job] = frozenset(others)
        future.add_done_callback(lambda _: self._ended.put(job))

    def _avoided(self, job: UnitJob) -> set[str]:
        """Workers that shall not do it: one that has done it already, and those that have it now."""
        processing: Mapping[str, tuple[str, ...]] = self._client.processing()
        have_it = {worker for worker, keys in processing.items() if any(key.startswith(_name_of(job)) for key in keys)}
        return have_it | ({job.avoid} if job.avoid else set())

    def _workers_but(self, avoided: set[str]) -> list[str]:
        return [address for address in self._threads if address not in avoided]

    def receive(self, seconds: float) -> list[UnitReport]:
        """The jobs that have ended."""
        self._check_client()
        ended = []
        with suppress(queue.Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        return [self._report_of(job, self._forget(job)) for job in ended if job in self._futures]

    def _forget(self, job: UnitJob) -> Future:
        self._allowed.pop(job, None)
        return self._futures.pop(job)

    def _report_of(self, job: UnitJob, future: Future) -> UnitReport:
        """How a job ended. Only a future that is `finished` has a result."""
        try:
            if future.status == "finished":
                return UnitReport(job, future.result(timeout=RESULT_SECONDS))
            error = future.exception(timeout=RESULT_SECONDS) if future.status == "error" else None
        except Exception:  # noqa: BLE001  (the worker that has the result has died, or the scheduler)
            error = None
        finally:
            future.release()
        self._check_client()
        if error is None or isinstance(error, KilledWorker):
            return UnitReport(job, None)
        return UnitReport(job, UnitAnswer("the cluster", 0.0, error=_reason_of(error)))

    def recall(self) -> list[UnitJob]:
        """Cancel what workers have not begun: each has begun the jobs that it got first, one for each thread."""
        with self._talking():
            processing: Mapping[str, tuple[str, ...]] = self._client.processing()
            begun = {key for worker, keys in processing.items() for key in keys[: self._threads.get(worker, 1)]}
            jobs = [job for job, future in self._futures.items() if future.key not in begun and not future.done()]
            self._client.cancel([self._forget(job) for job in jobs])
        return jobs

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """Whatever the scheduler does not answer, it has gone."""
        self._check_client()
        try:
            yield
        except Exception as error:
            raise RunError(f"{SCHEDULER_GONE} ({_innermost(error)})") from error

    def _check_client(self) -> None:
        """After the end of its scheduler, a cluster has forgotten all; the journal has not."""
        if self._client.status != "running":
            raise RunError(SCHEDULER_GONE)

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        with suppress(Exception):
            self._client.close(timeout=SECONDS_TO_LEAVE)
        if self._cluster is not None:
            with suppress(Exception):
                self._cluster.close(timeout=SECONDS_TO_END)


def _name_of(job: UnitJob) -> str:
    """What the keys of all attempts begin with."""
    return f"{job.unit.function.rpartition(':')[2]}-{job.unit.identity[:32]}"


def _reason_of(error: BaseException) -> str:
    """Why Dask could not run a unit; what its function raises is in the answer instead."""
    reason = _innermost(error)
    is_missing = isinstance(error, ImportError) or "deserializ" in str(error) or "No module named" in reason
    return f"{NO_TERESA} ({reason})" if is_missing else reason
