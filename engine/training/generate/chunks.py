"""The parts of a run of `generate` on disk, until all are there and are joined.

A folder holds the order (`order.json`) and for each chunk its games (`000000.vf`), its visits if there are any
(`000000.visits`), and a note (`000000.json`) that comes last: of which order it is, and size and CRC-32 of its files. A
chunk that is not as its note says is made again.
"""

import hashlib
import json
import shutil
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.system.output_file import write_whole
from engine.training.data.files import read_json

if TYPE_CHECKING:
    from engine.training.generate.generate import Plan

GAMES, VISITS, NOTE = ".vf", ".visits", ".json"

# The options of the command line behind the fields of an order.
OPTIONS = {
    "command": "--teacher",
    "limit": "--nodes or --depth",
    "visits": "--visits",
    "weights": "--weights",
    "checksum": "content of --weights",
    "value_only": "--value-only",
    "games": "--games",
    "seed": "--seed",
    "at_once": "--at-once",
}


class Chunks:
    """The chunks of one order in their folder."""

    def __init__(self, folder: Path, order: "Plan") -> None:
        self.folder = folder
        self._has_visits = order.has_visits
        fields = asdict(order)
        self._order: dict[str, Any] = {**fields.pop("teacher"), **fields}
        self._identity = hashlib.sha256(json.dumps(self._order, sort_keys=True).encode()).hexdigest()

    def open(self) -> None:
        """Make the folder, or take up what is there; what belongs to another order is refused."""
        note = self.folder / "order.json"
        other = read_json(note)
        if other is not None and other != self._order and self._notes():
            raise ValueError(
                f"{self.folder} has games of a run with other options ({differences(other, self._order)}): "
                "give those to go on with it, or delete the folder to begin again"
            )
        self.folder.mkdir(exist_ok=True)
        write_whole(note, json.dumps(self._order, sort_keys=True))

    def has(self, chunk: int) -> bool:
        """Is a chunk of this order there, and whole?"""
        note = read_json(self._path(chunk, NOTE))
        return note is not None and note == self._note(self._contents(chunk))

    def write(self, chunk: int, games: bytes, visits: bytes | None) -> None:
        """Keep a chunk."""
        contents = {GAMES: games} | ({} if visits is None else {VISITS: visits})
        for ending, data in contents.items():
            write_whole(self._path(chunk, ending), data)
        write_whole(self._path(chunk, NOTE), json.dumps(self._note(contents)))

    def read_games(self, chunk: int) -> bytes:
        """The games of a chunk; a `ValueError` if they are not what was written."""
        return self._read(chunk, GAMES)

    def read_visits(self, chunk: int) -> bytes:
        """The visits of a chunk, likewise."""
        return self._read(chunk, VISITS)

    def remove_if_empty(self) -> None:
        """Remove a folder without a whole chunk: it would only be in the way of other options."""
        if not self._notes():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _notes(self) -> list[Path]:
        return list(self.folder.glob(f"[0-9]*{NOTE}"))

    def _path(self, chunk: int, ending: str) -> Path:
        return self.folder / f"{chunk:06}{ending}"

    def _contents(self, chunk: int) -> dict[str, bytes]:
        endings = (GAMES, VISITS) if self._has_visits else (GAMES,)
        paths = {ending: self._path(chunk, ending) for ending in endings}
        return {ending: path.read_bytes() for ending, path in paths.items() if path.is_file()}

    def _note(self, contents: dict[str, bytes]) -> dict[str, Any]:
        sums = {ending: [len(data), zlib.crc32(data)] for ending, data in contents.items()}
        return {"order": self._identity, "files": sums}

    def _read(self, chunk: int, ending: str) -> bytes:
        if not self.has(chunk):
            raise ValueError(f"{self._path(chunk, ending)} is damaged: the same command makes it again")
        return self._path(chunk, ending).read_bytes()


def differences(there: dict[str, Any], here: dict[str, Any]) -> str:
    """Which options differ, and how."""
    if there.keys() != here.keys():
        return "of a UCI engine" if "command" in there else "of --self-play" if "checksum" in there else "unknown"
    different = (name for name in here if there[name] != here[name])
    return ", ".join(f"{OPTIONS.get(name, name)}: {there[name]} there, {here[name]} here" for name in different)
