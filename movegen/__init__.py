"""The rules of chess on bitboards: `Position` for people, kernels for engines."""

from movegen.outcome import Ending
from movegen.position import Position

__all__ = ["Ending", "Position"]
