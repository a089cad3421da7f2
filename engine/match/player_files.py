"""The files that options of this engine name: weights, a book, tablebases. All machines must have the same ones."""

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from engine.network.weights_file import SHIPPED
from engine.search.resources import Resources

WEIGHTS, BOOK, TABLEBASES = "EvalFile", "BookFile", "SyzygyPath"
PLAYERS_KEPT = 8  # whose files stay open in a process


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
    """SHA-256."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


def _checksum_of_tables(folders: str) -> str:
    """Of the names and sizes only: tables are large."""
    files = [path for folder in folders.split(os.pathsep) for path in Path(folder).glob("*.rtb[wz]")]
    names = sorted(f"{path.name} {path.stat().st_size}" for path in files)
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def check_same_files(options: Mapping[str, str], checksums: Mapping[str, str]) -> None:
    """Raise a `ValueError` if this machine has other files than the match was started with."""
    for option, checksum in checksums_of(options).items():
        if checksum != checksums.get(option):
            raise ValueError(f"{options.get(option) or SHIPPED} is not what the match was started with")


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
