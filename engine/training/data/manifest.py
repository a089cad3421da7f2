"""The manifest of a store: which chunks of labelled games it has. Lines are only ever added to it.

    {"store": 1}                     the header
    {"chunk": NAME, "kind": "viriformat", "files": {SUFFIX: [bytes, SHA-256]}, "games": …, "positions": …,
     "labelled": …, "with_visits": …, "source": {…}}      a chunk was added
    {"removed": [NAME, …], "request": TEXT}    chunks were taken out by this request; their files are deleted next
    {"deleted": [NAME, …]}                     their files are deleted

Each line has a checksum (`perft.runner.checked_lines`). The name of a chunk is a hash of its files; `source` says where
the games came from: the name of a file, or the plan of `train generate`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perft.runner.checked_lines import append_line, line_of, read_lines

MANIFEST, FORMAT = "manifest.jsonl", 1
SUFFIXES = GAMES, VISITS, POLICIES = ".vf", ".visits", ".policy"  # of the files of a chunk
KIND = "viriformat"
COUNTS = ("games", "positions", "labelled", "with_visits")  # fields of a chunk
SHA_256 = re.compile(r"[0-9a-f]{64}")
NEWER = "this version of Teresa cannot read it, a newer one may"
HEADER_LINE = line_of({"store": FORMAT})


@dataclass(frozen=True)
class Chunk:
    """A file of games with its visits or policies, if it has some."""

    files: Mapping[str, tuple[int, str]]  # by suffix: bytes, SHA-256
    games: int
    positions: int
    labelled: int  # positions whose moves are labels
    with_visits: int  # positions that have visits, or policies
    source: Mapping[str, Any]

    @property
    def name(self) -> str:
        """A hash of its files, as `digest_of` makes it."""
        digests = (bytes.fromhex(self.files[suffix][1]) for suffix in SUFFIXES if suffix in self.files)
        return hashlib.sha256(b"".join(digests)).hexdigest()

    @property
    def bytes(self) -> int:
        """The size of its files."""
        return sum(size for size, _ in self.files.values())

    def entry(self) -> dict[str, Any]:
        """Its line."""
        files = {suffix: list(content) for suffix, content in self.files.items()}
        counts = {name: getattr(self, name) for name in COUNTS}
        return {"chunk": self.name, "kind": KIND, "files": files, **counts, "source": dict(self.source)}


@dataclass(frozen=True)
class Removed:
    """A chunk that was taken out, and whose files may still be there."""

    chunk: Chunk | None  # None: its line is damaged
    request: str  # by which it was taken out; empty: unknown


def names_of(value: Any) -> list[str]:
    """The names of chunks in a line; a `ValueError` if they are none. They become names of files to delete."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and SHA_256.fullmatch(name) for name in names):
        raise ValueError(NEWER)
    return names


def chunk_of(entry: Mapping[str, Any]) -> Chunk:
    """The chunk of a line; a `ValueError` if there is anything in it that this version does not know."""
    try:
        files = {suffix: (int(size), str(digest)) for suffix, (size, digest) in entry["files"].items()}
        games, positions, labelled, with_visits = (int(entry[name]) for name in COUNTS)
        chunk = Chunk(files, games, positions, labelled, with_visits, dict(entry["source"]))
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise ValueError(NEWER) from None
    has_known_files = GAMES in files and files.keys() <= set(SUFFIXES)
    if not has_known_files or not all(SHA_256.fullmatch(digest) for _, digest in files.values()):
        raise ValueError(NEWER)
    if entry["kind"] != KIND or entry["chunk"] != chunk.name:
        raise ValueError(NEWER)
    return chunk


@dataclass
class Manifest:
    """What the lines of a manifest say."""

    chunks: dict[str, Chunk] = field(default_factory=dict)  # by name
    removed: dict[str, Removed] = field(default_factory=dict)  # by name; without those whose files are deleted
    twice: set[str] = field(default_factory=set)  # that were added while they were there
    damaged_lines: int = 0

    def read(self, entry: Mapping[str, Any] | None) -> None:
        """Take a line into account."""
        if entry is None:
            self.damaged_lines += 1
        elif "removed" in entry:
            self._remove(names_of(entry["removed"]), str(entry.get("request", "")))
        elif "deleted" in entry:
            for name in names_of(entry["deleted"]):
                self.removed.pop(name, None)
        else:
            self._add(chunk_of(entry))

    def _add(self, chunk: Chunk) -> None:
        known = self.chunks.get(chunk.name)
        if known is not None and known.source == chunk.source:  # else the line says more of where it came from
            self.twice.add(chunk.name)
        self.chunks[chunk.name] = chunk
        self.removed.pop(chunk.name, None)

    def _remove(self, names: Iterable[str], request: str) -> None:
        for name in names:
            self.removed[name] = Removed(self.chunks.pop(name, None), request)
            self.twice.discard(name)


def is_store(folder: Path) -> bool:
    """Is there a manifest in this folder?"""
    return (folder / MANIFEST).is_file()


def store_around(path: Path) -> Path | None:
    """The store that a file is in, or would be in; None if there is none."""
    return next((folder for folder in path.resolve().parents[:3] if is_store(folder)), None)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a store; a `ValueError` says why there is none."""
    path = folder / MANIFEST
    if not folder.exists():
        raise ValueError(f"there is no store {folder}")
    if not is_store(folder):
        raise ValueError(f"{folder} is no store of labelled games: there is no {MANIFEST} in it")
    header, *lines = read_lines(path) or [None]
    if header is None or "store" not in header:
        raise ValueError(
            f"{path}: the header is damaged, or it is no manifest; the chunks of a store can be added to a new one"
        )
    if header["store"] != FORMAT:
        raise ValueError(f"{path}: format {header['store']!r}, and not {FORMAT}: {NEWER}")
    manifest = Manifest()
    for number, line in enumerate(lines, 2):
        try:
            manifest.read(line)
        except ValueError as error:
            raise ValueError(f"{path}: line {number}: {error}") from None
    return manifest


def record(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line. After an `OSError` the lines before are safe; the new one may be there, if only `fsync` failed."""
    path = folder / MANIFEST
    try:
        append_line(path, entry)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror or error}; what is recorded is safe", str(path)) from None
