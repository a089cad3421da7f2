"""Protocol buffers, read without their library: a message becomes a dictionary of the fields that a schema names.

A message is a sequence of (field number, wire type, value). Fields that the schema does not name are skipped, as the
format demands. Whatever the bytes are, the result is a dictionary or a `ValueError`.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
LONGEST_VARINT = 10
MOST_FIELDS = 10_000  # of a message: the largest nets have hundreds

Fields: TypeAlias = dict[str, Any]


class Kind(Enum):
    """What a field that is no message holds."""

    INTEGER = VARINT
    FLOAT = FIXED32
    FIXED = -FIXED32  # an unsigned number of four bytes
    DATA = BYTES  # bytes or text


@dataclass(frozen=True)
class Field:
    """A field of a message. A repeated one becomes a list, there or not."""

    name: str
    holds: "Kind | Schema"
    repeated: bool = False


Schema: TypeAlias = Mapping[int, Field]


def read_message(data: memoryview, schema: Schema) -> Fields:
    """The fields of a message; those that are missing are not in the result."""
    fields: Fields = {field.name: [] for field in schema.values() if field.repeated}
    for count, (number, wire_type, value) in enumerate(raw_fields(data)):
        if count == MOST_FIELDS:
            raise ValueError(f"more than {MOST_FIELDS} fields")
        field = schema.get(number)
        if field is None:
            continue
        content = content_of(field, wire_type, value)
        if field.repeated:
            fields[field.name].append(content)
        else:
            fields[field.name] = content
    return fields


def content_of(field: Field, wire_type: int, value: Any) -> Any:
    """What a field holds."""
    holds = field.holds
    if wire_type != (abs(holds.value) if isinstance(holds, Kind) else BYTES):
        raise ValueError(f"field {field.name} has another type than expected")
    if not isinstance(holds, Kind):
        return read_message(value, holds)
    if wire_type == FIXED32:
        return struct.unpack("<f" if holds is Kind.FLOAT else "<I", value)[0]
    return value


def raw_fields(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Number, wire type and value (a number, or bytes) of each field."""
    position = 0
    while position < len(data):
        key, position = varint(data, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            value, position = varint(data, position)
            yield number, wire_type, value
            continue
        if wire_type == BYTES:
            size, position = varint(data, position)
        elif wire_type in {FIXED32, FIXED64}:
            size = 4 if wire_type == FIXED32 else 8
        else:
            raise ValueError(f"byte {position} starts no field")
        if number == 0 or size > len(data) - position:
            raise ValueError("truncated, or no protocol buffer")
        yield number, wire_type, data[position : position + size]
        position += size


def varint(data: memoryview, position: int) -> tuple[int, int]:
    """The number that starts at a position, and the position behind it."""
    number = 0
    for index in range(LONGEST_VARINT):
        if position + index >= len(data):
            break
        byte = data[position + index]
        number |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number, position + index + 1
    raise ValueError("truncated, or no protocol buffer")
