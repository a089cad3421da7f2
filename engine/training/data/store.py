"""A store of labelled games: chunks named by a hash of their content, and a manifest. Nothing is changed in place.

    STORE/manifest.jsonl        which chunks there are (`manifest`)
    STORE/chunks/NAME.vf        the games of a chunk, as they were added
    STORE/chunks/NAME.visits    their visits, if there are any, or NAME.policy
    STORE/lock                  held by the process that writes

A chunk is written aside, flushed, renamed, and only then recorded in the manifest. Chunks are taken out by one line
there, then their files are deleted, and another line says so: the same request finishes a removal that was interrupted.
So whatever ends a process, all that was recorded stays. Readers need no lock.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from engine.system.files import write_whole
from engine.system.folder_lock import LOCK, take_lock
from engine.training.data.manifest import (
    GAMES,
    HEADER_LINE,
    MANIFEST,
    SHA_256,
    SUFFIXES,
    Chunk,
    is_store,
    read_manifest,
    record,
)
from engine.training.data.new_chunk import NewChunk, sha_256, verified_parts
from perft.runner.checked_lines import flush_folder

CHUNKS = "chunks"
LOCK_PATIENCE = 10.0  # seconds
UNFINISHED = r"\.(manifest\.jsonl|[0-9a-f]{64}\.(vf|visits|policy))\.[^.]+"
ASIDE = re.compile(UNFINISHED)  # files that `write_whole` did not finish

ADDED, KNOWN, MENDED = "added", "there already", "mended"
MISSING, TORN, CHANGED, UNREADABLE = "missing", "torn", "changed", "unreadable"
STRANGE = "has a file of visits that does not belong to it"


class ChunkOutcome(NamedTuple):
    """What became of a chunk: one of the words above."""

    chunk: Chunk
    what: str


class Store:
    """A store as its manifest was when it was opened. Only `store_to_write` gives one that may be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)

    @property
    def chunks(self) -> list[Chunk]:
        """All chunks, in an order that does not depend on that in which they were added."""
        return [self.manifest.chunks[name] for name in sorted(self.manifest.chunks)]

    @property
    def positions(self) -> int:
        """Of all chunks."""
        return sum(chunk.positions for chunk in self.manifest.chunks.values())

    def path(self, name: str, suffix: str = GAMES) -> Path:
        """A file of a chunk."""
        return self.folder / CHUNKS / (name + suffix)

    def damage_of(self, chunk: Chunk) -> str | None:
        """What is wrong with the files of a chunk, which are all read; None if nothing is."""
        try:
            for suffix, (size, digest) in chunk.files.items():
                path = self.path(chunk.name, suffix)
                if not path.is_file():
                    return MISSING
                if path.stat().st_size < size:
                    return TORN
                if sha_256(path) != digest:
                    return CHANGED
            others = [suffix for suffix in SUFFIXES if suffix not in chunk.files]
            return STRANGE if any(self.path(chunk.name, suffix).exists() for suffix in others) else None
        except OSError:
            return UNREADABLE

    def files(self) -> list[Path]:
        """The files of games of all chunks; a `ValueError` names one that is damaged."""
        for chunk in self.chunks:
            damage = self.damage_of(chunk)
            if damage is not None:
                what = damage if damage == STRANGE else f"is {damage}"
                raise ValueError(f"{self.path(chunk.name)} {what}: {self._how_to_check()} says what to do")
        if not self.chunks:
            raise ValueError(f"{self.folder} has no games yet")
        return [self.path(chunk.name) for chunk in self.chunks]

    def find(self, start: str) -> Chunk:
        """The chunk whose name begins with a text."""
        found = [chunk for chunk in self.chunks if start and chunk.name.startswith(start)]
        if len(found) != 1:
            raise ValueError(f"{self.folder} has {'no' if not found else 'more than one'} chunk {start}")
        return found[0]

    def find_source(self, source: Mapping[str, Any]) -> Chunk | None:
        """A chunk that came from there."""
        return next((chunk for chunk in self.chunks if chunk.source == source), None)

    def unrecorded(self) -> list[Path]:
        """Files of games that the manifest does not know: after an interruption, or because a line is damaged."""
        known = self.manifest.chunks.keys() | self.manifest.removed.keys()
        paths = sorted((self.folder / CHUNKS).glob(f"*{GAMES}"))
        return [path for path in paths if SHA_256.fullmatch(path.stem) and path.stem not in known]

    def warnings(self) -> list[str]:
        """Why there may be fewer games than were added."""
        found, how, unrecorded = [], self._how_to_check(), self.unrecorded()
        if damaged := self.manifest.damaged_lines:
            found.append(f"{self.folder}: lines of {MANIFEST} that are damaged: {damaged}; they are skipped, see {how}")
        if unrecorded:
            found.append(
                f"{self.folder}: files of games that are not recorded, and not used: {len(unrecorded)}, "
                f"e.g. {unrecorded[0].name}; unless another command is adding them now, {how} says what to do"
            )
        return found

    def _how_to_check(self) -> str:
        return f"`teresa train data {self.folder} --check`"

    # Changes

    def add(self, new: NewChunk) -> ChunkOutcome:
        """Take a chunk in, or write its files again if they are damaged."""
        chunk = new.chunk
        known = self.manifest.chunks.get(chunk.name)
        damage = self.damage_of(chunk)
        if damage == STRANGE:
            raise ValueError(f"{self.path(chunk.name)} {damage}: move that elsewhere")
        if damage is not None:
            self._write(new)
        if known is None or ("plan" in chunk.source and "plan" not in known.source):
            self._record(chunk.entry())
        return ChunkOutcome(chunk, ADDED if known is None else KNOWN if damage is None else MENDED)

    def merge(self, other: "Store") -> Iterator[ChunkOutcome]:
        """Take all chunks of another store in, except for those that are damaged there."""
        for chunk in other.chunks:
            damage = other.damage_of(chunk)
            if damage is None:
                yield self.add(NewChunk(chunk, {suffix: other.path(chunk.name, suffix) for suffix in chunk.files}))
            else:
                yield ChunkOutcome(chunk, damage)

    def remove(self, chunks: Sequence[Chunk], request: str = "") -> None:
        """Take chunks out, all of them or none, and delete their files; `request`: by which `unfinished` finds them."""
        if chunks:
            self._record({"removed": [chunk.name for chunk in chunks], "request": request})
        self.finish_removal()

    def unfinished(self, request: str) -> list[str]:
        """The chunks that were taken out by a request which was interrupted while it deleted files."""
        removed = self.manifest.removed
        return [name for name in removed if removed[name].request == request and removed[name].chunk is not None]

    def finish_removal(self) -> None:
        """Delete the files of the chunks that were taken out, and no others."""
        known = {name: removed.chunk for name, removed in self.manifest.removed.items() if removed.chunk is not None}
        for name, chunk in known.items():
            for suffix in chunk.files:
                self.path(name, suffix).unlink(missing_ok=True)
        if known:
            self._record({"deleted": list(known)})

    def clean(self) -> None:
        """Delete what processes have left that ended while they wrote."""
        for folder in (self.folder, self.folder / CHUNKS):
            for path in folder.glob(".*"):
                if ASIDE.fullmatch(path.name):
                    path.unlink(missing_ok=True)

    def _write(self, new: NewChunk) -> None:
        name = new.chunk.name
        (self.folder / CHUNKS).mkdir(exist_ok=True)
        for suffix in reversed(SUFFIXES):  # once the games are there, nothing is missing
            if suffix in new.paths:
                write_whole(self.path(name, suffix), verified_parts(new.paths[suffix], new.chunk.files[suffix][1]))
        flush_folder(self.folder / CHUNKS)

    def _record(self, entry: Mapping[str, Any]) -> None:
        record(self.folder, entry)
        self.manifest.read(entry)


