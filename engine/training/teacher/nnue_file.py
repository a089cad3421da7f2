"""Reads the net that a Stockfish writes with `export_net`: HalfKAv2_hm, as in Stockfish 15 to 17.1.

All numbers are little-endian. Source: the files nnue_architecture.h, nnue_common.h and nnue_feature_transformer.h of
Stockfish 15.1 and 17.1.

    size
       4  version, 0x7AF32F20
       4  a number that is made of the shape: see `shape_number`
       4  length of a description, n
       n  the description
       4  a number for the first layer, see `rows_number`
    then  its biases, weights and direct values: int16 [L], int16 [INPUTS, L], int32 [INPUTS, BUCKETS],
          either as they are (Stockfish 15) or each compressed: see `Reader.compressed`
    then, BUCKETS times
       4  a number for the other layers, see `layers_number`
          int32 [16], int8 [16, L], int32 [32], int8 [32, 32], int32 [1], int8 [32]: biases and weights of three layers
"""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from movegen.compiler.jit import kernel
from movegen.compiler.memory import aligned_zeros

VERSION = 0x7AF32F20
ROWS_NUMBER, INPUT_NUMBER, AFFINE_NUMBER, CLIPPED_NUMBER = 0x7F234CB8, 0xEC42E90D, 0xCC03DAE4, 0x538D24C7
KING_ZONES, PIECES_AND_OWNERS = 32, 11  # both kings share one
INPUTS = KING_ZONES * PIECES_AND_OWNERS * 64
BUCKETS = 8  # by the number of pieces
FIRST, SECOND, PADDED = 16, 32, 32  # units; the inputs of the second layer are filled up with zeros
WIDTH_STEP, LARGEST_WIDTH = 32, 4096
LONGEST_DESCRIPTION = 4096
LARGEST_FILE = 1 << 29  # bytes; no net of these widths is as large
COMPRESSED = b"COMPRESSED_LEB128"
NAME = re.compile(r"nn-([0-9a-f]{12})\.nnue")  # as Stockfish names its nets: the begin of their SHA-256
WORD = (1 << 32) - 1
# Fitted: sigmoid(value / scale) is nearest to sigmoid(centipawns / 250) of searches of 20,000 nodes, for the widths of
# Stockfish 15.1 and 17.1. For others the latter is a guess.
SCALES, USUAL_SCALE = {1024: 656, 3072: 744}, 744


class TeacherNet(NamedTuple):
    """All weights, read-only. L, the width of the first layer for one side, is a multiple of 32."""

    bias: np.ndarray  # int16 [L]
    rows: np.ndarray  # int16 [INPUTS + 1, L]; the last row is zero
    direct: np.ndarray  # int32 [INPUTS + 1, BUCKETS], likewise: what each piece adds without any layer
    first_bias: np.ndarray  # int32 [BUCKETS, FIRST]
    first_rows: np.ndarray  # int16 [BUCKETS, FIRST, L]
    second_bias: np.ndarray  # int32 [BUCKETS, SECOND]
    second_rows: np.ndarray  # int16 [BUCKETS, SECOND, PADDED]
    last_bias: np.ndarray  # int32 [BUCKETS]
    last_rows: np.ndarray  # int16 [BUCKETS, SECOND]
    scale: np.ndarray  # int64 [1], how much of a value is a logit of 1


# What the numbers in the file are made of


def after_affine(before: int, outputs: int) -> int:
    """The number of a layer of weights, given that of the layer before."""
    return (AFFINE_NUMBER + outputs & WORD) ^ before >> 1 ^ (before << 31 & WORD)


def layers_number(width: int) -> int:
    """That of all layers after the first."""
    number = (CLIPPED_NUMBER + after_affine(INPUT_NUMBER ^ 2 * width, FIRST)) & WORD
    number = (CLIPPED_NUMBER + after_affine(number, SECOND)) & WORD
    return after_affine(number, 1)


def rows_number(width: int) -> int:
    """That of the first layer."""
    return ROWS_NUMBER ^ 2 * width


def shape_number(width: int) -> int:
    """That of the whole net."""
    return rows_number(width) ^ layers_number(width)


WIDTHS = {shape_number(width): width for width in range(WIDTH_STEP, LARGEST_WIDTH + 1, WIDTH_STEP)}


# Reading


@kernel
def unpack_leb128(data: np.ndarray, values: np.ndarray) -> int:
    """Read signed numbers of seven bits a byte, the lowest first; -> the bytes that were used, −1 if they do not fit.

    The last byte of a number has no eighth bit; its seventh bit is the sign.
    """
    bits = 8 * values.itemsize
    least, most = -(np.int64(1) << (bits - 1)), (np.int64(1) << (bits - 1)) - 1
    place = 0
    for index in range(values.size):
        value, shift, byte = np.int64(0), np.int64(0), np.int64(128)
        while byte & 128:
            if place == data.size or shift >= bits:
                return -1
            byte = np.int64(data[place])
            value |= (byte & 127) << shift
            shift, place = shift + 7, place + 1
        if byte & 64:
            value -= np.int64(1) << shift
        if not least <= value <= most:
            return -1
        values[index] = value
    return place


