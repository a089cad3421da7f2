"""The plan of a run of `generate`: which games, by which teacher, in which chunks."""

from dataclasses import dataclass

from engine.training.generate.self_play import SelfPlay
from engine.training.generate.teacher import UciEngine


@dataclass(frozen=True)
class Plan:
    """Which games to make."""

    teacher: UciEngine | SelfPlay
    value_only: bool
    games: int
    seed: int
    at_once: int  # games that are labelled together
    games_per_chunk: int = 128

    @property
    def has_visits(self) -> bool:
        """Is a file of visits written too?"""
        return isinstance(self.teacher, SelfPlay)

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return -(-self.games // self.games_per_chunk)

    def games_of(self, chunk: int) -> range:
        """The numbers of the games of a chunk."""
        first = chunk * self.games_per_chunk
        return range(first, min(first + self.games_per_chunk, self.games))
