"""What a loss of winning chances is called. The thresholds are those of lichess, on its scale from -1 to 1."""

from enum import StrEnum


class Verdict(StrEnum):
    """A word for a move that lost something."""

    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"
    NONE = ""


LEAST_LOSS = {Verdict.BLUNDER: 0.3, Verdict.MISTAKE: 0.2, Verdict.INACCURACY: 0.1}  # of winning chances
NAGS = {Verdict.BLUNDER: 4, Verdict.MISTAKE: 2, Verdict.INACCURACY: 6}
MARKS = {Verdict.BLUNDER: "??", Verdict.MISTAKE: "?", Verdict.INACCURACY: "?!", Verdict.NONE: ""}
CHANCES_PER_SCORE = 2  # a score goes from 0 to 1, winning chances from -1 to 1


def verdict_on(loss: float) -> Verdict:
    """The word for a loss of score (win 1, draw 1/2)."""
    chances = round(CHANCES_PER_SCORE * loss, 6)
    return next((word for word, least in LEAST_LOSS.items() if chances >= least), Verdict.NONE)
