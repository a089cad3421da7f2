"""The cache of compiled kernels on disk.

numba's own cache does not notice edits in imported files, and breaks when two processes fill it
at once. So every version of the sources, on every kind of CPU, has its own folder:

    <cache>/<package>/<hash of the sources>-<hash of CPU, numba, Python and switches>/<kernel>.nbi, .nbc

A process that misses a kernel takes the folder's lock, looks again, compiles and publishes each file
by an atomic rename; others wait for it and load the result. Readers need no lock.

numba's public hook (NUMBA_CACHE_LOCATOR_CLASSES) chooses a folder but has no lock, so this module builds on private
names of numba. They are all listed in `NUMBA_NAMES`, and checked at import.
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
from movegen.compiler.interrupts import interrupts_delayed

if TYPE_CHECKING:
    from filelock import BaseFileLock

CACHE_VARIABLE = "TERESA_CACHE_DIR"
KEPT_VERSIONS = 8
LOCK_PATIENCE = 300.0  # seconds; then a process compiles without the lock rather than hang

COMPILER = Path(__file__).resolve().parent
PACKAGE = COMPILER.parent
IMPORTS = re.compile(r"^from ([a-z0-9_.]+) import", re.MULTILINE)

UNKNOWN_NUMBA = f"numba {numba.__version__} has another cache than {__name__} was written for"
# The private parts of numba that this module depends on (and the attribute `_cache` of compiled functions).
NUMBA_NAMES = {
    "_CacheLocator": (),
    "CompileResultCacheImpl": ("_locator_classes",),
    "FunctionCache": ("_impl_class", "_load_overload", "_guard_against_spurious_io_errors"),
}


def check_numba() -> None:
    """Raise an `ImportError` if this version of numba lacks one of the names."""
    for name, attributes in NUMBA_NAMES.items():
        found = getattr(caching, name, None)
        if found is None or not all(hasattr(found, attribute) for attribute in attributes):
            raise ImportError(f"{UNKNOWN_NUMBA}: {name} is missing or has changed")


check_numba()


def sources_of(folders: Iterable[Path]) -> str:
    """A hash of all Python files of these folders (not of folders inside them)."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in set(folders) for path in folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def folders_behind(package: Path) -> set[Path]:
    """The folders whose sources may be part of a package's kernels: its own, and those that it imports from.

    Only this package and the one that `package` belongs to are followed: libraries are identified by their version.
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
    """A hash of what the machine code depends on besides the sources."""
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
    """Can files be created in the folder (which is created if necessary)?"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def choose_folder(version: Path) -> Path:
    """The folder for this version of the kernels, which need not exist yet.

    In TERESA_CACHE_DIR if that is set. Else next to the sources, if it exists already (an administrator may have
    warmed up an installation that users cannot write to) or can be created. Else in the user's cache folder.
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
    """Keep the most recently used versions; a process that still uses a removed one compiles again."""

    def last_use(version: Path) -> float:
        try:
            return version.stat().st_mtime
        except FileNotFoundError:  # another process removed it
            return 0.0

    versions = sorted((path for path in folder.iterdir() if path.is_dir()), key=last_use, reverse=True)
    for version in versions[keep:]:
        shutil.rmtree(version, ignore_errors=True)
        with contextlib.suppress(OSError):
            version.with_suffix(".lock").unlink()


class _Locator(caching._CacheLocator):  # type: ignore[misc]  # noqa: SLF001  (see NUMBA_NAMES)
    """Gives numba the folder; its name changes with the sources, so all files in it are up to date."""

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
    """numba's function cache in the version's folder, filled by one process at a time."""

    _impl_class = _Implementation
    _damaged = False

    def __init__(self, function: Callable[..., Any], *, needs_runtime: bool) -> None:
        """`needs_runtime`: does the kernel allocate memory?"""
        super().__init__(function)
        self._needs_runtime = needs_runtime

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Load a kernel; if it is missing, return None and hold the lock until it is saved."""
        found = self._load(signature, target_context)
        if found is None and self._take_lock():
            found = self._load(signature, target_context)
            if found is not None:
                self._release_lock()
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Publish a kernel. A failing disk is not an error: the kernel is compiled again next time."""
        try:
            with contextlib.suppress(OSError):
                if self._damaged:
                    self.flush()
                super().save_overload(signature, compiled)
        finally:
            self._release_lock()

    def _load(self, signature: Any, target_context: Any) -> Any:
        """Load a kernel. Those that allocate nothing need no numba runtime, whose set-up takes a tenth of a second
        (compiling sets it up anyway).
        """
        try:
            with interrupts_delayed():  # LLVM calls back while it loads: Python ignores what is raised there
                found = self._read(signature, target_context)
            self._damaged = False
        except Exception:  # noqa: BLE001  (a damaged file counts as missing, whatever it raises)
            self._damaged = True
            return None
        return found

    def _read(self, signature: Any, target_context: Any) -> Any:
        if self._needs_runtime:
            return super().load_overload(signature, target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target_context)

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


def cached_on_disk(dispatcher: Any, function: Callable[..., Any], *, needs_runtime: bool) -> Any:
    """A function compiled by `njit`, with its machine code in the cache (what `njit(cache=True)` does)."""
    if not numba.config.DISABLE_JIT:
        if not hasattr(dispatcher, "_cache"):
            raise ImportError(f"{UNKNOWN_NUMBA}: compiled functions have no `_cache`")
        dispatcher._cache = KernelCache(function, needs_runtime=needs_runtime)  # noqa: SLF001  (see NUMBA_NAMES)
    return dispatcher


@cache
def folder_lock(folder: Path) -> "BaseFileLock | None":
    """The lock of a version's folder, one for the whole process; None if the folder is not writable.

    It is needed only when a kernel is missing, so old versions are removed here.
    """
    if not is_writable(folder):
        return None
    from filelock import FileLock

    os.utime(folder)
    remove_old_versions(folder.parent)
    return FileLock(folder.with_suffix(".lock"), thread_local=False)
