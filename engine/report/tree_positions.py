"""The positions of a report, cached: a line is shown many times before it changes."""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from movegen import Position, notation
from movegen.position import Side

if TYPE_CHECKING:
    from engine.network.weights import Network

LARGEST_MEMORY = 20_000  # positions


class Mover(NamedTuple):
    """The part of a position that UCI notation depends on."""

    turn: Side
    chess960: bool


@lru_cache(maxsize=1 << 14)
def uci_of(mover: Mover, code: int) -> str:
    """A move in UCI notation, without a position."""
    return notation.uci(cast("Position", mover), code)


class TreePosition:
    """A position below the root, and the move that leads to it."""

    def __init__(self, position: Position, before: "TreePosition | None" = None, code: int = 0) -> None:
        self.position, self.before, self.code = position, before, code
        self.after: dict[int, TreePosition] = {}
        self.priors: tuple[Network, dict[int, float]] | None = None  # of a network, see `priors.priors_at`

    @cached_property
    def uci(self) -> str:
        """The move that leads here, in UCI notation; empty at the root."""
        return self.before.position.uci(self.code) if self.before else ""

    @cached_property
    def san(self) -> str:
        """The same move in SAN."""
        return self.before.position.san(self.code) if self.before else ""

    @cached_property
    def path(self) -> str:
        """The moves from the root, as `e2e4/e7e5`; empty at the root."""
        return f"{self.before.path}/{self.uci}".lstrip("/") if self.before else ""

    @cached_property
    def fen(self) -> str:
        """The position as a FEN."""
        return self.position.fen()

    @cached_property
    def codes(self) -> dict[str, int]:
        """The legal moves by their names in UCI notation."""
        return dict(zip(self.position.legal_moves, self.position.move_codes, strict=True))

    @cached_property
    def is_over(self) -> bool:
        """Is the game over here, draws that can be claimed included?"""
        return self.position.is_game_over(claim_draw=True)


class PositionCache:
    """The positions below one root."""

    def __init__(self, position: Position) -> None:
        self.root = TreePosition(position)
        self._count = 0

    def play(self, here: TreePosition, code: int) -> TreePosition | None:
        """The position after a move; None if the move is not legal there."""
        found = here.after.get(code)
        if found is None and code in here.position.move_codes:
            if self._count >= LARGEST_MEMORY:
                self.root.after.clear()
                self._count = 0
            found = here.after[code] = TreePosition(here.position.play(code), here, code)
            self._count += 1
        return found
