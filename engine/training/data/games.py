"""Any number of viriformat files as one collection of games, without reading them into memory."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.system.files import allow_open_files
from engine.training.data.decode import Positions, decode_games, new_positions
from engine.training.data.policies import (
    WEIGHTS,
    are_policies,
    check_policy_header,
    index_policies,
    policy_sibling,
    read_policies,
)
from engine.training.data.soundness import NO_FAULT, index_games
from engine.training.data.viriformat import EXTRA_AT, HEADER_SIZE, PAIR_SIZE, VALUE_ONLY
from engine.training.data.visits import check_header, index_visits, read_visits, sibling
from movegen.moves import MAX_MOVES

STRETCH = 200  # consecutive games on the same side of the split: a noisy game is several records
STRETCH_OF_TREES = 10_000  # the same of single positions: a game gives about 700 of them, and its trees overlap
SINGLE = 2  # files with fewer positions in a record, on the mean, are of trees
LEAST_STRETCHES = 20  # with few games, stretches are shorter


@dataclass
class Games:
    """Parallel arrays over games."""

    files: list[np.ndarray]  # uint8, the bytes of each file
    visit_files: list[np.ndarray | None]
    file: np.ndarray  # which file a game is in
    start: np.ndarray  # offset of its record
    size: np.ndarray  # number of its positions
    extra: np.ndarray  # the last byte of its header
    visit_start: np.ndarray  # offset of its visits; −1 if there are none
    visit_size: np.ndarray  # number of their entries

    @property
    def positions(self) -> int:
        """The number of positions of all games."""
        return int(self.size.sum())

    def positions_of(self, file: int) -> int:
        """The number of positions of one of the files."""
        return int(self.size[self.file == file].sum())

    def where(self, chosen: np.ndarray) -> "Games":
        """Some of the games, given by indices or as a mask."""
        columns = (self.file, self.start, self.size, self.extra, self.visit_start, self.visit_size)
        return Games(self.files, self.visit_files, *(column[chosen] for column in columns))

    def with_others(self, other: "Games") -> "Games":
        """These games, and others of the same files."""
        mine = self.file, self.start, self.size, self.extra, self.visit_start, self.visit_size
        theirs = other.file, other.start, other.size, other.extra, other.visit_start, other.visit_size
        columns = (np.concatenate(pair) for pair in zip(mine, theirs, strict=True))
        return Games(self.files, self.visit_files, *columns)

    def with_moves(self) -> "Games":
        """The games whose moves are labels."""
        return self.where((self.extra & VALUE_ONLY) == 0)

    def value_only(self) -> "Games":
        """The games in which only the scores are labels."""
        return self.where((self.extra & VALUE_ONLY) != 0)


def open_games(paths: Sequence[Path]) -> Games:
    """Index files; a `ValueError` says what is wrong with one. An incomplete game at the end of a file is left out."""
    allow_open_files(2 * len(paths))
    files, visit_files, columns = [], [], []
    for number, path in enumerate(paths):
        data = open_bytes(path)
        starts, sizes = index_file(path, data)
        other = beside(path)
        visits = None if other is None else open_bytes(other)
        files.append(data)
        visit_files.append(visits)
        file, extra = np.full(starts.size, number, dtype=np.int32), data[starts + EXTRA_AT]
        columns.append((file, starts, sizes, extra, *index_sibling(path, other, data, visits, starts, sizes)))
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    return Games(files, visit_files, *joined)


def beside(path: Path) -> Path | None:
    """The file of visits of a file of games, or else that of its policies; None if there is neither."""
    return next((other for other in (sibling(path), policy_sibling(path)) if other.is_file()), None)


def open_bytes(path: Path) -> np.ndarray:
    """The bytes of a file, mapped into memory."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        empty = path.stat().st_size == 0  # cannot be mapped
        return np.zeros(0, dtype=np.uint8) if empty else np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None


