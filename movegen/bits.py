"""Sets of squares as 64-bit words (a1 = bit 0, h1 = bit 7, h8 = bit 63), and operations on them."""

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from movegen.compiler.cpu import USE_PEXT
from movegen.compiler.jit import WORD, inlined, instruction, u64

Bitboard: TypeAlias = np.uint64
Square: TypeAlias = np.uint64

# numba turns `uint64 op 1` into a signed number: all constants of the kernels are typed.
U64 = np.uint64
ZERO, ONE, TWO, THREE, FOUR = U64(0), U64(1), U64(2), U64(3), U64(4)
ALL = U64(0xFFFF_FFFF_FFFF_FFFF)

_WIDE = ir.IntType(128)


def _high_half_of_product(builder: Any, a: Any, b: Any) -> Any:
    product = builder.mul(builder.zext(a, _WIDE), builder.zext(b, _WIDE))
    return builder.trunc(builder.lshr(product, _WIDE(64)), WORD)


def _folded_product(builder: Any, a: Any, b: Any) -> Any:
    product = builder.mul(builder.zext(a, _WIDE), builder.zext(b, _WIDE))
    return builder.xor(builder.trunc(product, WORD), builder.trunc(builder.lshr(product, _WIDE(64)), WORD))


def _bmi2(name: str) -> Any:
    """One of the instructions that only x86 CPUs with BMI2 have."""

    def build(builder: Any, word: Any, mask: Any) -> Any:
        signature = ir.FunctionType(WORD, [WORD, WORD])
        function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.x86.bmi.{name}.64")
        return builder.call(function, [word, mask])

    return build


@instruction(u64(u64), lambda builder, bits: builder.ctpop(bits))
def popcount(bits: Bitboard) -> np.uint64:
    """The number of squares in the set."""
    return U64(int(bits).bit_count())


@instruction(u64(u64), lambda builder, bits: builder.cttz(bits, ir.IntType(1)(1)))
def lowest_square(bits: Bitboard) -> Square:
    """The first square of a set that is not empty."""
    return U64((int(bits) & -int(bits)).bit_length() - 1)


@instruction(u64(u64), lambda builder, bits: builder.ctlz(bits, ir.IntType(1)(1)))
def leading_zeros(bits: Bitboard) -> np.uint64:
    """The number of zero bits above the highest one of a word that is not zero."""
    return U64(64 - int(bits).bit_length())


@instruction(u64(u64), lambda builder, bits: builder.bswap(bits))
def flip(bits: Bitboard) -> Bitboard:
    """Turn the board upside down: the first rank becomes the eighth."""
    return U64(int.from_bytes(int(bits).to_bytes(8, "little"), "big"))


@instruction(u64(u64, u64), _high_half_of_product)
def multiply_high(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of the 128-bit product. Scales a random word to the range 0 … b − 1."""
    return U64(int(a) * int(b) >> 64)


@instruction(u64(u64, u64), _folded_product)
def fold_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """Both halves of the 128-bit product, combined by xor: mixes two words well."""
    product = int(a) * int(b)
    return U64(product >> 64 ^ product & int(ALL))


@instruction(u64(u64, u64), _bmi2("pext"))
def gather(word: np.uint64, mask: Bitboard) -> np.uint64:
    """PEXT: the bits of the word that the mask selects, packed at the low end."""
    gathered, index, bits = 0, 0, int(mask)
    while bits:
        gathered |= (int(word) >> (bits & -bits).bit_length() - 1 & 1) << index
        index, bits = index + 1, bits & bits - 1
    return U64(gathered)


@instruction(u64(u64, u64), _bmi2("pdep"))
def scatter(word: np.uint64, mask: Bitboard) -> np.uint64:
    """PDEP, the reverse of `gather`: the low bits of the word, moved to the bits of the mask."""
    scattered, index, bits = 0, 0, int(mask)
    while bits:
        scattered |= (int(word) >> index & 1) * (bits & -bits)
        index, bits = index + 1, bits & bits - 1
    return U64(scattered)


@inlined
def without_lowest(bits: Bitboard) -> Bitboard:
    """The set without its first square."""
    return bits & (bits - ONE)


@inlined
def lowest_bit(bits: Bitboard) -> Bitboard:
    """The first square of a set that is not empty, as a set."""
    return bits & (~bits + ONE)


@inlined
def several(bits: Bitboard) -> bool:
    """Has a set that is not empty more than one square?"""
    return bool(without_lowest(bits) != ZERO)


@inlined
def nth_square_by_pdep(bits: Bitboard, n: np.uint64) -> Square:
    """The n-th square of a set, counted from 0, in one step."""
    return lowest_square(scatter(ONE << n, bits))


@inlined
def nth_square_by_steps(bits: Bitboard, n: np.uint64) -> Square:
    """The n-th square of a set, counted from 0, on any CPU."""
    while n != ZERO:
        bits = without_lowest(bits)
        n -= ONE
    return lowest_square(bits)


nth_square = nth_square_by_pdep if USE_PEXT else nth_square_by_steps
