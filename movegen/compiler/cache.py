"""Where compiled kernels are kept between runs.

numba's own cache does not notice edits in imported files, and breaks when two processes fill it
at once. So every version of the sources, on every kind of CPU, has a folder of its own:

    <cache>/<package>/<hash of the sources>-<hash of CPU, numba, Python and switches>/<kernel>.nbi, .nbc

A process that misses a kernel takes the folder's lock, looks again, compiles and publishes each file
by an atomic rename; others wait for it and load the result. Readers need no lock.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import numba
from numba.core import caching

from movegen.compiler.cpu import USE_PEXT

if TYPE_CHECKING:
    from filelock import BaseFileLock

CACHE_VARIABLE = "TERESA_CACHE_DIR"
KEPT_VERSIONS = 8
LOCK_PATIENCE = 300.0  # seconds; then a process compiles for itself rather than hang

COMPILER = Path(__file__).resolve().parent
PACKAGE = COMPILER.parent
IMPORTS = re.compile(r"^from ([a-z0-9_.]+) import", re.MULTILINE)


def sources_of(folders: Iterable[Path]) -> str:
    """A hash of all Python files of these folders (not of folders inside them)."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in set(folders) for path in folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def folders_behind(package: Path) -> set[Path]:
    """The folders whose sources may be part of a package's kernels: its own, and those that it imports from.

    Only this package and the one that `package` belongs to are looked at: libraries are known by their version.
    """
    root = PACKAGE.parent
    found, left = {PACKAGE, COMPILER}, [package]
    while left:
        folder = left.pop()
        if folder in found or not folder.is_relative_to(root):
            found.add(folder)
            continue
        found.add(folder)
        home = folder.relative_to(root).parts[0]
        for name in (name for path in folder.glob("*.py") for name in IMPORTS.findall(path.read_text("utf-8"))):
            module = root.joinpath(*name.split("."))
            if name.split(".")[0] == home:
                left.append(module if module.is_dir() else module.parent)
    return found


def machine() -> str:
    """A hash of everything else that the machine code depends on."""
    facts = (
        platform.machine(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        numba.__version__,
        sys.version_info[:2],
        USE_PEXT,
        numba.config.BOUNDSCHECK,
    )
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def is_writable(folder: Path) -> bool:
    """Can files be made in the folder (which is made if need be)?"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def choose_folder(version: Path) -> Path:
    """Where this version of the kernels is kept, or will be.

    In TERESA_CACHE_DIR if that is set. Else beside the sources, if it is there already (an administrator may have
    warmed up an installation that users cannot write to) or can be made there. Else in the user's cache folder.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().resolve() / version
    beside = PACKAGE / "__pycache__" / "kernels"
    if (beside / version).is_dir() or is_writable(beside):
        return beside / version
    from platformdirs import user_cache_path

    return user_cache_path("teresa", appauthor=False) / "kernels" / version


@cache
def version_folder(package: Path) -> Path:
    """The folder for the kernels that a package defines, in this version and on this CPU."""
    folder = choose_folder(Path(package.name) / f"{sources_of(folders_behind(package))}-{machine()}")
    with contextlib.suppress(OSError):
        os.utime(folder)  # the time of its last use
    return folder


def remove_old_versions(folder: Path, keep: int = KEPT_VERSIONS) -> None:
    """Keep the versions that were used last; a version still in use elsewhere merely compiles again."""

    def last_use(version: Path) -> float:
        try:
            return version.stat().st_mtime
        except FileNotFoundError:  # another process was quicker
            return 0.0

    versions = sorted((path for path in folder.iterdir() if path.is_dir()), key=last_use, reverse=True)
    for version in versions[keep:]:
        shutil.rmtree(version, ignore_errors=True)
        with contextlib.suppress(OSError):
            version.with_suffix(".lock").unlink()


class _Locator(caching._CacheLocator):  # type: ignore[misc]  # noqa: SLF001  (numba's way to say where)
    """Tells numba the folder; the folder's name stands for the freshness of what is in it."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._folder = version_folder(Path(file).resolve().parent)
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Locator":
        return cls(function, file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]  # numba has no type hints
    _locator_classes = (_Locator,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]  # numba has no type hints
    """numba's function cache in our folder, filled by one process at a time."""

    _impl_class = _Implementation
    _damaged = False

    def __init__(self, function: Callable[..., Any], *, needs_runtime: bool) -> None:
        """`needs_runtime`: does the kernel allocate memory?"""
        super().__init__(function)
        self._needs_runtime = needs_runtime

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Load a kernel; where there is none, return None and hold the lock until it is saved."""
        found = self._load(signature, target_context)
        if found is None and self._take_lock():
            found = self._load(signature, target_context)
            if found is not None:
                self._release_lock()
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Publish a kernel. A full or vanished disk is no reason to stop: it is compiled again next time."""
        try:
            with contextlib.suppress(OSError):
                if self._damaged:
                    self.flush()
                super().save_overload(signature, compiled)
        finally:
            self._release_lock()

    def _load(self, signature: Any, target_context: Any) -> Any:
        """Load a kernel. Those that allocate nothing do without numba's runtime: setting that up takes a tenth of a
        second, and happens by itself where something is compiled.
        """
        try:
            if self._needs_runtime:
                found = super().load_overload(signature, target_context)
            else:
                with self._guard_against_spurious_io_errors():
                    found = self._load_overload(signature, target_context)
            self._damaged = False
        except Exception:  # noqa: BLE001  (a damaged file, whatever it raises, counts as a missing one)
            self._damaged = True
            return None
        return found

    def _take_lock(self) -> bool:
        lock = folder_lock(Path(self.cache_path))
        if lock is None:
            return False
        from filelock import Timeout

        try:
            lock.acquire(timeout=LOCK_PATIENCE)
        except (Timeout, OSError):
            return False
        return True

    def _release_lock(self) -> None:
        lock = folder_lock(Path(self.cache_path))
        if lock is not None:
            lock.release()


@cache
def folder_lock(folder: Path) -> "BaseFileLock | None":
    """The lock of a version's folder, one for the whole process; None where nothing can be written.

    It is asked for only when a kernel is missing, so this is also the moment to tidy up.
    """
    if not is_writable(folder):
        return None
    from filelock import FileLock

    os.utime(folder)
    remove_old_versions(folder.parent)
    return FileLock(folder.with_suffix(".lock"), thread_local=False)
