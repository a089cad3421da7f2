"""Small made-up nets in the formats of Stockfish, and their values computed in plain Python from python-chess boards.

It shares nothing with the kernels: the tables are those of Stockfish's half_ka_v2_hm.h, for White and for Black.
"""

import struct
from dataclasses import dataclass

import chess
import numpy as np

INPUTS, BUCKETS = 22528, 8
# The numbers that a Stockfish writes for a width of 1024, and those of 3072: read in its files.
KNOWN_NUMBERS = {1024: (0x1C102EF2, 0x7F2344B8), 3072: (0x1C1020F2, 0x7F2354B8), 128: (0x1C103C92, 0x7F234DB8)}
VERSION = 0x7AF32F20
BLACK_ZONES = [
    *(0, 1, 2, 3, 3, 2, 1, 0),
    *(4, 5, 6, 7, 7, 6, 5, 4),
    *(8, 9, 10, 11, 11, 10, 9, 8),
    *(12, 13, 14, 15, 15, 14, 13, 12),
    *(16, 17, 18, 19, 19, 18, 17, 16),
    *(20, 21, 22, 23, 23, 22, 21, 20),
    *(24, 25, 26, 27, 27, 26, 25, 24),
    *(28, 29, 30, 31, 31, 30, 29, 28),
]
WHITE_ZONES = [BLACK_ZONES[square ^ 56] for square in range(64)]


def affine(before, outputs):
    return (0xCC03DAE4 + outputs) % 2**32 ^ before >> 1 ^ (before << 31) % 2**32


def numbers(width):
    """-> the numbers of the shape, of the first layer, of the others."""
    rows, layers = 0x7F234CB8 ^ 2 * width, 0xEC42E90D ^ 2 * width
    for outputs in (16, 32):
        layers = (affine(layers, outputs) + 0x538D24C7) % 2**32
    layers = affine(layers, 1)
    return rows ^ layers, rows, layers


@dataclass
class MadeUpNet:
    bias: np.ndarray
    rows: np.ndarray
    direct: np.ndarray
    layers: list[list[np.ndarray]]  # for each bucket: bias and weights, three times

    @property
    def width(self):
        return self.bias.size

    def pack(self, compressed=False, description=b"made up"):
        shape, rows, layers = numbers(self.width)
        write = packed if compressed else np.ndarray.tobytes
        parts = [struct.pack("<III", VERSION, shape, len(description)), description, struct.pack("<I", rows)]
        parts += [write(array) for array in (self.bias, self.rows, self.direct)]
        for bucket in self.layers:
            parts += [struct.pack("<I", layers), *(array.tobytes() for array in bucket)]
        return b"".join(parts)


def leb128(value):
    """Seven bits a byte, the lowest first, until what is left is the sign of the last one."""
    data = []
    while True:
        byte, value = value & 127, value >> 7
        if value == (-1 if byte & 64 else 0):
            return bytes([*data, byte])
        data.append(byte | 128)


def packed(array):
    known = {value: leb128(value) for value in np.unique(array).tolist()}
    data = b"".join(known[value] for value in array.ravel().tolist())
    return b"COMPRESSED_LEB128" + struct.pack("<I", len(data)) + data


def made_up_net(width=32, seed=1, large=False):
    """Random weights of about the sizes that nets have; `large`: as large as the types allow."""
    rng = np.random.default_rng(seed)

    def numbers_up_to(most, *shape, dtype):
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if large else (-most, most)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)

    layers = [
        [
            numbers_up_to(9000, 16, dtype=np.int32),
            numbers_up_to(30, 16, width, dtype=np.int8),
            numbers_up_to(3000, 32, dtype=np.int32),
            numbers_up_to(60, 32, 32, dtype=np.int8),
            numbers_up_to(2000, 1, dtype=np.int32),
            numbers_up_to(127, 32, dtype=np.int8),
        ]
        for _ in range(BUCKETS)
    ]
    return MadeUpNet(
        numbers_up_to(100, width, dtype=np.int16),
        numbers_up_to(40, INPUTS, width, dtype=np.int16),
        numbers_up_to(40_000, INPUTS, BUCKETS, dtype=np.int32),
        layers,
    )


def row_of(board, side, square):
    """The row of a piece, as a player sees it."""
    king, piece = board.king(side), board.piece_at(square)
    zone = (WHITE_ZONES if side else BLACK_ZONES)[king]
    orient = (0 if side else 56) ^ (7 if chess.square_file(king) < 4 else 0)
    kind = 10 if piece.piece_type == chess.KING else 2 * (piece.piece_type - 1) + (piece.color != side)
    return (square ^ orient) + 64 * kind + 704 * zone


def toward_zero(value, divisor):
    return abs(value) // divisor * (1 if value >= 0 else -1)


def clip(value):
    return min(max(value, 0), 127)


def wrapped(value, bits):
    """As a number of so many bits."""
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def slow_parts(net, board):
    """What pieces count directly and what the layers give, for the player to move, 16 to a unit."""
    bucket = (chess.popcount(board.occupied) - 1) // 4
    products, direct = [], []
    half = net.width // 2
    for side in (board.turn, not board.turn):
        rows = [row_of(board, side, square) for square in chess.SquareSet(board.occupied)]
        sums = [
            wrapped(total, 16) for total in (net.bias.astype(int) + net.rows[rows].astype(int).sum(axis=0)).tolist()
        ]
        products += [clip(sums[j]) * clip(sums[j + half]) // 128 for j in range(half)]
        direct.append(wrapped(int(net.direct[rows, bucket].astype(int).sum()), 32))
    bias, weights, *rest = (array.astype(int).tolist() for array in net.layers[bucket])
    first = [b + sum(w * p for w, p in zip(row, products, strict=True)) for b, row in zip(bias, weights, strict=True)]
    second = (
        [min(127, value * value >> 19) for value in first[:15]] + [clip(value >> 6) for value in first[:15]] + [0, 0]
    )
    bias, weights, last_bias, last = rest
    third = [
        clip((b + sum(w * s for w, s in zip(row, second, strict=True))) >> 6)
        for b, row in zip(bias, weights, strict=True)
    ]
    total = last_bias[0] + sum(w * t for w, t in zip(last, third, strict=True))
    return toward_zero(direct[0] - direct[1], 2), total + toward_zero(first[15] * 9600, 127 * 64)


def slow_value(net, board):
    """In Stockfish's units, but not more than 10,000."""
    return min(max(toward_zero(sum(slow_parts(net, board)), 16), -10_000), 10_000)
