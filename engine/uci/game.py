"""The game as the GUI sends it: a start and the moves since. GUIs send all of it again at each move."""

from dataclasses import dataclass
from typing import Self

from movegen import Position


@dataclass(frozen=True)
class Game:
    """A position, and the moves that led to it."""

    fen: str  # of the start
    chess960: bool
    texts: tuple[str, ...]  # the moves as the GUI wrote them
    position: Position  # after them

    @classmethod
    def start(cls, fen: str, chess960: bool) -> Self:
        """A game without moves. `ValueError` for a FEN that cannot be played."""
        return cls(fen, chess960, (), Position(fen, chess960=chess960))

    def is_continued_by(self, fen: str, chess960: bool, texts: list[str]) -> bool:
        """Whether another game is this one, or this one with more moves."""
        same_start = (fen, chess960) == (self.fen, self.chess960)
        return same_start and tuple(texts[: len(self.texts)]) == self.texts

    def play(self, texts: list[str]) -> tuple["Game", tuple[int, ...]]:
        """The game after more moves, and the codes of these moves. `ValueError` if one is not legal."""
        position, codes = self.position, []
        for text in texts:
            codes.append(position.code(text))
            position = position.play(codes[-1])
        return Game(self.fen, self.chess960, (*self.texts, *texts), position), tuple(codes)
