"""Visits in few bytes: shares of moves in four bits each, in a sibling of a viriformat file with the suffix `.policy`.

It stands for a `.visits` file and is less than a tenth of its size. All numbers are little-endian:

    offset  size
         0     8  the letters TERESASP
         8     4  format version, 1
        12     4  zero
        16    32  SHA-256 of the file of games
        48        the games one after the other, each from the next whole byte on: its positions without separators

A position is a sequence of half bytes, the low one of a byte first. They go through its legal moves in the order of
their 16-bit numbers (`movegen.moves`, seen by the player who moves), which needs the rules of chess and no network:

    0 … 10   the next move has a share of about 2^(−code/1.5)
    11 … 14  the next 1, 2, 4 or 8 moves have less than the least of these, which counts as nothing
    15       the end; the moves that are left have nothing

Shares are rounded to the nearest code on the scale of logarithms (to the smaller of two), so they are right to a factor
of 1.26. The best move has a code however small its share is.
"""

import hashlib
import struct
from pathlib import Path

import numpy as np

from engine.training.data.decode import decode_board, decode_move, half_word_at
from engine.training.data.soundness import NO_FAULT
from engine.training.data.viriformat import HEADER_SIZE, PAIR_SIZE
from movegen.apply import apply
from movegen.bits import ONE, U64
from movegen.compiler.jit import inlined, kernel
from movegen.generate import count_moves, fill_moves

POLICY_MAGIC, POLICY_VERSION = b"TERESASP", 1
POLICY_HEADER = struct.Struct("<8sII32s")
POLICY_HEADER_SIZE = POLICY_HEADER.size
STEPS_PER_HALVING = 1.5
LAST_CODE, FIRST_SKIP, END_OF_POSITION = 10, 11, 15
NOT_OF_THE_POSITION, CUT_OFF = -1, -2
# What a code counts in a sum of shares.
WEIGHTS = np.array([round(2**20 * 2 ** (-code / STEPS_PER_HALVING)) for code in range(LAST_CODE + 1)], dtype=np.uint32)


def policy_sibling(path: Path) -> Path:
    """The name of the file that belongs to a viriformat file."""
    return path.with_suffix(".policy")


def are_policies(data: np.ndarray) -> bool:
    """Is this such a file, and not one of visits?"""
    return bytes(data[: len(POLICY_MAGIC)]) == POLICY_MAGIC


def pack_policy_header(games: np.ndarray) -> bytes:
    """The first bytes of a file, given those of the games."""
    return POLICY_HEADER.pack(POLICY_MAGIC, POLICY_VERSION, 0, hashlib.sha256(games.data).digest())


def check_policy_header(data: np.ndarray, games: np.ndarray) -> None:
    """Raise a `ValueError` if the data are not of this format, or not of these games."""
    start = bytes(data[:POLICY_HEADER_SIZE])
    if len(start) < POLICY_HEADER_SIZE or not start.startswith(POLICY_MAGIC):
        raise ValueError("this is not a file of policies: it does not start with TERESASP")
    _, version, _, digest = POLICY_HEADER.unpack(start)
    if version != POLICY_VERSION:
        raise ValueError(f"a file of policies in format {version}; this program reads format {POLICY_VERSION}")
    if digest != hashlib.sha256(games.data).digest():
        raise ValueError("made for other games, or one of the two files was changed")


# Reading


@inlined
def half_byte_at(data: np.ndarray, place: int) -> int:
    """Four bits; the place counts half bytes."""
    return int(np.int64(U64(data[place >> 1]) >> U64(4 * (place & 1)) & U64(15)))


@inlined
def entries_at(data: np.ndarray, place: int, legal: int) -> tuple[int, int]:
    """-> the shares of the legal moves of a position, or what is wrong; the offset after it."""
    entries, index = 0, 0
    while place < 2 * data.size:
        code = half_byte_at(data, place)
        place += 1
        if code == END_OF_POSITION:
            return (entries if entries > 0 else NOT_OF_THE_POSITION), place
        if code <= LAST_CODE:
            index, entries = index + 1, entries + 1
        else:
            index += 1 << (code - FIRST_SKIP)
        if index > legal:
            return NOT_OF_THE_POSITION, place
    return CUT_OFF, place


@kernel
def index_policies(
    data: np.ndarray,
    games: np.ndarray,
    game_starts: np.ndarray,
    sizes: np.ndarray,
    starts: np.ndarray,
    entries: np.ndarray,
) -> tuple[int, int]:
    """Find the offset of the policies of each game, and their number of entries; `games` are the bytes of the games.

    -> the number of games with all their policies; the offset of the first of another position, or NO_FAULT.
    """
    place = 2 * POLICY_HEADER_SIZE
    for game in range(sizes.size):
        place += place & 1
        start, total = place >> 1, 0
        board, black = decode_board(games, game_starts[game])
        for ply in range(sizes[game]):
            found, place = entries_at(data, place, int(np.int64(count_moves(board))))
            if found == CUT_OFF:
                return game, NO_FAULT
            if found == NOT_OF_THE_POSITION:
                return game, (place - 1) >> 1
            total += found
            label = half_word_at(games, game_starts[game] + HEADER_SIZE + PAIR_SIZE * ply)
            board, black = apply(board, decode_move(board, label, black)), black ^ ONE
        starts[game], entries[game] = start, total
    return sizes.size, NO_FAULT


@kernel
def end_of_policies(data: np.ndarray, start: int, positions: int) -> int:
    """The offset of the first byte after the policies of a game."""
    place = 2 * start
    while positions > 0:
        positions -= 1 if half_byte_at(data, place) == END_OF_POSITION else 0
        place += 1
    return (place + 1) >> 1


@inlined
def sort_moves(moves: np.ndarray, count: int) -> None:
    """The smallest number first."""
    for index in range(1, count):
        move, place = moves[index], index
        while place > 0 and moves[place - 1] > move:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move


@kernel
def read_policies(
    data: np.ndarray,
    offset: int,
    games: np.ndarray,
    game_start: int,
    positions: int,
    bounds: np.ndarray,
    first: int,
    moves: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    legal: np.ndarray,
) -> None:
    """Copy the entries of a game to the index `bounds[first]`, and write the bounds after it.

    `legal`: room for the moves of a position.
    """
    index, place = bounds[first], 2 * offset
    board, black = decode_board(games, game_start)
    for position in range(positions):
        sort_moves(legal, int(np.int64(fill_moves(board, legal))))
        move, code = 0, half_byte_at(data, place)
        while code != END_OF_POSITION:
            if code <= LAST_CODE:
                moves[index], counts[index] = legal[move], weights[code]
                index, move = index + 1, move + 1
            else:
                move += 1 << (code - FIRST_SKIP)
            place += 1
            code = half_byte_at(data, place)
        place += 1
        bounds[first + position + 1] = index
        label = half_word_at(games, game_start + HEADER_SIZE + PAIR_SIZE * position)
        board, black = apply(board, decode_move(board, label, black)), black ^ ONE
