"""Opening, middlegame and endgame of a game, divided as lichess does it.

The middlegame begins when at most ten pieces besides kings and pawns are left, a back rank is sparse, or the pieces of
both sides are mixed; the endgame when at most six are left. Source: github.com/lichess-org/scalachess, `Divider`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from movegen import Position

MIDDLEGAME_PIECES, ENDGAME_PIECES = 10, 6  # at most, without kings and pawns
LEAST_ON_BACK_RANK = 4
LEAST_MIXED = 151
PHASES = ("opening", "middlegame", "endgame")
# How mixed a field of two by two squares is, by the numbers of White's and Black's pieces on it: a constant, and how
# much is added for each rank of the field (1 to 7) above or below another one. Others count nothing.
BY_DISTANCE: dict[tuple[int, int], Callable[[int], int]] = {
    (0, 1): lambda rank: 1 + rank,
    (0, 2): lambda rank: 2 + (6 - rank) if rank < 6 else 0,
    (0, 3): lambda rank: 3 + (7 - rank) if rank < 7 else 0,
    (0, 4): lambda rank: 3 + (7 - rank) if rank < 7 else 0,
    (1, 0): lambda rank: 1 + (8 - rank),
    (1, 1): lambda rank: 5 + abs(4 - rank),
    (1, 2): lambda rank: 4 + (7 - rank),
    (1, 3): lambda rank: 5 + (7 - rank),
    (2, 0): lambda rank: 2 + (rank - 2) if rank > 2 else 0,
    (2, 1): lambda rank: 4 + (rank - 1),
    (2, 2): lambda _rank: 7,
    (3, 0): lambda rank: 3 + (rank - 1) if rank > 1 else 0,
    (3, 1): lambda rank: 5 + (rank - 1),
    (4, 0): lambda rank: 3 + (rank - 1) if rank > 1 else 0,
}


@dataclass(frozen=True)
class Division:
    """The plies at which the middlegame and the endgame begin: of the first move that is played in them."""

    middlegame: int | None
    endgame: int | None

    def phase(self, ply: int) -> str:
        """Of the move at a ply, the first being 0."""
        if self.endgame is not None and ply >= self.endgame:
            return "endgame"
        return "middlegame" if self.middlegame is not None and ply >= self.middlegame else "opening"


def divide(positions: Sequence[Position]) -> Division:
    """Divide a game, given its positions from the start on."""
    grids = [grid_of(position) for position in positions]
    middlegame = next((ply for ply, grid in enumerate(grids) if _is_middlegame(grid)), None)
    if middlegame is None:
        return Division(None, None)
    endgame = next((ply for ply, grid in enumerate(grids) if _pieces(grid) <= ENDGAME_PIECES), None)
    return Division(middlegame if endgame is None or middlegame < endgame else None, endgame)


def grid_of(position: Position) -> list[str]:
    """The eight ranks, the first one first, as text; a blank is an empty square."""
    rows = position.fen().split(maxsplit=1)[0].split("/")
    return ["".join(" " * int(sign) if sign.isdigit() else sign for sign in row) for row in reversed(rows)]


def _is_middlegame(grid: list[str]) -> bool:
    return _pieces(grid) <= MIDDLEGAME_PIECES or _is_back_rank_sparse(grid) or mixedness(grid) >= LEAST_MIXED


def _pieces(grid: list[str]) -> int:
    return sum(sign in "nbrqNBRQ" for row in grid for sign in row)


def _is_back_rank_sparse(grid: list[str]) -> bool:
    white, black = sum(map(str.isupper, grid[0])), sum(map(str.islower, grid[7]))
    return min(white, black) < LEAST_ON_BACK_RANK


def mixedness(grid: list[str]) -> int:
    """How close the pieces of both sides are to each other."""
    total = 0
    for rank in range(7):
        for file in range(7):
            field = grid[rank][file : file + 2] + grid[rank + 1][file : file + 2]
            counts = sum(map(str.isupper, field)), sum(map(str.islower, field))
            score = BY_DISTANCE.get(counts)
            total += score(rank + 1) if score else 0
    return total
