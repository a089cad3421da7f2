"""The visits of a search for each position of a viriformat file, in a sibling file with the suffix `.visits`.

Viriformat has room for one move per position. The sibling holds, for the same positions in the same order, the visits
of each move. All numbers are little-endian:

    offset  size
         0     8  the letters TERESAVC
         8     4  format version, 1
        12     4  zero
        16        the positions one after the other, those of a game in order, without separators:
                     2  number of moves n, at least 1
                   6·n  move (2 bytes) and visits (4 bytes), n times

A move is written as in `movegen.moves`, seen by the player who makes it: origin | target << 6 | kind << 12. Self-play
writes the most visited move first, and leaves out those without visits and those that a proof rules out.

The first move is the label of the position, and all are legal there: this is how visits of other positions are
detected and refused. Of an incomplete file, the complete games are used.
"""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from engine.training.data.decode import decode_board, decode_move, half_word_at
from engine.training.data.soundness import NO_FAULT
from engine.training.data.viriformat import HEADER_SIZE, PAIR_SIZE, Visits
from movegen.apply import apply
from movegen.bits import ONE, U64
from movegen.board import Board
from movegen.compiler.jit import inlined, kernel
from movegen.generate import list_moves
from movegen.moves import Move, load_move, move_buffer

VISITS_MAGIC, VISITS_VERSION = b"TERESAVC", 1
FILE_HEADER = struct.Struct("<8sII")
COUNT_FIELD, ENTRY_FIELDS = struct.Struct("<H"), struct.Struct("<HI")
FILE_HEADER_SIZE, COUNT_SIZE, ENTRY_SIZE = FILE_HEADER.size, COUNT_FIELD.size, ENTRY_FIELDS.size


def sibling(path: Path) -> Path:
    """The name of the file that belongs to a viriformat file."""
    return path.with_suffix(".visits")


def pack_file_header() -> bytes:
    """The first bytes of a file."""
    return FILE_HEADER.pack(VISITS_MAGIC, VISITS_VERSION, 0)


def pack_visits(positions: Iterable[Visits]) -> bytes:
    """The positions of one or more games."""
    parts = []
    for visits in positions:
        if not visits:
            raise ValueError("a position without visits cannot be written")
        parts.append(COUNT_FIELD.pack(len(visits)))
        parts += [ENTRY_FIELDS.pack(move, count) for move, count in visits]
    return b"".join(parts)


def check_header(data: bytes | np.ndarray) -> None:
    """Raise a `ValueError` if the data are not of this format."""
    start = bytes(data[: FILE_HEADER.size])
    if len(start) < FILE_HEADER.size or not start.startswith(VISITS_MAGIC):
        raise ValueError("this is not a file of visits: it does not start with TERESAVC")
    version = FILE_HEADER.unpack(start)[1]
    if version != VISITS_VERSION:
        raise ValueError(f"a file of visits in format {version}; this program reads format {VISITS_VERSION}")


@inlined
def entries_at(data: np.ndarray, offset: int) -> int:
    """The number of moves of the position at this offset; −1 if the data end before."""
    if offset + COUNT_SIZE > data.size:
        return -1
    count = int(np.int64(half_word_at(data, offset)))
    return count if offset + COUNT_SIZE + ENTRY_SIZE * count <= data.size else -1


@inlined
def are_visits_of(data: np.ndarray, offset: int, count: int, board: Board, label: Move) -> bool:
    """Are the entries at this offset those of a position: first its label, then other legal moves?"""
    legal = move_buffer()
    found = list_moves(board, legal)
    if not 0 < count <= found or half_word_at(data, offset) != label:
        return False
    for entry in range(count):
        move, index = half_word_at(data, offset + ENTRY_SIZE * entry), U64(0)
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
    """Find the offset of the visits of each game, and their number of entries; `games` are the bytes of the games.

    -> the number of games with all their visits; the offset of the first visits of another position, or NO_FAULT.
    """
    offset = FILE_HEADER_SIZE
    for game in range(sizes.size):
        start, total = offset, 0
        board, black = decode_board(games, game_starts[game])
        for ply in range(sizes[game]):
            count = entries_at(data, offset)
            if count < 0:
                return game, NO_FAULT
            label = decode_move(board, half_word_at(games, game_starts[game] + HEADER_SIZE + PAIR_SIZE * ply), black)
            if not are_visits_of(data, offset + COUNT_SIZE, count, board, label):
                return game, offset
            board, black = apply(board, label), black ^ ONE
            offset, total = offset + COUNT_SIZE + ENTRY_SIZE * count, total + count
        starts[game], entries[game] = start, total
    return sizes.size, NO_FAULT


@kernel
def read_visits(
    data: np.ndarray,
    offset: int,
    positions: int,
    bounds: np.ndarray,
    first: int,
    moves: np.ndarray,
    visits: np.ndarray,
) -> None:
    """Copy the entries of `positions` positions to the index `bounds[first]`, and write the bounds after it."""
    index = bounds[first]
    for position in range(positions):
        count = entries_at(data, offset)
        offset += COUNT_SIZE
        for _ in range(count):
            moves[index] = half_word_at(data, offset)
            visits[index] = half_word_at(data, offset + 2) | half_word_at(data, offset + 4) << U64(16)
            index, offset = index + 1, offset + ENTRY_SIZE
        bounds[first + position + 1] = index
