"""Perft suites: EPD files whose lines give positions and the numbers of leaves at each depth.

rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHIPPED_SUITES = Path(__file__).parent / "suites"
_DEPTH = re.compile(r"D([0-9]{1,2}) +([0-9]{1,40})")


@dataclass(frozen=True)
class SuiteEntry:
    """One line of a suite."""

    fen: str
    counts: dict[int, int]  # depth -> leaves
    chess960: bool
    where: str  # "file:line", for messages

    def deepest(self, max_nodes: int | None, max_depth: int | None) -> int | None:
        """The deepest count within both bounds, or None if there is none."""
        fitting = [
            depth
            for depth, count in self.counts.items()
            if (max_nodes is None or count <= max_nodes) and (max_depth is None or depth <= max_depth)
        ]
        return max(fitting, default=None)


def suite_path(name: str) -> Path:
    """A file, or the name of a shipped suite (standard, chess960)."""
    shipped = SHIPPED_SUITES / f"{name}.epd"
    return shipped if not Path(name).exists() and shipped.is_file() else Path(name)


def read_suite(name: str, chess960: bool = False) -> Iterator[SuiteEntry]:
    """The entries of a suite; a `ValueError` names the line that cannot be read."""
    path = suite_path(name)
    for number, line in enumerate(_read_text(path).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield _read_entry(line, chess960, f"{path}:{number}")


def _read_text(path: Path) -> str:
    """A text in UTF-8, with or without a byte order mark, or in UTF-16 with one, as some editors write it."""
    data = path.read_bytes()
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace")


def _read_entry(line: str, chess960: bool, where: str) -> SuiteEntry:
    fen, *operations = (part.strip() for part in line.split(";"))
    counts: dict[int, int] = {}
    for operation in filter(None, operations):
        match = _DEPTH.fullmatch(operation)
        if match is None:
            raise ValueError(f"{where}: {operation[:40]!a} is not a depth with a count, such as 'D3 8902'")
        counts[int(match[1])] = int(match[2])
    if not counts:
        raise ValueError(f"{where}: no counts, such as ';D3 8902'")
    return SuiteEntry(fen, counts, chess960 or _names_rook_files(fen), where)


def _names_rook_files(fen: str) -> bool:
    """Are castling rights given as files of rooks, as only Chess960 does?"""
    fields = fen.split()
    return len(fields) > 2 and re.search("[A-Ha-h]", fields[2]) is not None
