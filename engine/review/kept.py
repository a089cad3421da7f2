"""What was judged stays: a file for each game and each way to judge, in the user's cache, for commands and pages alike.

A file has a line of JSON for each position and pass, written as soon as it is judged:

    {"schema": "teresa-kept-review/1", "game": …, "settings": …}    a file that begins otherwise is replaced
    {"position": 0, "worth": {…}}           a number of plies, and the worth there; a later line replaces an earlier one
    {"rival": 12, "move": {…}}              of the move at ply 12; void once position 12 comes again
    {"note": "exercise", "ply": 12, "data": {…}}    whatever else is kept of a move, the last line of it

Each line has a checksum, `check`; damaged ones are ignored. Only whole lines are added, under a lock: several processes
may write.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from engine.config.options import Options
from engine.network.weights_file import SHIPPED
from engine.review.exchange import given_up
from engine.review.judged import Judged, Rival, Worth
from engine.review.plan import USUAL_SEED, Plan
from engine.system.files import digest_of
from engine.system.folder_lock import take_lock
from movegen import Position

KEPT_SCHEMA = "teresa-kept-review/1"
FOLDER_VARIABLE, CACHE_VARIABLE = "TERESA_REVIEW_DIR", "TERESA_CACHE_DIR"
MOST_BYTES = 256 << 20  # in the folder; files that were not used for long go first
LOCK_PATIENCE = 10.0  # seconds
# Memory and threads are left out: they change the numbers less than they would keep from being used again.
OPTIONS_THAT_MATTER = (
    *("formula", "evaluator", "ucb1_c", "puct_c", "puct_growth", "first_play", "policy_temperature"),
    *("root_temperature", "quiescence", "transpositions", "batch", "syzygy_path"),
)


def game_digest(start: Position, codes: Sequence[int]) -> str:
    """Of the start and the moves of a game, whatever its headers say."""
    position, words = start, [start.fen(shredder=True), str(start.chess960)]
    for code in codes:
        words.append(position.uci(code))
        position = position.play(code)
    return _hash(words)


def settings_key(settings: Options, plan: Plan) -> str:
    """Of all by which a game is judged: the plan, the options that matter, the network. `ValueError` without one."""
    network = Path(settings.eval_file) if settings.eval_file else SHIPPED
    try:
        words = [KEPT_SCHEMA, plan.text, digest_of(network), str(settings.seed or USUAL_SEED)]
    except OSError as error:
        raise ValueError(f"{network}: {error.strerror or error}") from None
    return _hash([*words, *(str(getattr(settings, name)) for name in OPTIONS_THAT_MATTER)])


def _hash(words: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:24]


def reviews_folder() -> Path:
    """Where files are kept: TERESA_REVIEW_DIR, or `reviews` in TERESA_CACHE_DIR or in the user's cache folder."""
    if os.environ.get(FOLDER_VARIABLE):
        return Path(os.environ[FOLDER_VARIABLE]).expanduser().resolve()
    if os.environ.get(CACHE_VARIABLE):
        return Path(os.environ[CACHE_VARIABLE]).expanduser().resolve() / "reviews"
    return user_cache_path("teresa", appauthor=False) / "reviews"


