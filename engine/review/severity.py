"""How bad a loss of winning chances is. The thresholds are those of lichess, on its scale from -1 to 1."""

from enum import StrEnum


class Severity(StrEnum):
    """Of a move that lost something."""

    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"
    NONE = ""


LEAST_LOSS = {Severity.BLUNDER: 0.3, Severity.MISTAKE: 0.2, Severity.INACCURACY: 0.1}  # of winning chances
NAGS = {Severity.BLUNDER: 4, Severity.MISTAKE: 2, Severity.INACCURACY: 6}
MARKS = {Severity.BLUNDER: "??", Severity.MISTAKE: "?", Severity.INACCURACY: "?!", Severity.NONE: ""}
CHANCES_PER_SCORE = 2  # a score goes from 0 to 1, winning chances from -1 to 1


def severity_of(loss: float) -> Severity:
    """Of a loss of score (win 1, draw 1/2)."""
    chances = round(CHANCES_PER_SCORE * loss, 6)
    return next((severity for severity, least in LEAST_LOSS.items() if chances >= least), Severity.NONE)
