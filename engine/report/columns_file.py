"""Named columns of numbers in one file (.npz, which numpy reads too). Files of others are read with care.

Nothing is unpickled or evaluated, and no more memory is used than the size of the file can explain.
"""

import io
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np

COMPRESSION = 1  # quick; the numbers do not get much smaller
LARGEST_GROWTH = 250  # of a file that is unpacked: trees grow to 10 or 40 times their size, zeros to 1000
LEAST_BYTES = 1 << 20  # that may always be unpacked
PREFIX = b"\x93NUMPY\x01\x00"  # format 1.0; two bytes with the length of the head follow
HEAD = re.compile(rb"\{'descr': '([<|][a-z]\d)', 'fortran_order': False, 'shape': \(([\d, ]{1,32})\), \} *\n")
FLAG_ENCRYPTED = 1


def packed(columns: Mapping[str, np.ndarray]) -> bytes:
    """The content of a file with these columns."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(column), (1, 0), allow_pickle=False)
    return content.getvalue()


class ColumnsFile:
    """An open file. A fault in it is a `ValueError`, a failure of the system an `OSError`."""

    def __init__(self, archive: zipfile.ZipFile, size: int, kinds: Mapping[str, tuple[str, ...]]) -> None:
        """`size`: of the file, in bytes; `kinds`: the types that each column may have, as numpy writes them."""
        self._archive, self._kinds = archive, kinds
        members = [info for info in archive.infolist() if info.filename.removesuffix(".npy") in kinds]
        self._members = {info.filename: info for info in members}
        if len(members) != len(kinds) or len(self._members) != len(kinds):
            raise ValueError("other columns")
        if any(info.flag_bits & FLAG_ENCRYPTED for info in members):
            raise ValueError("encrypted")
        if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in members):
            raise ValueError("packed in an unknown way")
        if sum(info.file_size for info in members) > LEAST_BYTES + LARGEST_GROWTH * size:
            raise ValueError("it would need more memory than such a file can be worth")

    @classmethod
    @contextmanager
    def open(cls, path: Path, kinds: Mapping[str, tuple[str, ...]]) -> Iterator[Self]:
        """Open a file, and close it at the end."""
        if path.exists() and not path.is_file():
            raise ValueError("not a file")
        try:
            with path.open("rb") as stream:
                if not zipfile.is_zipfile(stream):
                    raise ValueError("another kind of file")
                with zipfile.ZipFile(stream) as archive:
                    yield cls(archive, path.stat().st_size, kinds)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OverflowError, MemoryError) as error:
            raise ValueError(str(error) or type(error).__name__) from None

    def read(self, name: str) -> np.ndarray:
        """A column."""
        info = self._members[f"{name}.npy"]
        with self._archive.open(info) as member:
            head = member.read(len(PREFIX) + 2)
            if not head.startswith(PREFIX):
                raise ValueError(f"{name}: not a column of numbers")
            length = int.from_bytes(head[len(PREFIX) :], "little")
            kind, shape = self._read_head(name, member.read(length))
            left = info.file_size - len(head) - length
            if math.prod(shape) * kind.itemsize != left:
                raise ValueError(f"{name}: not the length that it names")
            data = member.read(left)
        if len(data) != left:
            raise ValueError(f"{name}: cut off")
        return np.frombuffer(data, dtype=kind).reshape(shape)

    def _read_head(self, name: str, head: bytes) -> tuple[np.dtype, tuple[int, ...]]:
        found = HEAD.fullmatch(head)
        if found is None or found[1].decode() not in self._kinds[name]:
            raise ValueError(f"{name}: numbers of another kind")
        return np.dtype(found[1].decode()), tuple(int(length) for length in found[2].split(b",") if length.strip())