@contextmanager
def store_to_write(folder: Path, *, create: bool = False) -> Iterator[Store]:
    """A store that no other process can write meanwhile; if there is none, a new one can be created."""
    if create:
        check_is_new_or_store(folder)
    else:
        read_manifest(folder)
    lock = take_lock(folder, "is in use by another process: try again when it has ended", LOCK_PATIENCE)
    try:
        if create:
            check_is_new_or_store(folder)  # another process may have written something meanwhile
            (folder / CHUNKS).mkdir(exist_ok=True)
            if not is_store(folder):
                write_whole(folder / MANIFEST, HEADER_LINE)
                flush_folder(folder)
        store = Store(folder)
        store.clean()
        yield store
    finally:
        lock.release()


def check_is_new_or_store(folder: Path) -> None:
    """`ValueError` if a folder has something else in it than a store."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, no store")
    if is_store(folder) or not folder.exists():
        return
    others = [path for path in folder.iterdir() if path.name not in (LOCK, CHUNKS) and not ASIDE.fullmatch(path.name)]
    chunks = folder / CHUNKS
    if others or (chunks.is_dir() and any(chunks.iterdir())):
        raise ValueError(f"{folder} is no store of labelled games, and not empty: choose another folder")


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Files of games, where a store stands for all of its chunks."""
    files = []
    for path in paths:
        files += Store(path).files() if path.is_dir() else [path]
    return files


def surplus(store: Store, keep: int) -> list[Chunk]:
    """The chunks to take out so that about this number of positions is left.

    The first chunks by their names are kept: hashes, so it is a random choice, and the same one in every store with
    these chunks. Their number is the one that comes closest. So what is kept of less is part of what is kept of more.
    """
    if not store.chunks:
        return []
    totals = [0, *accumulate(chunk.positions for chunk in store.chunks)]
    kept = min(range(len(totals)), key=lambda number: abs(totals[number] - keep))
    if kept == 0:
        raise ValueError(
            f"nothing would be left: {store.chunks[0].name[:12]}, the first chunk to keep, has {totals[1]:,} positions"
        )
    return store.chunks[kept:]
