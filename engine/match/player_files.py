"""The files of players: weights, books, tablebases, programs of other engines. All machines must have the same ones."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from engine.network.weights_file import SHIPPED
from engine.search.resources import Resources

WEIGHTS, BOOK, TABLEBASES = "EvalFile", "BookFile", "SyzygyPath"
PLAYERS_KEPT = 8  # whose files stay open in a process
CHECKSUMS_KEPT = 64
# Options of other engines, in small letters without blanks. Those of logs and of what an engine has learnt change.
NAMES_FILES, READ_ONLY = ("file", "path"), ("evalfile", "weightsfile", "bookfile")
CHANGED = "has changed: it is not what the games began with"


def absolute_option(option: str, value: str) -> str:
    """The value of an option, as every process understands it; that of options without files does not change."""
    if option in (WEIGHTS, BOOK) and value:
        return str(Path(value).resolve())
    if option == TABLEBASES and value:
        return os.pathsep.join(str(Path(folder).resolve()) for folder in value.split(os.pathsep))
    return value


def checksums_of(options: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of what the options name, by option; without a weights file that of the shipped network."""
    sums = {WEIGHTS: checksum_of_file(options.get(WEIGHTS) or str(SHIPPED))}
    if options.get(BOOK):
        sums[BOOK] = checksum_of_file(options[BOOK])
    if options.get(TABLEBASES):
        sums[TABLEBASES] = _checksum_of_tables(options[TABLEBASES])
    return sums


def checksum_of_file(path: str) -> str:
    """SHA-256 of a file; a `ValueError` if it cannot be read."""
    try:
        status = Path(path).stat()
        return _checksum(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


@lru_cache(maxsize=CHECKSUMS_KEPT)
def _checksum(path: str, _size: int, _changed: int) -> str:
    """SHA-256 of a file, remembered: players are opened for each unit, and programs come with large networks."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum_of_tables(folders: str) -> str:
    """SHA-256 of the names and sizes of tablebases; not of their contents, since they are large."""
    files = [path for folder in folders.split(os.pathsep) for path in Path(folder).glob("*.rtb[wz]")]
    names = sorted(f"{path.name} {path.stat().st_size}" for path in files)
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def check_same_files(options: Mapping[str, str], checksums: Mapping[str, str]) -> None:
    """Raise a `ValueError` if this machine has other files than the games began with."""
    for option, checksum in checksums_of(options).items():
        if checksum != checksums.get(option):
            raise ValueError(f"{options.get(option) or SHIPPED} {CHANGED}")


def open_resources(options: Mapping[str, str], checksums: Mapping[str, str]) -> Resources:
    """Network, book and tablebases; a `ValueError` if one of them is missing, damaged or another one."""
    named = tuple((name, options[name]) for name in (WEIGHTS, BOOK, TABLEBASES) if options.get(name))
    return _opened(named, tuple(sorted(checksums.items())))


@lru_cache(maxsize=PLAYERS_KEPT)
def _opened(named: tuple[tuple[str, str], ...], checksums: tuple[tuple[str, str], ...]) -> Resources:
    check_same_files(dict(named), dict(checksums))
    resources = Resources()
    setters: dict[str, Callable[[str], None]] = {
        WEIGHTS: resources.set_network,
        BOOK: resources.set_book,
        TABLEBASES: resources.set_tablebases,
    }
    for option, value in named:
        try:
            setters[option](value)
        except (OSError, ValueError) as error:
            raise ValueError(f"{option}: {error}") from None
    return resources


# Other engines


def absolute_command(words: Sequence[str]) -> list[str]:
    """A command as every process understands it, whatever its working folder."""
    found = shutil.which(words[0])
    program = words[0] if found is None else str(Path(found).absolute())  # links stay: they may mean something
    return [program, *(str(Path(word).absolute()) if _is_script(word) else word for word in words[1:])]


def _is_script(word: str) -> bool:
    """Is an argument a file? A bare word is not, even if there is a file of this name."""
    return (Path(word).name != word or Path(word).suffix != "") and Path(word).is_file()


def absolute_setting(option: str, value: str) -> str:
    """The value of an option of another engine; files and folders that are here with their whole path."""
    if not any(word in _plain(option) for word in NAMES_FILES):
        return value
    parts = value.split(os.pathsep)
    return os.pathsep.join(str(Path(part).absolute()) if part and Path(part).exists() else part for part in parts)


def _plain(option: str) -> str:
    return option.lower().replace(" ", "")


def engine_checksums(command: Sequence[str], options: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of the files of another engine that are here, by path."""
    return {path: checksum_of_file(path) for path in _engine_files(command, options)}


def _engine_files(command: Sequence[str], options: Mapping[str, str]) -> Iterator[str]:
    """The files of another engine that are here; `command` is an absolute one."""
    yield from (word for word in command if Path(word).is_absolute() and Path(word).is_file())
    for option, value in options.items():
        if _plain(option).startswith(READ_ONLY) and Path(value).is_file():
            yield value


def check_engine_files(checksums: Mapping[str, str]) -> None:
    """Raise a `ValueError` if this machine has another program than the games began with."""
    for path, checksum in checksums.items():
        if checksum_of_file(path) != checksum:
            raise ValueError(f"{path} {CHANGED}")
