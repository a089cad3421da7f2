"""What a search thought of each position of a viriformat file, in a sibling file with the ending `.visits`.

Viriformat has room for one move a position. The sibling holds, for the same positions in the same order, how often the
search visited each move. All numbers are little-endian:

    offset  size
         0     8  the letters TERESAVC
         8     4  format version, 1
        12     4  zero
        16        the positions, one after the other, those of a game in order, without a mark between games:
                     2  number of moves n, at least 1
                   6·n  move (2 bytes) and visits (4 bytes), n times

A move is written as in `movegen.moves`, seen by the player who makes it: origin | target << 6 | kind << 12. Self-play
writes the most visited move first, and leaves out those without visits and those that a proof rules out.

The first move is the label of the position, and all are legal there: by that the visits of other positions are known,
and refused. A file that breaks off is used as far as it goes by whole games.
"""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from engine.training.data.decode import HEADER, PAIR, half_word_at, read_board, read_move
from engine.training.data.soundness import NO_FAULT
from movegen.apply import apply
from movegen.bits import ONE, U64
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.legal import list_moves
from movegen.moves import Move, load_move, move_buffer

MAGIC, VERSION = b"TERESAVC", 1
FILE_HEADER = struct.Struct("<8sII")
COUNT, ENTRY = struct.Struct("<H"), struct.Struct("<HI")
FILE_HEADER_SIZE, COUNT_SIZE, ENTRY_SIZE = FILE_HEADER.size, COUNT.size, ENTRY.size

Visits = Sequence[tuple[int, int]]  # (move, visits) of one position


def sibling(path: Path) -> Path:
    """The name of the file that belongs to a viriformat file."""
    return path.with_suffix(".visits")


def pack_file_header() -> bytes:
    """The first bytes of a file."""
    return FILE_HEADER.pack(MAGIC, VERSION, 0)


def pack_visits(positions: Iterable[Visits]) -> bytes:
    """The positions of one or more games."""
    parts = []
    for visits in positions:
        if not visits:
            raise ValueError("a position without visits cannot be written")
        parts.append(COUNT.pack(len(visits)))
        parts += [ENTRY.pack(move, count) for move, count in visits]
    return b"".join(parts)


def unpack_visits(data: bytes) -> list[list[tuple[int, int]]]:
    """All whole positions of a file."""
    check_header(data)
    positions, place = [], FILE_HEADER.size
    while place + COUNT.size <= len(data):
        (count,) = COUNT.unpack_from(data, place)
        end = place + COUNT.size + count * ENTRY.size
        if end > len(data):
            break
        positions.append([ENTRY.unpack_from(data, at) for at in range(place + COUNT.size, end, ENTRY.size)])
        place = end
    return positions


def check_header(data: bytes | np.ndarray) -> None:
    """Refuse what is no file of this kind."""
    start = bytes(data[: FILE_HEADER.size])
    if len(start) < FILE_HEADER.size or not start.startswith(MAGIC):
        raise ValueError("this is no file of visits: its first letters are not TERESAVC")
    version = FILE_HEADER.unpack(start)[1]
    if version != VERSION:
        raise ValueError(f"a file of visits in format {version}; this program reads format {VERSION}")


@inlined
def entries_at(data: np.ndarray, place: int) -> int:
    """How many moves the position at this place has; −1 if it is not there as a whole."""
    if place + COUNT_SIZE > data.size:
        return -1
    count = int(np.int64(half_word_at(data, place)))
    return count if place + COUNT_SIZE + ENTRY_SIZE * count <= data.size else -1


@inlined
def are_visits_of(data: np.ndarray, place: int, count: int, board: Board, label: Move) -> bool:
    """Are the entries at this place those of a position: first its label, then other legal moves?"""
    legal = move_buffer()
    found = list_moves(board, legal)
    if not 0 < count <= found or half_word_at(data, place) != label:
        return False
    for entry in range(count):
        move, index = half_word_at(data, place + ENTRY_SIZE * entry), U64(0)
        while index < found and load_move(legal, index) != move:
            index += ONE
        if index == found:
            return False
    return True


@kernel
def index_visits(
    data: np.ndarray,
    games: np.ndarray,
    game_starts: np.ndarray,
    sizes: np.ndarray,
    starts: np.ndarray,
    entries: np.ndarray,
) -> tuple[int, int]:
    """Where the visits of each game start, and how many entries they have; `games` are the bytes of the games.

    -> how many games have all their visits; the first byte of what belongs to another position, or NO_FAULT.
    """
    place = FILE_HEADER_SIZE
    for game in range(sizes.size):
        start, total = place, 0
        board, black = read_board(games, game_starts[game])
        for ply in range(sizes[game]):
            count = entries_at(data, place)
            if count < 0:
                return game, NO_FAULT
            label = read_move(board, half_word_at(games, game_starts[game] + HEADER + PAIR * ply), black)
            if not are_visits_of(data, place + COUNT_SIZE, count, board, label):
                return game, place
            board, black = apply(board, label), black ^ ONE
            place, total = place + COUNT_SIZE + ENTRY_SIZE * count, total + count
        starts[game], entries[game] = start, total
    return sizes.size, NO_FAULT


@kernel
def read_visits(
    data: np.ndarray,
    place: int,
    positions: int,
    bounds: np.ndarray,
    first: int,
    moves: np.ndarray,
    visits: np.ndarray,
) -> None:
    """Copy the entries of so many positions; `bounds[first]` says where they go, the bounds after it are written."""
    at = bounds[first]
    for position in range(positions):
        count = entries_at(data, place)
        place += COUNT_SIZE
        for _ in range(count):
            moves[at] = half_word_at(data, place)
            visits[at] = half_word_at(data, place + 2) | half_word_at(data, place + 4) << U64(16)
            at, place = at + 1, place + ENTRY_SIZE
        bounds[first + position + 1] = at
