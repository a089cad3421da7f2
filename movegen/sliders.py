"""Bishop and rook attacks: given a square and the occupied squares, what does the slider see?

Two methods with the same result. By PEXT: the occupied squares that matter are gathered into an index
into a table of all answers. By lines, on any CPU: on each line, the nearest piece on either side
bounds the view, and subtraction finds it ("obstruction difference").
"""

import numpy as np

from movegen.bits import ONE, THREE, TWO, U64, Bitboard, Square, gather, leading_zeros, lowest_bit
from movegen.compiler.cpu import USE_PEXT
from movegen.compiler.jit import inlined, lookup
from movegen.geometry import DIAGONALS, STRAIGHTS, Step, attacks, squares_to_bits, walk

SLIDERS = (DIAGONALS, STRAIGHTS)


def relevant_squares(square: int, steps: tuple[Step, ...]) -> int:
    """The squares whose occupation matters: all that the slider passes, but not the last of each ray."""
    return squares_to_bits([s for step in steps for s in walk(square, step)[:-1]])


def subsets(mask: int) -> np.ndarray:
    """All subsets of a set of squares, in the order of their gathered bits."""
    members = np.zeros(1, dtype=np.uint64)
    for square in range(64):
        if mask >> square & 1:
            members = np.concatenate((members, members | U64(1 << square)))
    return members


def attacks_for_all(square: int, steps: tuple[Step, ...], occupied: np.ndarray) -> np.ndarray:
    """`attacks` for many occupations at once."""
    seen = np.zeros_like(occupied)
    for step in steps:
        open_line = np.ones(occupied.shape, dtype=bool)
        for target in walk(square, step):
            target_bit = U64(1 << target)
            seen |= np.where(open_line, target_bit, U64(0))
            open_line &= (occupied & target_bit) == 0
    return seen


def pext_tables() -> tuple[np.ndarray, np.ndarray]:
    """Four words a square (bishop's mask and offset, rook's mask and offset), and all answers."""
    index, answers, offset = [], [], 0
    for square in range(64):
        for steps in SLIDERS:
            mask = relevant_squares(square, steps)
            seen = attacks_for_all(square, steps, subsets(mask))
            index += [mask, offset]
            answers.append(seen)
            offset += len(seen)
    return np.array(index, dtype=np.uint64), np.concatenate(answers)


def line_table() -> np.ndarray:
    """Eight words a square: for each of its four lines, the part below the square and the part above it."""
    words = []
    for square in range(64):
        for step in DIAGONALS[:2] + STRAIGHTS[:2]:
            line = attacks(square, (step, (-step[0], -step[1])))
            below = line & (1 << square) - 1
            words += [below, line ^ below]
    return np.array(words, dtype=np.uint64)


_index, _answers = pext_tables()
_slider_index = lookup("slider_index", _index)
_slider_attacks = lookup("slider_attacks", _answers)
_line_parts = lookup("line_parts", line_table())


@inlined
def bishop_attacks_by_pext(square: Square, occupied: Bitboard) -> Bitboard:
    """What a bishop sees, from the table of all answers."""
    entry = square << TWO
    return _slider_attacks(_slider_index(entry + ONE) + gather(occupied, _slider_index(entry)))


@inlined
def rook_attacks_by_pext(square: Square, occupied: Bitboard) -> Bitboard:
    """What a rook sees, from the table of all answers."""
    entry = (square << TWO) + TWO
    return _slider_attacks(_slider_index(entry + ONE) + gather(occupied, _slider_index(entry)))


@inlined
def line_attacks(line: np.uint64, occupied: Bitboard) -> Bitboard:
    """What a slider sees on one line, given the index of the line's two parts in the table.

    From the highest piece below (or a1) to the lowest piece above (or beyond the board): a difference
    of two powers of two has ones in just that range.
    """
    below, above = _line_parts(line), _line_parts(line + ONE)
    nearest_below = U64(1 << 63) >> leading_zeros(below & occupied | ONE)
    nearest_above = lowest_bit(above & occupied)
    return ((nearest_above << ONE) - nearest_below) & (below | above)


@inlined
def bishop_attacks_by_lines(square: Square, occupied: Bitboard) -> Bitboard:
    """What a bishop sees, computed on its two lines."""
    lines = square << THREE
    return line_attacks(lines, occupied) | line_attacks(lines + TWO, occupied)


@inlined
def rook_attacks_by_lines(square: Square, occupied: Bitboard) -> Bitboard:
    """What a rook sees, computed on its two lines."""
    lines = (square << THREE) + U64(4)
    return line_attacks(lines, occupied) | line_attacks(lines + TWO, occupied)


bishop_attacks = bishop_attacks_by_pext if USE_PEXT else bishop_attacks_by_lines
rook_attacks = rook_attacks_by_pext if USE_PEXT else rook_attacks_by_lines