def index_file(path: Path, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """-> the offsets of the games of a file, and the number of positions of each."""
    room = data.size // (HEADER_SIZE + PAIR_SIZE)
    starts, sizes = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    found, fault = map(int, index_games(data, starts, sizes))
    if fault != NO_FAULT:
        what = "damaged" if found else "not a file of labelled games (viriformat)"
        raise ValueError(f"{path}: {what}: byte {fault} is not valid chess data")
    if not sizes[:found].any():
        raise ValueError(f"{path}: there is no game in it")
    return starts[:found].copy(), sizes[:found].copy()


def index_sibling(
    path: Path,
    other: Path | None,
    data: np.ndarray,
    visits: np.ndarray | None,
    starts: np.ndarray,
    sizes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """-> the offset of the visits of each game (−1: there are none), and the number of their entries.

    `other`: the file of visits or policies.
    """
    visit_starts, entries = np.full(sizes.size, -1, dtype=np.int64), np.zeros(sizes.size, dtype=np.int64)
    if visits is None or other is None:
        return visit_starts, entries
    is_policies = other == policy_sibling(path)
    try:
        check_policy_header(visits, data) if is_policies else check_header(visits)
    except ValueError as error:
        raise ValueError(f"{other}: {error}") from None
    index = index_policies if is_policies else index_visits
    whole, fault = map(int, index(visits, data, starts, sizes, visit_starts, entries))
    if fault != NO_FAULT:
        raise ValueError(
            f"{other}: byte {fault}: not the visits of the positions of {path.name}: "
            "one of the two files is damaged, or they do not belong together"
        )
    visit_starts[whole:], entries[whole:] = -1, 0
    return visit_starts, entries


def split(games: Games, share: float, seed: int) -> tuple[Games, Games]:
    """-> games for training, games for validation. Neighbours stay together, and so do all copies of a file.

    However small the share and the number of games are, each side gets games whose moves are labels, if there are two.
    """
    length = stretches_of(games)[games.file]
    first = np.searchsorted(games.file, np.arange(len(games.files)))  # the first game of each file
    original = first_copies(games.files)[games.file]
    place = first[original] + np.arange(games.size.size) - first[games.file]
    stretches = place // length + original * 1_000_003
    names, index = np.unique(stretches, return_inverse=True)
    samples, has_labels = np.random.default_rng(seed).random(names.size), np.zeros(names.size, dtype=bool)
    has_labels[index[((games.extra & VALUE_ONLY) == 0) & (games.size > 0)]] = True
    held_out = samples < share
    if np.count_nonzero(has_labels) > 1:
        held_out[np.argmin(np.where(has_labels, samples, np.inf))] = True
        held_out[np.argmax(np.where(has_labels, samples, -np.inf))] = False
    return games.where(~held_out[index]), games.where(held_out[index])


def stretches_of(games: Games) -> np.ndarray:
    """The length of the stretches of each file, in records."""
    counts = np.bincount(games.file, minlength=len(games.files))
    positions = np.bincount(games.file, weights=games.size, minlength=len(games.files))
    wanted = np.where(positions < SINGLE * counts, STRETCH_OF_TREES, STRETCH)
    return np.minimum(wanted, max(1, games.size.size // LEAST_STRETCHES))


def first_copies(files: Sequence[np.ndarray]) -> np.ndarray:
    """For each file the first one with the same content. Only files of the same size are hashed."""
    sizes = Counter(data.size for data in files)
    known: dict[tuple[int, bytes], int] = {}
    found = []
    for number, data in enumerate(files):
        digest = hashlib.sha256(data.data).digest() if sizes[data.size] > 1 else b""
        found.append(known.setdefault((data.size, digest), number))
    return np.array(found, dtype=np.int64)


@dataclass
class Decoded:
    """The positions of some games, with the visits of a search."""

    positions: Positions
    visit_bounds: np.ndarray  # int64 [n + 1]; where a part is empty, the move of the position is the label
    visit_moves: np.ndarray  # uint16, as in movegen.moves
    visit_counts: np.ndarray  # uint32


def decode(games: Games) -> Decoded:
    """All positions of these games, file by file, in order."""
    positions, first = new_positions(games.positions), 0
    bounds = np.zeros(games.positions + 1, dtype=np.int64)
    entries = int(games.visit_size.sum())
    moves, counts = np.empty(entries, dtype=np.uint16), np.empty(entries, dtype=np.uint32)
    for number, data in enumerate(games.files):
        part = games.where(games.file == number)
        visits = games.visit_files[number]
        if visits is None:
            bounds[first : first + part.positions + 1] = bounds[first]
        else:
            copy_visits(visits, part, data, bounds, first, moves, counts)
        first = int(decode_games(data, part.start, positions, first))
    return Decoded(positions, bounds, moves, counts)


def copy_visits(
    data: np.ndarray,
    games: Games,
    records: np.ndarray,
    bounds: np.ndarray,
    first: int,
    moves: np.ndarray,
    counts: np.ndarray,
) -> None:
    """The visits of the games of one file, or their policies; `records`: the bytes of the games."""
    is_policies, legal = are_policies(data), np.zeros(MAX_MOVES, dtype=np.uint16)
    columns = games.visit_start.tolist(), games.start.tolist(), games.size.tolist()
    for start, game, size in zip(*columns, strict=True):
        if start < 0:
            bounds[first : first + size + 1] = bounds[first]
        elif is_policies:
            read_policies(data, start, records, game, size, bounds, first, moves, counts, WEIGHTS, legal)
        else:
            read_visits(data, start, size, bounds, first, moves, counts)
        first += size
