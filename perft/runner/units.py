"""A unit of work: a pure function of its input, which any worker can compute, at any time and any number of times."""

import hashlib
import importlib
import json
import os
import platform
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SOURCE_ROOT = Path(__file__).resolve().parent.parent.parent
# A package, and those whose sources its results depend on.
PACKAGES_BEHIND = {"perft": ("movegen", "perft"), "engine": ("movegen", "perft", "engine")}
OTHER_SOURCES = "was made by another version of Teresa: continue it with that version, or start again"
OTHER_VERSION_OF_WORKER = "the worker has another version of Teresa: install the same on all machines"
TRACEBACK_LIMIT = 3  # frames of a failed unit that are reported


@dataclass(frozen=True, eq=False)
class Unit:
    """A function by its name (`module:function`), called with `input`: texts, numbers, bytes, arrays, lists."""

    function: str
    input: Mapping[str, Any]
    is_repeatable: bool = True  # whether every worker gives the same answer: not if a clock decides
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "identity", identity_of(self.function, self.input, sources_behind(self.function)))


@dataclass(frozen=True)
class UnitAnswer:
    """What a worker made of a unit: a value that JSON can hold, large results by the suffix of a file, or an error."""

    worker: str
    seconds: float
    value: Any = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    error: str | None = None
    cpu_seconds: float = 0.0  # of its worker, see `cpu_seconds`

    @property
    def digest(self) -> str:
        """A hash in which two answers to a unit must agree."""
        sums = {suffix: checksum(data) for suffix, data in self.files.items()}
        return checksum(canonical([self.value, sums]).encode())


AnswerCheck = Callable[[Unit, UnitAnswer], None]  # `ValueError` if the answer cannot be right


def no_check(_unit: Unit, _answer: UnitAnswer) -> None:
    """Take every answer."""


@dataclass(frozen=True)
class WithFiles:
    """The result of a unit's function that has large parts."""

    value: Any
    files: Mapping[str, bytes]


def checksum(data: bytes | memoryview) -> str:
    """SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def canonical(value: Any) -> str:
    """The one JSON text of a value; bytes and arrays by their hash."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_hashed)


def _hashed(value: Any) -> dict[str, str]:
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "sha256": checksum(np.ascontiguousarray(value).data)}
    if isinstance(value, bytes):
        return {"sha256": checksum(value)}
    raise TypeError(f"a unit cannot hold {type(value).__name__}")


def identity_of(function: str, values: Mapping[str, Any], sources: str) -> str:
    """The name under which a unit is recorded: it differs if anything differs that its result may depend on."""
    return checksum(canonical([function, dict(values), sources]).encode())


def _packages_behind(package: str) -> tuple[str, ...]:
    return PACKAGES_BEHIND.get(package, (package,))


@cache
def sources_behind(function: str) -> str:
    """A hash of all sources that the result of a unit may depend on."""
    digest = hashlib.sha256()
    for package in _packages_behind(function.split(".", maxsplit=1)[0]):
        for path in sorted((SOURCE_ROOT / package).rglob("*.py")):
            digest.update(path.relative_to(SOURCE_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def compute(function: str, values: Mapping[str, Any], identity: str, hints: Mapping[str, Any]) -> UnitAnswer:
    """Do the work of a unit, on a worker. A failure is an answer too; sources other than the driver's are refused.

    `hints` are arguments that change how a result is computed, not the result: threads, memory.
    """
    if identity_of(function, values, sources_behind(function)) != identity:
        return UnitAnswer(this_worker(), 0.0, error=OTHER_VERSION_OF_WORKER)
    return compute_own(function, values, hints)


def compute_own(function: str, values: Mapping[str, Any], hints: Mapping[str, Any]) -> UnitAnswer:
    """Do the work of a unit that this process has made itself."""
    begin, worker = time.perf_counter(), this_worker()
    try:
        module, name = function.split(":")
        result = getattr(importlib.import_module(module), name)(**values, **hints)
    except Exception as error:  # noqa: BLE001  (reported to the driver)
        trace = "".join(traceback.format_exception(error, limit=-TRACEBACK_LIMIT)).strip()
        reason = str(error) if isinstance(error, ValueError) else trace
        return UnitAnswer(worker, time.perf_counter() - begin, error=reason)
    seconds, used = time.perf_counter() - begin, _meter.since_last()
    if isinstance(result, WithFiles):
        return UnitAnswer(worker, seconds, result.value, result.files, cpu_seconds=used)
    return UnitAnswer(worker, seconds, result, cpu_seconds=used)


def cpu_seconds() -> float:
    """The processor time of this process, and of the programs that it has started and that have ended.

    Windows does not count the latter.
    """
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class _Meter:
    """Processor time from one unit to the next: an engine that a unit has started may end a little after it."""

    def __init__(self) -> None:
        self._last = 0.0

    def since_last(self) -> float:
        """The processor time since the last call, or since the process was started."""
        now = cpu_seconds()
        used, self._last = now - self._last, now
        return round(used, 6)


_meter = _Meter()


def this_worker() -> str:
    """The name of this process in messages."""
    return f"{platform.node()}:{os.getpid()}"
