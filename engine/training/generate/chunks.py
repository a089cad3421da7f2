"""The plan of a run of `generate`, and its chunks on disk, until all are there and are joined.

A folder holds the plan (`order.json`) and for each chunk its games (`000000.vf`), its visits if there are any
(`000000.visits`), and a note (`000000.json`) that is written last: a hash of the plan, size and CRC-32 of the files. A
chunk that differs from its note is made again.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.system.files import read_json, write_whole
from engine.system.folder_lock import LOCK, take_lock
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.teachers import SelfPlay, UciTeacher

GAMES_SUFFIX, VISITS_SUFFIX, NOTE_SUFFIX = ".vf", ".visits", ".json"
PLAN_FILE, PLAN_KEY = "order.json", "order"  # as older versions call it, whose runs can be continued
JOINED = "joined.vf"  # on the way to a store
# The files of a run; `write_whole` has them under other names first, which begin with a dot.
OWN_NAME = re.compile(r"(order\.json|lock|joined\.(vf|visits)|\d{6,}\.(vf|visits|json))|\.(order|joined|\d{6,})\..*")

NET_FILES = {"net", "weights"}  # fields that are paths
TREES = "trees"  # what the keys of `Plan.trees` begin with

# The options of the command line behind the fields of a plan.
OPTION_OF_FIELD = {
    "command": "--teacher",
    "limit": "--nodes or --depth",
    "visits": "--visits",
    "weights": "--weights",
    "checksum": "content of --weights",
    "net": "--teacher-net",
    "net_checksum": "content of --teacher-net",
    "least_visits": "--least-visits",
    "hash_megabytes": "hash of --teacher in MB",
    "value_only": "--value-only",
    "games": "--games",
    "seed": "--seed",
    f"{TREES}_visits": "--of-trees",
    f"{TREES}_weights": "--weights",
    f"{TREES}_checksum": "content of --weights",
    "at_once": "--at-once",
}


@dataclass(frozen=True)
class Plan:
    """Which games to make."""

    teacher: UciTeacher | SelfPlay | NetTeacher
    value_only: bool
    games: int
    seed: int
    at_once: int  # games that are labelled together
    trees: SelfPlay | None = None  # whose trees the positions are drawn from; None: positions of games
    games_per_chunk: int = 128

    @property
    def has_visits(self) -> bool:
        """Is a file of visits written too?"""
        return not isinstance(self.teacher, UciTeacher)

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.games // self.games_per_chunk)

    def games_of(self, chunk: int) -> range:
        """The numbers of the games of a chunk."""
        first = chunk * self.games_per_chunk
        return range(first, min(first + self.games_per_chunk, self.games))


class Chunks:
    """The chunks of one plan in their folder."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self._has_visits = plan.has_visits
        fields = asdict(plan)
        trees = fields.pop("trees")
        fields |= {} if trees is None else {f"{TREES}_{name}": value for name, value in trees.items()}
        self._plan: dict[str, Any] = {**fields.pop("teacher"), **fields}
        self.identity = hashlib.sha256(json.dumps(self._plan, sort_keys=True).encode()).hexdigest()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out of the folder. At the end it is removed, unless there are chunks in it."""
        self._check_names()
        lock = take_lock(self.folder, "is in use: another process makes these games, wait for its end")
        try:
            yield
        finally:
            self.remove_if_empty()
            with suppress(OSError):  # Windows deletes it at the release
                (self.folder / LOCK).unlink()
            lock.release()
            self._remove_folder()

    def _check_names(self) -> None:
        """Raise a `ValueError` if the folder has something else in it: it would be deleted in the end."""
        paths = self.folder.iterdir() if self.folder.is_dir() else ()
        if strange := sorted(path.name for path in paths if not _is_ours(path)):
            raise ValueError(f"{self.folder} has files that are not of `train generate` ({strange[0]}): move them away")

    def open(self) -> None:
        """Create the folder, or continue with an existing one; a `ValueError` if that has chunks of another plan."""
        note = self.folder / PLAN_FILE
        other = read_json(note)
        if other is not None and other != self._plan and self._notes():
            raise ValueError(
                f"{self.folder} has games of a run with other options ({differences(other, self._plan)}): "
                "use those to continue it, or delete the folder to start again"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(note, json.dumps(self._plan, sort_keys=True))

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as plain data."""
        return self._plan

    def are_there(self) -> bool:
        """Is the folder that of this plan?"""
        return read_json(self.folder / PLAN_FILE) == self._plan

    def has(self, chunk: int) -> bool:
        """Is a chunk of this plan there and complete?"""
        note = read_json(self._path(chunk, NOTE_SUFFIX))
        return note is not None and note == self._note(self._contents(chunk))

    def write(self, chunk: int, games: bytes, visits: bytes | None) -> None:
        """Write a chunk."""
        contents = {GAMES_SUFFIX: games} | ({} if visits is None else {VISITS_SUFFIX: visits})
        for ending, data in contents.items():
            write_whole(self._path(chunk, ending), data)
        write_whole(self._path(chunk, NOTE_SUFFIX), json.dumps(self._note(contents)))

    def forget(self, chunk: int) -> None:
        """Let a chunk count as missing."""
        self._path(chunk, NOTE_SUFFIX).unlink()

    def read_games(self, chunk: int) -> bytes:
        """The games of a chunk; a `ValueError` if they are damaged."""
        return self._read(chunk, GAMES_SUFFIX)

    def read_visits(self, chunk: int) -> bytes:
        """The visits of a chunk, likewise."""
        return self._read(chunk, VISITS_SUFFIX)

    def remove_if_empty(self) -> None:
        """Delete what there is without a complete chunk: it would only prevent runs with other options."""
        if not self._notes():
            self.delete()

    def delete(self) -> None:
        """Delete all files of a run, and the folder unless it is held."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if _is_ours(path) and path.name != LOCK:
                path.unlink(missing_ok=True)
        self._remove_folder()

    def _remove_folder(self) -> None:
        with suppress(OSError):  # there is something in it
            self.folder.rmdir()

    def _notes(self) -> list[Path]:
        return list(self.folder.glob(f"[0-9]*{NOTE_SUFFIX}"))

    def _path(self, chunk: int, ending: str) -> Path:
        return self.folder / f"{chunk:06}{ending}"

    def _contents(self, chunk: int) -> dict[str, bytes]:
        endings = (GAMES_SUFFIX, VISITS_SUFFIX) if self._has_visits else (GAMES_SUFFIX,)
        paths = {ending: self._path(chunk, ending) for ending in endings}
        return {ending: path.read_bytes() for ending, path in paths.items() if path.is_file()}

    def _note(self, contents: dict[str, bytes]) -> dict[str, Any]:
        sums = {ending: [len(data), zlib.crc32(data)] for ending, data in contents.items()}
        return {PLAN_KEY: self.identity, "files": sums}

    def _read(self, chunk: int, ending: str) -> bytes:
        if not self.has(chunk):
            raise ValueError(f"{self._path(chunk, ending)} is damaged: the same command makes it again")
        return self._path(chunk, ending).read_bytes()


def _is_ours(path: Path) -> bool:
    return OWN_NAME.fullmatch(path.name) is not None and not path.is_dir()


def differences(there: dict[str, Any], here: dict[str, Any]) -> str:
    """Which options differ, and how."""
    if there.keys() != here.keys():
        if f"{TREES}_visits" in there:
            return "of --of-trees"
        kinds = {"command": "of a UCI engine", "net": "of --teacher-net", "checksum": "of --self-play"}
        return next((kind for field, kind in kinds.items() if field in there), "unknown")
    different = (name for name in here if there[name] != here[name])
    return ", ".join(f"{OPTION_OF_FIELD.get(name, name)}: {there[name]} there, {here[name]} here" for name in different)
