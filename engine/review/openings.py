"""The names of openings, found by position: other orders of the same moves have the same name.

The table is github.com/lichess-org/chess-openings, in the public domain (CC0). `openings.tsv` has a line for each name:
how many letters of ECO code and name are those of the line above, the rest of them, and the digests of its positions.
`tests/engine/review/openings_table.py` makes it.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from movegen import Position
from movegen.fen import START_FEN

TABLE = Path(__file__).with_name("openings.tsv")
DIGEST_BYTES = 6
LONGEST = 50  # plies; no named opening is longer


@dataclass(frozen=True)
class Opening:
    """A named opening; `ply`: how many half-moves of a game led to it."""

    eco: str
    name: str
    ply: int

    def data(self) -> dict[str, str | int]:
        """For JSON."""
        return {"eco": self.eco, "name": self.name, "ply": self.ply}


def position_digest(epd: str) -> str:
    """Of the first four fields of a FEN, with an en-passant square only if a pawn can capture there."""
    return urlsafe_b64encode(hashlib.sha256(epd.encode()).digest()[:DIGEST_BYTES]).decode()


def find_opening(positions: Sequence[Position]) -> Opening | None:
    """The last named position of a game, given its positions from the start on; None of games from another start."""
    if not positions or positions[0].chess960 or positions[0].fen() != START_FEN:
        return None
    table = _table()
    for ply in range(min(len(positions) - 1, LONGEST), -1, -1):
        found = table.get(position_digest(" ".join(positions[ply].fen().split()[:4])))
        if found is not None:
            return Opening(*found, ply)
    return None


@cache
def _table() -> dict[str, tuple[str, str]]:
    """Digest of a position -> ECO code and name."""
    table, entry = {}, ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            shared, rest, digests = line.split("\t")
            entry = entry[: int(shared)] + rest
            eco, _, name = entry.partition(" ")
            table.update(dict.fromkeys(digests.split(), (eco, name)))
    return table
