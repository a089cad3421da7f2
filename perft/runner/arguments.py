"""The options of commands that run units: where they run, and where they are recorded."""

import argparse
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # help and errors of a command line need none of it
    from perft.runner.journal import Journal
    from perft.runner.pool import UnitPool

MISSING_DASK = "--cluster needs Dask: pip install '.[cluster]' in the folder of Teresa"


@dataclass(frozen=True)
class RunOptions:
    """Where units run, and where they are recorded."""

    run: Path | None = None
    resume: Path | None = None
    cluster: str | None = None
    verify: float = 0.0
    insecure: bool = False
    tls_ca_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "RunOptions":
        """The options of a command line."""
        return cls(**{name: getattr(arguments, name) for name in cls.__dataclass_fields__})

    @property
    def in_units(self) -> bool:
        """Does the command run in units at all?"""
        return self.verify > 0 or any(value is not None for value in (self.run, self.resume, self.cluster))

    @property
    def error(self) -> str | None:
        """What does not fit together."""
        if self.run is not None and self.resume is not None:
            return "--run starts a run, --resume continues one: give one of them"
        if self.cluster is None and (self.insecure or self.tls_ca_file or self.tls_cert or self.tls_key):
            return "--insecure and --tls-… go with --cluster"
        return None

    def new_folder(self, name: str) -> Path | None:
        """The folder of a new run; a run on a cluster always has one. None: nothing is kept."""
        if self.run is None and self.cluster is not None:
            return Path(f"{name}-{time.strftime('%Y%m%d-%H%M%S')}")
        return self.run


def add_run_arguments(parser: argparse.ArgumentParser, *, has_folder: bool = True) -> None:
    """Add the options to a command. `has_folder`: what is done is kept in a folder of the run."""
    group = parser.add_argument_group("work in units, on this machine or on a cluster")
    for name, text in (("run", "keep what is done in a new folder"), ("resume", "continue the run of a folder")):
        shown = text if has_folder else argparse.SUPPRESS
        group.add_argument(f"--{name}", metavar="FOLDER", type=Path, help=shown)
    group.add_argument(
        "--cluster", metavar="WHERE", help="Dask: 'local', the address of a scheduler (tls://host:8786), or its file"
    )
    group.add_argument(
        "--verify",
        metavar="SHARE",
        type=_share,
        default=0.0,
        help="let two workers do this share of the units (0 to 1)",
    )
    group.add_argument("--insecure", action="store_true", help="allow a scheduler on another machine without TLS")
    for name, text in (("ca-file", "authority"), ("cert", "certificate"), ("key", "key")):
        group.add_argument(f"--tls-{name}", metavar="FILE", help=f"{text} for tls:// (default: Dask's configuration)")


def _share(text: str) -> float:
    with suppress(ValueError):
        if 0.0 <= float(text) <= 1.0:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text[:40]!a} is not a number from 0 to 1")


def open_pool(
    options: RunOptions, workers: int, hints: Callable[[int], Mapping[str, Any]], local: "Callable[[], UnitPool]"
) -> "UnitPool":
    """The workers that the options name. `local` makes those of this machine; a local cluster has `workers`.

    `hints` gives what workers of a cluster need to know, by the number of workers on one machine.
    """
    if options.cluster is None:
        return local()
    if find_spec("distributed") is None:
        from perft.runner.runner import RunError

        raise RunError(MISSING_DASK)
    from perft.runner.cluster import ClusterOptions, open_cluster  # Dask takes half a second

    return open_cluster(
        ClusterOptions(
            options.cluster, workers, options.insecure, options.tls_ca_file, options.tls_cert, options.tls_key
        ),
        hints,
    )


def open_journal(folder: Path | None, header: Mapping[str, Any]) -> "Journal | None":
    """Begin the journal of a new run, if it has a folder."""
    if folder is None:
        return None
    from perft.runner.journal import Journal

    journal = Journal(folder)
    journal.start(header)
    return journal
