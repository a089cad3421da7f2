"""The weights file: one network, with a checksum and notes about its training.

All numbers are little-endian:

    offset  size
         0     8  the letters TERESANN
         8     4  format version, 1
        12     4  inputs
        16     4  V, hidden units of the value net
        20     4  P, hidden units of the policy net
        24     4  rows of moves
        28     4  length of the notes in bytes, n
        32    32  SHA-256 of the settings of the training
        64     4  CRC-32 of everything after offset 128
        68    60  zero
       128     n  notes: JSON, UTF-8, an object; "figures" are those on held-out games
                  zeros up to a multiple of 64
                  the arrays of `Network` in order, row by row, each at a multiple of 64, zeros between
"""

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.network.architecture import DTYPES, INPUTS, MOVE_ROWS, Network, check_bounds, shapes
from movegen.compiler.memory import aligned_zeros

MAGIC, VERSION = b"TERESANN", 1
HEADER = struct.Struct("<8sIIIIII32sI60x")
ALIGNMENT = 64
LARGEST_HIDDEN = 4096
SHIPPED = Path(__file__).parent / "teresa.net"


@dataclass(frozen=True)
class WeightsFile:
    """A network and its notes."""

    network: Network
    settings_hash: bytes
    notes: Mapping[str, Any]


def aligned(size: int) -> int:
    """The next multiple of ALIGNMENT."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def weights_file(network: Network, settings_hash: bytes, notes: Mapping[str, Any]) -> bytes:
    """The content of a weights file."""
    check_bounds(network)
    text = json.dumps(notes, sort_keys=True, allow_nan=False).encode()
    parts = [text.ljust(aligned(len(text)), b"\0")]
    for array, dtype in zip(network, DTYPES, strict=True):
        data = np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
        parts.append(data.ljust(aligned(len(data)), b"\0"))
    body = b"".join(parts)
    sizes = INPUTS, network.value_bias.size, network.policy_bias.size, MOVE_ROWS, len(text)
    return HEADER.pack(MAGIC, VERSION, *sizes, settings_hash, zlib.crc32(body)) + body


def load_weights(path: Path = SHIPPED) -> WeightsFile:
    """Read a weights file; a `ValueError` says what is wrong with it. The arrays cannot be written to."""
    try:
        size = path.stat().st_size
        data = aligned_zeros(size, np.uint8)
        with path.open("rb") as file:
            read = file.readinto(data.data)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from error
    data.setflags(write=False)
    try:
        return parse_weights(data[:read])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def parse_weights(data: np.ndarray) -> WeightsFile:
    """The contents of a weights file."""
    if data.size < HEADER.size or bytes(data[: len(MAGIC)]) != MAGIC:
        raise ValueError("this is not a weights file of Teresa")
    fields = HEADER.unpack(bytes(data[: HEADER.size]))
    _, version, inputs, value_hidden, policy_hidden, move_rows, text_size, settings_hash, crc = fields
    if version != VERSION:
        raise ValueError(f"weights in format {version}; this program reads format {VERSION}")
    if (inputs, move_rows) != (INPUTS, MOVE_ROWS):
        raise ValueError(f"made for {inputs} inputs and {move_rows} rows of moves, not {INPUTS} and {MOVE_ROWS}")
    for hidden in (value_hidden, policy_hidden):
        if hidden % 32 or not 0 < hidden <= LARGEST_HIDDEN:
            raise ValueError(f"{hidden} hidden units: must be a multiple of 32 up to {LARGEST_HIDDEN}")
    check_body(data, aligned(text_size), value_hidden, policy_hidden, crc)
    network = Network(*arrays_of(data, HEADER.size + aligned(text_size), value_hidden, policy_hidden))
    check_bounds(network)
    return WeightsFile(network, settings_hash, read_notes(bytes(data[HEADER.size : HEADER.size + text_size])))


def array_sizes(value_hidden: int, policy_hidden: int) -> list[int]:
    """The bytes of each array."""
    pairs = zip(shapes(value_hidden, policy_hidden), DTYPES, strict=True)
    return [int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in pairs]


def check_body(data: np.ndarray, notes: int, value_hidden: int, policy_hidden: int, crc: int) -> None:
    """Refuse a body that is too short, too long or changed."""
    expected = HEADER.size + notes + sum(map(aligned, array_sizes(value_hidden, policy_hidden)))
    if data.size != expected:
        raise ValueError(f"{data.size} bytes long instead of {expected}: the file is truncated or too long")
    if zlib.crc32(data[HEADER.size :].data) != crc:
        raise ValueError("damaged: the checksum is wrong")


def arrays_of(data: np.ndarray, offset: int, value_hidden: int, policy_hidden: int) -> list[np.ndarray]:
    """The arrays that start at an offset, without copying them."""
    arrays = []
    for shape, dtype, size in zip(
        shapes(value_hidden, policy_hidden), DTYPES, array_sizes(value_hidden, policy_hidden), strict=True
    ):
        stored = data[offset : offset + size].view(np.dtype(dtype).newbyteorder("<"))
        arrays.append(np.asarray(stored, dtype=dtype).reshape(shape))
        offset += aligned(size)
    return arrays


def read_notes(text: bytes) -> Mapping[str, Any]:
    """The notes."""
    try:
        notes = json.loads(text)
    except (ValueError, RecursionError) as error:  # the latter: thousands of brackets
        raise ValueError("its notes are not JSON") from error
    if not isinstance(notes, dict):
        raise ValueError("its notes are not a JSON object")  # noqa: TRY004  (a damaged file, not a wrong argument)
    return notes
