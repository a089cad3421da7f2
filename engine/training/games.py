"""Any number of viriformat files as one collection of games, without reading them into memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.training.decode import EXTRA_AT, HEADER, PAIR, Positions, decode_games, index_games, new_positions
from engine.training.visits import check_header, index_visits, read_visits, sibling

NOISY, VALUE_ONLY = 4, 8  # bits of `extra`
STRETCH = 200  # games in a row that go to one side of the split: noisy games are several records


@dataclass
class Games:
    """Parallel arrays over games."""

    files: list[np.ndarray]  # uint8, the bytes of each file
    visit_files: list[np.ndarray | None]
    file: np.ndarray  # which file a game is in
    start: np.ndarray  # where its record starts
    size: np.ndarray  # how many positions it has
    extra: np.ndarray  # the last byte of its header
    visit_start: np.ndarray  # where its visits start; −1 if there are none
    visit_size: np.ndarray  # how many entries they have

    @property
    def positions(self) -> int:
        """How many positions there are in all."""
        return int(self.size.sum())

    def where(self, chosen: np.ndarray) -> "Games":
        """Some of the games, given by numbers or as a mask."""
        columns = (self.file, self.start, self.size, self.extra, self.visit_start, self.visit_size)
        return Games(self.files, self.visit_files, *(column[chosen] for column in columns))

    def with_moves(self) -> "Games":
        """The games whose moves are labels."""
        return self.where((self.extra & VALUE_ONLY) == 0)

    def value_only(self) -> "Games":
        """The games whose scores alone are labels."""
        return self.where((self.extra & VALUE_ONLY) != 0)


def open_games(paths: Sequence[Path]) -> Games:
    """Index files. What breaks off at the end of a file is left out."""
    files, visit_files, columns = [], [], []
    for number, path in enumerate(paths):
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        data = np.memmap(path, dtype=np.uint8, mode="r") if path.stat().st_size else np.zeros(0, dtype=np.uint8)
        files.append(np.asarray(data))
        visits = open_visits(path)
        visit_files.append(visits)
        columns.append(index_file(number, files[-1], visits))
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    return Games(files, visit_files, *joined)


def open_visits(path: Path) -> np.ndarray | None:
    """The bytes of the sibling file, if there is one."""
    if not sibling(path).is_file():
        return None
    data = np.asarray(np.memmap(sibling(path), dtype=np.uint8, mode="r"))
    check_header(data)
    return data


def index_file(number: int, data: np.ndarray, visits: np.ndarray | None) -> tuple[np.ndarray, ...]:
    """The columns of `Games` for one file."""
    room = data.size // (HEADER + PAIR)
    starts, sizes = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    found = int(index_games(data, starts, sizes))
    starts, sizes = starts[:found].copy(), sizes[:found].copy()
    visit_start, visit_size = np.full(found, -1, dtype=np.int64), np.zeros(found, dtype=np.int64)
    if visits is not None:
        whole = int(index_visits(visits, sizes, visit_start, visit_size))
        visit_start[whole:], visit_size[whole:] = -1, 0
    return np.full(found, number, dtype=np.int32), starts, sizes, data[starts + EXTRA_AT], visit_start, visit_size


def split(games: Games, share: float, seed: int) -> tuple[Games, Games]:
    """-> games to train with, games to validate with. Neighbours stay together."""
    stretches = np.arange(games.size.size) // STRETCH + games.file.astype(np.int64) * 1_000_003
    names, place = np.unique(stretches, return_inverse=True)
    held_out = (np.random.default_rng(seed).random(names.size) < share)[place]
    return games.where(~held_out), games.where(held_out)


@dataclass
class Decoded:
    """The positions of some games, with what a search visited there."""

    positions: Positions
    visit_bounds: np.ndarray  # int64 [n + 1]; an empty part: the move of the position is the label
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
            copy_visits(visits, part, bounds, first, moves, counts)
        first = int(decode_games(data, part.start, positions, first))
    return Decoded(positions, bounds, moves, counts)


def copy_visits(
    data: np.ndarray, games: Games, bounds: np.ndarray, first: int, moves: np.ndarray, counts: np.ndarray
) -> None:
    """The visits of the games of one file."""
    for start, size in zip(games.visit_start.tolist(), games.size.tolist(), strict=True):
        if start < 0:
            bounds[first : first + size + 1] = bounds[first]
        else:
            read_visits(data, start, size, bounds, first, moves, counts)
        first += size
