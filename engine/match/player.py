"""What a player is: its description, how long it may think, and what a game asks of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from movegen import Position

MATE_CENTIPAWNS = 30_000  # less the moves to the mate
LONGEST_MATE = 1000  # moves; scores beyond are those of a mate
LARGEST_CENTIPAWNS = MATE_CENTIPAWNS - LONGEST_MATE - 1  # that are no mate
THREADS = "Threads"


@dataclass(frozen=True)
class PlayerSpec:
    """A player, as units of work carry it."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)  # of UCI
    command: Sequence[str] | None = None  # of a UCI engine; None: this engine
    checksums: Mapping[str, str] = field(default_factory=dict)  # of its files: by option, of other engines by path
    time_factor: float = 1.0  # of the time or visits that the match gives

    def data(self) -> dict[str, Any]:
        """The player as JSON holds it."""
        command = None if self.command is None else list(self.command)
        return {
            "name": self.name,
            "options": dict(self.options),
            "command": command,
            "checksums": dict(self.checksums),
            "time_factor": self.time_factor,
        }

    @property
    def is_repeatable(self) -> bool:
        """Whether it plays the same game again if its visits are fixed: this engine, with one thread."""
        return self.command is None and int(self.options.get(THREADS, "1")) == 1


@dataclass(frozen=True)
class TimeControl:
    """How long players think: a number of visits, a time for each move, or a clock with an increment; in seconds."""

    visits: int | None = None
    move_time: float | None = None
    clock: float | None = None
    increment: float = 0.0

    @property
    def is_repeatable(self) -> bool:
        """Whether the games do not depend on the machine."""
        return self.visits is not None

    def times(self, factor: float) -> "TimeControl":
        """Some times as long, or as many visits; one at least."""
        return replace(
            self,
            visits=None if self.visits is None else max(1, round(self.visits * factor)),
            move_time=None if self.move_time is None else self.move_time * factor,
            clock=None if self.clock is None else self.clock * factor,
            increment=self.increment * factor,
        )


class Clock(NamedTuple):
    """A player's clock, in seconds."""

    left: float
    increment: float = 0.0


@dataclass(frozen=True)
class Choice:
    """A move, and what its player thinks of the position: centipawns, or a mate near ±30,000."""

    move: str
    centipawns: int | None
    seconds: float


def bounded_centipawns(centipawns: int) -> int:
    """A score that is no mate, however large an engine says it is."""
    return max(-LARGEST_CENTIPAWNS, min(LARGEST_CENTIPAWNS, centipawns))


def mate_centipawns(moves: int) -> int:
    """The score of a mate in some moves; below 0, or 0: the player is mated."""
    distance = max(1, min(LONGEST_MATE, abs(moves)))
    return MATE_CENTIPAWNS - distance if moves > 0 else distance - MATE_CENTIPAWNS


class Forfeit(Exception):  # noqa: N818  (a result of a game)
    """A player lost by something else than its play: a crash, an illegal move, the clock."""

    def __init__(self, how: str, errors: str = "") -> None:
        """`errors`: what it wrote to standard error."""
        super().__init__(how)
        self.errors = errors


class MatchPlayer(Protocol):
    """A player in a match, which plays one game after another."""

    def start_game(self, position: Position, seed: int) -> None:
        """Forget the game before; the next one starts here."""

    def choose(self, position: Position, new_moves: Sequence[int], clocks: Mapping[str, Clock]) -> Choice:
        """Choose a move. `new_moves` were played since the last call; `clocks` by colour.

        `Forfeit` if the player cannot.
        """

    def watch(self, move: str) -> None:
        """A move was played, by either player."""

    def close(self) -> None:
        """End the player, and its process if it has one."""
