"""Accuracy and average centipawn loss, by the formulas that lichess publishes, so that the numbers can be compared.

Source: github.com/lichess-org/lila, `AccuracyPercent` and `AccuracyCP`, and github.com/lichess-org/scalachess,
`WinPercent`; explained on lichess.org/page/accuracy. Evaluations are centipawns for White.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, harmonic_mean, pstdev

CEILING = 1000  # centipawns: more counts as much, and so does a mate
FIRST = 15  # centipawns: the usual start, for White
WIN_SLOPE = 0.00368208  # per centipawn
SCALE, DECAY, OFFSET, BONUS = 103.1668100711649, 0.04354415386953951, -3.166924740191411, 1.0
SMALLEST_WINDOW, LARGEST_WINDOW, WINDOWS_IN_GAME = 2, 8, 10
LEAST_HARMONIC = 1.0  # percent: what the harmonic mean takes for less
LEAST_WEIGHT, LARGEST_WEIGHT = 0.5, 12.0


def capped(centipawns: float) -> float:
    """An evaluation as the formulas take it."""
    return max(-CEILING, min(CEILING, centipawns))


def win_percent(centipawns: float) -> float:
    """The chance to win of the player for whom the evaluation is, in percent."""
    return 50 + 50 * (2 / (1 + math.exp(-WIN_SLOPE * capped(centipawns))) - 1)


def move_accuracy(before: float, after: float) -> float:
    """Of a move that changes the mover's win percentage."""
    if after >= before:
        return 100.0
    raw = SCALE * math.exp(-DECAY * (before - after)) + OFFSET + BONUS
    return max(0.0, min(100.0, raw))


@dataclass(frozen=True)
class MoveNumbers:
    """Of a move."""

    turn: str
    accuracy: float
    weight: float  # the larger, the more the game moved around it
    centipawn_loss: float


def numbers_of_moves(first: float, centipawns: Sequence[float], turn: str) -> list[MoveNumbers]:
    """Of each move. `first`: before all moves; `centipawns`: after each; `turn`: of the first one."""
    capped_all = [capped(value) for value in (first, *centipawns)]
    percents = [win_percent(value) for value in capped_all]
    weights = _weights(percents)
    moves = []
    for index, weight in enumerate(weights):
        sign = 1 if (turn == "white") == (index % 2 == 0) else -1
        before, after = (percent if sign > 0 else 100 - percent for percent in percents[index : index + 2])
        loss = max(0.0, sign * (capped_all[index] - capped_all[index + 1]))
        moves.append(MoveNumbers("white" if sign > 0 else "black", move_accuracy(before, after), weight, loss))
    return moves


def _weights(percents: Sequence[float]) -> list[float]:
    """Of each move: how far the win percentages around it are spread."""
    plies = len(percents) - 1
    size = max(SMALLEST_WINDOW, min(LARGEST_WINDOW, plies // WINDOWS_IN_GAME))
    first = [percents[:size]] * (min(size, len(percents)) - 2)
    windows = [*first, *(percents[start : start + size] for start in range(len(percents) - size + 1))]
    return [max(LEAST_WEIGHT, min(LARGEST_WEIGHT, pstdev(window))) for window in windows[:plies]]


def accuracy_of(moves: Sequence[MoveNumbers]) -> float | None:
    """Of some moves of a player: the mean of their weighted and their harmonic mean; None without moves."""
    if not moves:
        return None
    accuracies = [move.accuracy for move in moves]
    weighted = fmean(accuracies, weights=[move.weight for move in moves])
    return (weighted + harmonic_mean([max(LEAST_HARMONIC, accuracy) for accuracy in accuracies])) / 2


def average_centipawn_loss(moves: Sequence[MoveNumbers]) -> float | None:
    """Of some moves of a player; None without moves."""
    return fmean(move.centipawn_loss for move in moves) if moves else None
