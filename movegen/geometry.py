"""Ranks, files, directions and lines. "North" is away from the player to move, who always plays upwards.

Small tables are made at import: where pieces attack on an empty board, lines between squares, castling paths. `walk`
is the slow and obvious definition that everything else is compared with, also in the tests.
"""

from collections.abc import Iterable

import numpy as np

from movegen.bits import U64, Bitboard
from movegen.compiler.jit import inlined, lookup

RANK_1, RANK_3, RANK_6, RANK_8 = U64(0xFF), U64(0xFF << 16), U64(0xFF << 40), U64(0xFF << 56)
FILE_A, FILE_H = U64(0x0101_0101_0101_0101), U64(0x8080_8080_8080_8080)
NOT_FILE_A, NOT_FILE_H = ~FILE_A, ~FILE_H
NOT_FILES_AB, NOT_FILES_GH = ~(FILE_A | FILE_A << U64(1)), ~(FILE_H | FILE_H >> U64(1))
LIGHT_SQUARES, DARK_SQUARES = U64(0x55AA_55AA_55AA_55AA), U64(0xAA55_AA55_AA55_AA55)

# What a one-step move adds to the number of a square.
EAST, NORTH_WEST, NORTH, NORTH_EAST, TWO_NORTH = U64(1), U64(7), U64(8), U64(9), U64(16)
UPSIDE_DOWN = U64(56)  # square ^ UPSIDE_DOWN is the same square seen by the other player
FILE_MASK = U64(7)  # square & FILE_MASK is the file, 0 = a
Step = tuple[int, int]  # (files to the right, ranks up)

DIAGONALS: tuple[Step, ...] = ((1, 1), (1, -1), (-1, -1), (-1, 1))
STRAIGHTS: tuple[Step, ...] = ((1, 0), (0, -1), (-1, 0), (0, 1))
KNIGHT_JUMPS: tuple[Step, ...] = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

# Castling ends on the same squares wherever king and rook started (Chess960 rules).
KING_TARGETS = {"short": 6, "long": 2}
ROOK_TARGETS = {"short": 5, "long": 3}


@inlined
def north(squares: Bitboard) -> Bitboard:
    """All squares one rank up."""
    return squares << NORTH


@inlined
def south(squares: Bitboard) -> Bitboard:
    """All squares one rank down."""
    return squares >> NORTH


@inlined
def beside(squares: Bitboard) -> Bitboard:
    """The neighbours to the left and right."""
    return (squares << EAST) & NOT_FILE_A | (squares >> EAST) & NOT_FILE_H


@inlined
def north_west(squares: Bitboard) -> Bitboard:
    """Where pawns of the player to move capture to the left."""
    return (squares << NORTH_WEST) & NOT_FILE_H


@inlined
def north_east(squares: Bitboard) -> Bitboard:
    """Where pawns of the player to move capture to the right."""
    return (squares << NORTH_EAST) & NOT_FILE_A


@inlined
def pawn_attacks_north(squares: Bitboard) -> Bitboard:
    """What pawns of the player to move attack; also, the squares from which enemy pawns attack these."""
    return north_west(squares) | north_east(squares)


@inlined
def pawn_attacks_south(squares: Bitboard) -> Bitboard:
    """What enemy pawns attack; also, the squares from which own pawns attack these."""
    return (squares >> NORTH_WEST) & NOT_FILE_A | (squares >> NORTH_EAST) & NOT_FILE_H


@inlined
def knight_attacks_of_all(knights: Bitboard) -> Bitboard:
    """What a whole set of knights attacks."""
    one_aside = beside(knights)
    two_aside = (knights << U64(2)) & NOT_FILES_AB | (knights >> U64(2)) & NOT_FILES_GH
    return one_aside << U64(16) | one_aside >> U64(16) | two_aside << U64(8) | two_aside >> U64(8)


# Tables


def walk(square: int, step: Step, occupied: int = 0, limit: int = 7) -> list[int]:
    """The squares a piece passes from `square` in one direction, up to and including the first occupied one."""
    file, rank = square % 8, square // 8
    path: list[int] = []
    for _ in range(limit):
        file, rank = file + step[0], rank + step[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        path.append(rank * 8 + file)
        if occupied >> path[-1] & 1:
            break
    return path


def squares_to_bits(squares: Iterable[int]) -> int:
    """Squares as a 64-bit set."""
    return sum(1 << square for square in set(squares))


def attacks(square: int, steps: tuple[Step, ...], occupied: int = 0, limit: int = 7) -> int:
    """The squares a piece on `square` attacks by walking in each of these directions."""
    return squares_to_bits([target for step in steps for target in walk(square, step, occupied, limit)])


def between_table() -> list[int]:
    """[64 · a + b]: the squares strictly between two squares of one line, else none."""
    table = [0] * 4096
    for a in range(64):
        for step in DIAGONALS + STRAIGHTS:
            path = walk(a, step)
            for steps, b in enumerate(path):
                table[64 * a + b] = squares_to_bits(path[:steps])
    return table


def from_to(a: int, b: int) -> list[int]:
    """The squares of a rank from a to b, both included."""
    return list(range(min(a, b), max(a, b) + 1))


def castling_tables() -> tuple[list[int], list[int]]:
    """[8 · king + rook], files on the first rank: squares that must be empty, squares that must be safe."""
    must_be_empty, must_be_safe = [0] * 64, [0] * 64
    for king in range(8):
        for rook in range(8):
            side = "short" if rook > king else "long"
            king_path = from_to(king, KING_TARGETS[side])
            rook_path = from_to(rook, ROOK_TARGETS[side])
            movers = squares_to_bits([king, rook])
            must_be_empty[8 * king + rook] = squares_to_bits(king_path + rook_path) & ~movers
            must_be_safe[8 * king + rook] = squares_to_bits(king_path)
    return must_be_empty, must_be_safe


def _words(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


_SQUARES = range(64)
_MUST_BE_EMPTY, _MUST_BE_SAFE = castling_tables()

knight_attacks = lookup("knight_attacks", _words([attacks(s, KNIGHT_JUMPS, limit=1) for s in _SQUARES]))
king_attacks = lookup("king_attacks", _words([attacks(s, DIAGONALS + STRAIGHTS, limit=1) for s in _SQUARES]))
diagonals_from = lookup("diagonals_from", _words([attacks(s, DIAGONALS) for s in _SQUARES]))
straights_from = lookup("straights_from", _words([attacks(s, STRAIGHTS) for s in _SQUARES]))
between_squares = lookup("between_squares", _words(between_table()))
castling_must_be_empty = lookup("castling_must_be_empty", _words(_MUST_BE_EMPTY))
castling_must_be_safe = lookup("castling_must_be_safe", _words(_MUST_BE_SAFE))