class Reader:
    """Takes arrays from the bytes of a file, one after the other."""

    def __init__(self, data: np.ndarray) -> None:
        self._data, self._place = data, 0

    def bytes(self, count: int) -> np.ndarray:
        """The next bytes."""
        if count > self._data.size - self._place:
            raise ValueError("the file is truncated")
        self._place += count
        return self._data[self._place - count : self._place]

    def number(self) -> int:
        """The next four bytes as a number."""
        return int.from_bytes(bytes(self.bytes(4)), "little")

    def expect(self, number: int) -> None:
        """Refuse a file in which another number comes next."""
        if self.number() != number:
            raise ValueError("damaged: a number that marks the begin of a layer is wrong")

    def stored(self, dtype: str, count: int) -> np.ndarray:
        """The next numbers, as they are."""
        return self.bytes(count * np.dtype(dtype).itemsize).view(np.dtype(dtype).newbyteorder("<"))

    def compressed(self, dtype: str, count: int) -> np.ndarray:
        """The next numbers: letters, the length in bytes (4 bytes), and these bytes."""
        if bytes(self.bytes(len(COMPRESSED))) != COMPRESSED:
            raise ValueError("damaged: a part that should be compressed is not")
        data, values = self.bytes(self.number()), np.zeros(count, dtype=dtype)
        if unpack_leb128(data, values) != data.size:
            raise ValueError("damaged: a compressed part has other numbers than the net")
        return values

    def is_compressed(self) -> bool:
        """Does a compressed part come next?"""
        return bytes(self._data[self._place : self._place + len(COMPRESSED)]) == COMPRESSED

    def check_end(self) -> None:
        """Refuse a file that goes on."""
        if self._place != self._data.size:
            raise ValueError("the file is too long")


def read_teacher_net(path: Path) -> TeacherNet:
    """Read a file; a `ValueError` says what is wrong with it. The arrays cannot be written to."""
    try:
        size = path.stat().st_size  # 0 of devices, which may have no end
        data = np.fromfile(path, dtype=np.uint8, count=min(size, LARGEST_FILE))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        net = parse_teacher_net(data)
        check_name(path.name, data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return net


def check_name(name: str, data: np.ndarray) -> None:
    """Refuse a file that is not what its name says. There is no checksum in the format: other names say nothing."""
    named = NAME.fullmatch(name)
    if named and not hashlib.sha256(data.tobytes()).hexdigest().startswith(named[1]):
        raise ValueError("damaged: its SHA-256 does not begin as its name says")


def parse_teacher_net(data: np.ndarray) -> TeacherNet:
    """The net in the bytes of a file."""
    reader = Reader(data)
    width = read_header(reader)
    reader.expect(rows_number(width))
    take = reader.compressed if reader.is_compressed() else reader.stored
    bias, rows, direct = take("i2", width), take("i2", INPUTS * width), take("i4", INPUTS * BUCKETS)
    layers = [read_layers(reader, width) for _ in range(BUCKETS)]
    reader.check_end()
    stacked = [np.stack(parts) for parts in zip(*layers, strict=True)]
    first_bias, first_rows, second_bias, second_rows, last_bias, last_rows = stacked
    net = TeacherNet(
        native(bias, np.int16),
        with_zero_row(rows.reshape(INPUTS, width), np.int16),
        with_zero_row(direct.reshape(INPUTS, BUCKETS), np.int32),
        native(first_bias, np.int32),
        native(first_rows.reshape(BUCKETS, FIRST, width), np.int16),
        native(second_bias, np.int32),
        native(second_rows.reshape(BUCKETS, SECOND, PADDED), np.int16),
        native(last_bias.reshape(BUCKETS), np.int32),
        native(last_rows, np.int16),
        np.array([SCALES.get(width, USUAL_SCALE)], dtype=np.int64),
    )
    for array in net:
        array.setflags(write=False)
    return net


def read_header(reader: Reader) -> int:
    """The width of the net."""
    try:
        version, shape, size = reader.number(), reader.number(), reader.number()
    except ValueError:
        version = 0
    if version != VERSION:
        raise ValueError("this is not a net of Stockfish (as `export_net` writes it)")
    if shape not in WIDTHS:
        raise ValueError("a net of another shape: this program reads those of Stockfish 15 to 17.1")
    if size > LONGEST_DESCRIPTION:
        raise ValueError("damaged: the description is too long")
    reader.bytes(size)
    return WIDTHS[shape]


def read_layers(reader: Reader, width: int) -> list[np.ndarray]:
    """Biases and weights of the three layers of a bucket."""
    reader.expect(layers_number(width))
    arrays = []
    for outputs, inputs in ((FIRST, width), (SECOND, PADDED), (1, SECOND)):
        arrays += [reader.stored("i4", outputs), reader.stored("i1", outputs * inputs)]
    return arrays


def native(array: np.ndarray, dtype: type) -> np.ndarray:
    """A copy in the byte order of this machine, aligned to a cache line."""
    copy = aligned_zeros(array.size, dtype).reshape(array.shape)
    copy[...] = array
    return copy


def with_zero_row(array: np.ndarray, dtype: type) -> np.ndarray:
    """The same, with a row of zeros at the end."""
    rows, width = array.shape
    copy = aligned_zeros((rows + 1) * width, dtype).reshape(rows + 1, width)
    copy[:rows] = array
    return copy
