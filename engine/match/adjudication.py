"""Ends games before the rules do: by the scores that the players report, or by their length."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Adjudication:
    """When a game ends before the rules end it. Scores in centipawns, as the players report them; 0 moves: never."""

    resign_score: int = 0
    resign_moves: int = 0  # of the player who reports −`resign_score` or less, one after the other
    draw_score: int = 0
    draw_moves: int = 0  # of both players within ±`draw_score`
    draw_from: int = 40  # the number of the move
    most_plies: int = 600

    def has_resigned(self, scores: Sequence[int | None]) -> bool:
        """Does the player who has just moved give up? `scores`: of all moves, each for the player who moved."""
        own = scores[::-2][: self.resign_moves]
        return 0 < self.resign_moves == len(own) and all(
            score is not None and score <= -self.resign_score for score in own
        )

    def is_level(self, scores: Sequence[int | None], move_number: int) -> bool:
        """Do both players think that nothing will happen any more?"""
        last = scores[-2 * self.draw_moves :] if self.draw_moves and move_number >= self.draw_from else []
        return 0 < 2 * self.draw_moves == len(last) and all(
            score is not None and abs(score) <= self.draw_score for score in last
        )
