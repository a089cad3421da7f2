"""How to reach a Dask cluster (https://distributed.dask.org), or to start one on this machine."""

import logging
import signal
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import distributed.scheduler
from distributed import Client, LocalCluster
from distributed.security import Security

from perft.runner.addresses import address_of, check_address
from perft.runner.dask_pool import SECONDS_TO_LEAVE, DaskPool
from perft.runner.groups import lead_group
from perft.runner.reasons import innermost
from perft.runner.runner import RunError

LOCAL = "local"
CONNECT_SECONDS = 15.0
LOCAL_CONFIGURATION = {
    "distributed.scheduler.allowed-failures": 30,  # workers may die at a unit, for other reasons
    "distributed.worker.profile.enabled": False,  # it costs a tenth of the time
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",  # half of what idle processes of a cluster cost
    "distributed.client.scheduler-info-interval": "30s",
}
SECONDS_BETWEEN_HEARTBEATS = 5.0  # of workers on this machine, whose death is seen by the end of their connection
LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
SAME_VERSIONS = ("python", "dask", "distributed")


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


def dask_setup(_worker: Any) -> None:
    """Dask calls this in each worker of a local cluster. Its engines belong to it; the driver decides about Ctrl-C."""
    lead_group()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _quiet_dask()  # its scheduler may end during a heartbeat


# On the driver


def open_cluster(options: ClusterOptions, hints: Callable[[int], Mapping[str, Any]]) -> DaskPool:
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
            # Other versions: see `check_scheduler`; those of workers are compared with each unit.
            warnings.simplefilter("ignore")
            client = Client(address, timeout=CONNECT_SECONDS, security=security)
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"the scheduler {address} cannot be reached: {innermost(error)}") from None
    try:
        check_scheduler(client.get_versions())
    except BaseException:
        client.close(timeout=SECONDS_TO_LEAVE)
        raise
    return DaskPool(client, hints)


def _local_cluster(workers: int) -> LocalCluster:
    """Workers on this machine; only it can reach them."""
    dask.config.set(LOCAL_CONFIGURATION)
    distributed.scheduler.heartbeat_interval = lambda _workers: SECONDS_BETWEEN_HEARTBEATS  # there is no option
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


def check_scheduler(versions: Mapping[str, Any]) -> None:
    """Refuse a scheduler that has other versions of Python (up to the minor one) or Dask."""
    ours = _versions_of(versions["client"])
    for name, theirs in _versions_of(versions["scheduler"]).items():
        if theirs != ours[name]:
            raise RunError(
                f"the scheduler has {name} {theirs}, this machine {ours[name]}: install the same on all machines"
            )


def _versions_of(facts: Mapping[str, Any] | None) -> dict[str, str]:
    packages = (facts or {}).get("packages", {})
    found = {name: str(packages.get(name, "of unknown version")) for name in SAME_VERSIONS}
    return found | {"python": ".".join(found["python"].split(".")[:2])}
