"""Files of labelled games that may become a chunk of a store: checked, hashed, and verified while they are copied."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.training.data.games import Games, beside, open_games
from engine.training.data.manifest import GAMES, VISITS, Chunk
from engine.training.data.policies import end_of_policies
from engine.training.data.viriformat import HEADER_SIZE, PAIR_SIZE, VALUE_ONLY
from engine.training.data.visits import COUNT_SIZE, ENTRY_SIZE

BLOCK = 1 << 20  # bytes that are copied at a time


@dataclass(frozen=True)
class NewChunk:
    """Files that may become a chunk."""

    chunk: Chunk
    paths: Mapping[str, Path]  # by suffix


def inspect(path: Path, source: Mapping[str, Any] | None = None) -> NewChunk:
    """Check a file of games, and its visits; a `ValueError` says what is wrong with it."""
    return describe(path, open_games([path]), source)


def describe(path: Path, games: Games, source: Mapping[str, Any] | None) -> NewChunk:
    """A file that was opened, as a chunk; a `ValueError` if something of it was cut off."""
    end = int(games.start[-1] + HEADER_SIZE + PAIR_SIZE * (games.size[-1] + 1))
    if end != games.files[0].size:
        raise ValueError(f"{path}: the last game is cut off: whole games end at byte {end}")
    paths, other = {GAMES: path}, beside(path)
    visits = games.visit_files[0]
    if visits is not None and other is not None:
        paths[other.suffix] = other
        if (games.visit_start < 0).any() or end_of_visits(games, visits, other.suffix) != visits.size:
            raise ValueError(f"{other}: not as long as {path.name} needs it: one of the two is cut off")
    files = {suffix: (file.stat().st_size, sha_256(file)) for suffix, file in paths.items()}
    with_visits = 0 if visits is None else games.positions
    labelled = int(games.size[(games.extra & VALUE_ONLY) == 0].sum())
    chunk = Chunk(files, games.size.size, games.positions, labelled, with_visits, source or {"name": path.name})
    return NewChunk(chunk, paths)


def end_of_visits(games: Games, visits: np.ndarray, suffix: str) -> int:
    """The offset of the first byte after the visits of all games of a file, or after their policies."""
    start, positions = int(games.visit_start[-1]), int(games.size[-1])
    if suffix == VISITS:
        return start + COUNT_SIZE * positions + ENTRY_SIZE * int(games.visit_size[-1])
    return int(end_of_policies(visits, start, positions))


def sha_256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verified_parts(path: Path, digest: str) -> Iterator[bytes]:
    """A file in parts; a `ValueError` at its end if it is not the one with this SHA-256."""
    whole = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while part := file.read(BLOCK):
                whole.update(part)
                yield part
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    if whole.hexdigest() != digest:
        raise ValueError(f"{path} has changed while it was copied")
