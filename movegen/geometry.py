"""Ranks, files and directions. "North" is away from the player to move, who always plays upwards."""

from movegen.bits import U64, Bitboard
from movegen.compiler.jit import inlined

RANK_1, RANK_3, RANK_6, RANK_8 = U64(0xFF), U64(0xFF << 16), U64(0xFF << 40), U64(0xFF << 56)
FILE_A, FILE_H = U64(0x0101_0101_0101_0101), U64(0x8080_8080_8080_8080)
NOT_FILE_A, NOT_FILE_H = ~FILE_A, ~FILE_H
NOT_FILES_AB, NOT_FILES_GH = ~(FILE_A | FILE_A << U64(1)), ~(FILE_H | FILE_H >> U64(1))
LIGHT_SQUARES, DARK_SQUARES = U64(0x55AA_55AA_55AA_55AA), U64(0xAA55_AA55_AA55_AA55)

# What a one-step move adds to the number of a square.
EAST, NORTH_WEST, NORTH, NORTH_EAST, TWO_NORTH = U64(1), U64(7), U64(8), U64(9), U64(16)
UPSIDE_DOWN = U64(56)  # square ^ UPSIDE_DOWN is the same square seen by the other player
FILE_MASK = U64(7)  # square & FILE_MASK is the file, 0 = a


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