class KeptReview:
    """What is kept of a game. Reading never fails; what cannot be written is said in `trouble`, once and for all."""

    def __init__(self, path: Path, head: dict[str, str]) -> None:
        self.path, self.trouble = path, ""
        self.ignored = 0  # lines that are damaged or of others
        self._head, self._is_foreign = head, False
        self._worths: dict[int, Worth] = {}
        self._rivals: dict[int, Rival] = {}
        self._notes: dict[tuple[str, int], dict[str, Any]] = {}

    @classmethod
    def open(cls, game: str, settings: str, *, fresh: bool = False, folder: Path | None = None) -> "KeptReview":
        """What is kept under these keys; `fresh` drops what was judged, but not the notes."""
        head = {"schema": KEPT_SCHEMA, "game": game, "settings": settings}
        kept = cls((folder or reviews_folder()) / f"{game}-{settings}.jsonl", head)
        kept._read()
        with suppress(OSError):
            os.utime(kept.path)  # the time of its last use
        if fresh and (kept._worths or kept._rivals):
            kept._worths, kept._rivals = {}, {}
            kept._write([_note(*key, data) for key, data in kept._notes.items()], replaces=True)
        return kept

    @property
    def remark(self) -> str:
        """What is wrong with the file, for the user."""
        lines = "a line is" if self.ignored == 1 else f"{self.ignored} lines are"
        return self.trouble or (f"{self.path}: {lines} damaged or of others, and ignored" if self.ignored else "")

    def judged(self, start: Position, codes: Sequence[int]) -> list[Judged]:
        """The first moves of the game, as far as both of their positions are known."""
        moves: list[Judged] = []
        position = start
        for ply, code in enumerate(codes):
            before, after = self._worths.get(ply), self._worths.get(ply + 1)
            if before is None or after is None:
                break
            number, uci, san = position.fullmove_number, position.uci(code), position.san(code)
            material = given_up(position, uci)
            moves.append(Judged(ply, number, position.turn, uci, san, before, after, self._rivals.get(ply), material))
            position = position.play(code)
        return moves

    def add(self, move: Judged) -> None:
        """Keep what is new of a move."""
        lines: list[dict[str, Any]] = []
        for index, worth in ((move.ply, move.before), (move.ply + 1, move.after)):
            if self._worths.get(index) != worth:
                lines.append({"position": index, "worth": worth.whole()})
        if move.rival is not None and (lines or self._rivals.get(move.ply) != move.rival):
            lines.append({"rival": move.ply, "move": move.rival.data()})
        for line in lines:
            self._take(line)
        self._write(lines)

    def note(self, kind: str, ply: int, data: dict[str, Any]) -> None:
        """Keep something else of a move."""
        self._notes[kind, ply] = data
        self._write([_note(kind, ply, data)])

    def notes(self, kind: str) -> dict[int, dict[str, Any]]:
        """All notes of a kind, by ply."""
        return {ply: data for (name, ply), data in self._notes.items() if name == kind}

    def _read(self) -> None:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            self.trouble = f"what is judged is not kept: {self.path}: {error.strerror or error}"
            return
        self._is_foreign = bool(lines) and _parsed(lines[0]) != self._head
        for line in lines if self._is_foreign else lines[1:]:
            self.ignored += self._is_foreign or not self._accept(line)

    def _accept(self, line: bytes) -> bool:
        """Take a line over, if it is sound."""
        data = _parsed(line)
        try:
            if data is not None:
                self._take(data)
        except (ValueError, TypeError, KeyError, AttributeError):
            return False
        return data is not None

    def _take(self, line: dict[str, Any]) -> None:
        if "position" in line:
            self._worths[int(line["position"])] = Worth.of(line["worth"])
            self._rivals.pop(int(line["position"]), None)
        elif "rival" in line:
            known = {field.name: line["move"][field.name] for field in fields(Rival)}
            self._rivals[int(line["rival"])] = Rival(**known)
        else:
            self._notes[str(line["note"]), int(line["ply"])] = dict(line["data"])

    def _write(self, lines: list[dict[str, Any]], *, replaces: bool = False) -> None:
        """Add whole lines; after a failure nothing more is written."""
        if self.trouble or not (lines or replaces):
            return
        try:
            lock = take_lock(self.path.parent, "is used by another process", LOCK_PATIENCE)
        except ValueError as error:
            self.trouble = f"what is judged is not kept: {error}"
            return
        try:
            is_new = replaces or self._is_foreign or not self.path.exists() or self.path.stat().st_size == 0
            data = b"".join(map(_line, [self._head, *lines] if is_new else lines))
            if is_new:
                remove_old(self.path.parent)
            elif not _ends_with_line(self.path):
                data = b"\n" + data
            with self.path.open("wb" if is_new else "ab") as file:  # a crash costs a line
                file.write(data)
            self._is_foreign = False
        except OSError as error:
            self.trouble = f"what is judged is not kept: {self.path}: {error.strerror or error}"
        finally:
            lock.release()


def _note(kind: str, ply: int, data: dict[str, Any]) -> dict[str, Any]:
    return {"note": kind, "ply": ply, "data": data}


def _line(data: Mapping[str, Any]) -> bytes:
    text = json.dumps(data)
    return json.dumps({**data, "check": zlib.crc32(text.encode())}).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is damaged."""
    try:
        data = json.loads(line)
        check = data.pop("check")
        return data if check == zlib.crc32(json.dumps(data).encode()) and isinstance(data, dict) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _ends_with_line(path: Path) -> bool:
    """Was the last line written to its end?"""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read(1) in (b"\n", b"")


def remove_old(folder: Path, most: int = MOST_BYTES) -> None:
    """Remove the files that were not used for longest, until the others fit; the lock is held."""
    left = most
    for _, size, path in sorted(_files(folder), reverse=True):
        left -= size
        if left < 0:
            with suppress(OSError):
                path.unlink()


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    for path in folder.glob("*.jsonl"):
        with suppress(OSError):
            found = path.stat()
            yield found.st_mtime, found.st_size, path
