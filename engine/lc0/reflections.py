"""Reflections of the board: canonical formats show all positions that are alike as one, as far as the rules allow."""

import numpy as np

from movegen.bits import ONE, U64, ZERO, Bitboard, flip
from movegen.board import Board, kings, knights, occupied_squares, own_king, pawns
from movegen.compiler.jit import inlined

# Reflections, in the order in which they are done
FLIPPED, MIRRORED, TRANSPOSED = U64(1), U64(2), U64(4)  # files, ranks, about the diagonal h1–a8

ODD_FILES, FILES_CDGH, RIGHT_HALF = U64(0xAAAA_AAAA_AAAA_AAAA), U64(0xCCCC_CCCC_CCCC_CCCC), U64(0xF0F0_F0F0_F0F0_F0F0)
LEFT_HALF, UPPER_HALF = U64(0x0F0F_0F0F_0F0F_0F0F), U64(0xFFFF_FFFF_0000_0000)
ABOVE_DIAGONAL, ON_DIAGONAL = U64(0xE0C0_8000), U64(0x1020_4080)  # of e1 … h4; the diagonal is h1–e4
SHIFT_1, SHIFT_2, SHIFT_4 = U64(1), U64(2), U64(4)
SWAP_1, SWAP_2, SWAP_4 = U64(0x0055_0055_0055_0055), U64(0x0000_3333_0000_3333), U64(0x0000_0000_0F0F_0F0F)
DISTANCE_1, DISTANCE_2, DISTANCE_4 = U64(9), U64(18), U64(36)


@inlined
def flipped(bits: Bitboard) -> Bitboard:
    """File a becomes file h."""
    bits = (bits & ODD_FILES) >> SHIFT_1 | (bits & ~ODD_FILES) << SHIFT_1
    bits = (bits & FILES_CDGH) >> SHIFT_2 | (bits & ~FILES_CDGH) << SHIFT_2
    return (bits & RIGHT_HALF) >> SHIFT_4 | (bits & ~RIGHT_HALF) << SHIFT_4


@inlined
def transposed(bits: Bitboard) -> Bitboard:
    """Reflected about the diagonal h1–a8: a1 becomes h8."""
    swap = (bits ^ bits >> DISTANCE_1) & SWAP_1
    bits ^= swap ^ swap << DISTANCE_1
    swap = (bits ^ bits >> DISTANCE_2) & SWAP_2
    bits ^= swap ^ swap << DISTANCE_2
    swap = (bits ^ bits >> DISTANCE_4) & SWAP_4
    return bits ^ swap ^ swap << DISTANCE_4


@inlined
def reflected(bits: Bitboard, reflection: np.uint64) -> Bitboard:
    """A set of squares on the reflected board."""
    if reflection & FLIPPED:
        bits = flipped(bits)
    if reflection & MIRRORED:
        bits = flip(bits)
    if reflection & TRANSPOSED:
        bits = transposed(bits)
    return bits


@inlined
def order_of_transposed(bits: Bitboard, reflection: np.uint64) -> int:
    """Is a set less (−1) or more (1) than its transposed form, as a number?"""
    bits = reflected(bits, reflection)
    other = transposed(bits)
    if bits == other:
        return 0
    return -1 if bits < other else 1


@inlined
def diagonal_order(board: Board, reflection: np.uint64) -> int:
    """The first set of pieces that is not symmetrical decides."""
    queens = board.diagonal & board.straight
    bishops, rooks = board.diagonal & ~board.straight & ~board.leaper, board.straight & ~board.diagonal & ~board.leaper
    for bits in (occupied_squares(board), board.own, kings(board), queens, rooks, knights(board), bishops):
        order = order_of_transposed(bits, reflection)
        if order != 0:
            return order
    return 0


@inlined
def canonical_reflection(board: Board) -> np.uint64:
    """The one that brings the own king to e1 … h4, on or below the diagonal, as far as castling and pawns allow."""
    if board.castling:
        return ZERO
    king = ONE << own_king(board)
    reflection = ZERO
    if king & LEFT_HALF:
        reflection |= FLIPPED
    if pawns(board):
        return reflection
    if king & UPPER_HALF:
        reflection |= MIRRORED
    king = reflected(king, reflection)
    if king & ABOVE_DIAGONAL != ZERO or (king & ON_DIAGONAL != ZERO and diagonal_order(board, reflection) > 0):
        reflection |= TRANSPOSED
    return reflection
