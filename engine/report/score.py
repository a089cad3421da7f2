"""Scores in the units that people and GUIs use."""

import math

from engine.report.move_stats import MoveStats

CENTIPAWNS_PER_LOGIT = 250
LARGEST_CENTIPAWNS = 9999
RESULTS = ("", "loss", "draw", "win")


def centipawns(score: float) -> int:
    """A score as GUIs show it: 250 · ln(s / (1 − s)), so ½ is 0 and ¾ about 275."""
    if score <= 0.0 or score >= 1.0:
        return -LARGEST_CENTIPAWNS if score <= 0.0 else LARGEST_CENTIPAWNS
    value = CENTIPAWNS_PER_LOGIT * math.log(score / (1 - score))
    return round(max(-LARGEST_CENTIPAWNS, min(LARGEST_CENTIPAWNS, value)))


def short_score(score: float | None) -> str:
    """A score in [0, 1] as `.49`."""
    return "-" if score is None else f"{score:.2f}".removeprefix("0")


def wdl(move: MoveStats, known_score: float | None = None) -> tuple[int, int, int]:
    """Win, draw and loss in permille; they add up to 1000."""
    if known_score is not None:
        return round(1000 * (known_score == 1)), round(1000 * (known_score == 0.5)), round(1000 * (known_score == 0))
    draws = round(1000 * move.draw_share)
    wins = min(1000 - draws, max(0, round(1000 * (move.score - move.draw_share / 2))))
    return wins, draws, 1000 - wins - draws
