"""Does a worker have what the driver has? Each unit is sent with the driver's versions, and refused if they differ."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from perft.runner.units import sources_behind

COMPUTING = ("numba", "numpy")
PACKAGES = (*COMPUTING, "dask", "distributed")
SOURCES = "sources"
ADVICE = "install the same version on all machines"


@dataclass(frozen=True)
class Refusal:
    """The answer of a worker that cannot do a unit as the driver would."""

    worker: str
    reason: str  # "has numba 0.60 instead of 0.61"

    def __str__(self) -> str:
        return f"{self.worker} {self.reason}"


def has_teresa() -> bool:
    """True on a worker that can load this: one that cannot load its first unit would end without a word."""
    return True


@cache
def versions_behind(function: str) -> Mapping[str, str]:
    """What the result of a unit may depend on, beside its input: Python up to the minor version, packages, sources."""
    return {**_versions_of(PACKAGES), SOURCES: sources_behind(function)}


def computing_versions() -> dict[str, str]:
    """What results may depend on, whichever process sends the units: for the header of a journal."""
    return _versions_of(COMPUTING)


def _versions_of(packages: Sequence[str]) -> dict[str, str]:
    return {"Python": ".".join(map(str, sys.version_info[:2])), **{name: _version_of(name) for name in packages}}


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(missing)"


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str | None:
    """How versions differ from those of the driver (`there`), in words; None: not at all."""
    found = [
        "other sources of Teresa" if name == SOURCES else f"{name} {here.get(name)} instead of {version}"
        for name, version in there.items()
        if here.get(name) != version
    ]
    return f"has {' and '.join(found)}" if found else None
