"""The words for moves: what they lost, or what was special about them; their glyphs and NAGs.

The thresholds of losses are those of lichess, on its scale of winning chances from -1 to 1.
"""

from enum import StrEnum

CHANCES_PER_SCORE = 2  # a score goes from 0 to 1, winning chances from -1 to 1


class Severity(StrEnum):
    """Of a move that lost something."""

    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"
    NONE = ""


LEAST_LOSS = {Severity.BLUNDER: 0.3, Severity.MISTAKE: 0.2, Severity.INACCURACY: 0.1}  # of winning chances
NAG_OF_SEVERITY = {Severity.BLUNDER: 4, Severity.MISTAKE: 2, Severity.INACCURACY: 6}
MARK_OF_SEVERITY = {Severity.BLUNDER: "??", Severity.MISTAKE: "?", Severity.INACCURACY: "?!", Severity.NONE: ""}


def severity_of(loss: float) -> Severity:
    """Of a loss of score (win 1, draw 1/2)."""
    chances = round(CHANCES_PER_SCORE * loss, 6)
    return next((severity for severity, least in LEAST_LOSS.items() if chances >= least), Severity.NONE)


class Mark(StrEnum):
    """What a move is called. A missed win is a mistake or a blunder as well."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"
    MISSED_WIN = "missed win"
    ONLY_MOVE = "only move"
    BRILLIANT = "brilliant"
    NONE = ""


NAG_OF_MARK = {Mark.ONLY_MOVE: 8, Mark.BRILLIANT: 3}  # of the others: by their severity
GLYPH_OF_MARK = {Mark.ONLY_MOVE: "□", Mark.BRILLIANT: "!!"}

# All of these are scores for the player who moves.
WON = 0.85  # the least score of a position that should be won
OPEN = (0.35, 0.65)  # what a missed win leaves: neither won nor lost
ONLY_MOVE_GAP = 0.15  # what the best other move loses at least: it would be a blunder
BEST_AFTER_SACRIFICE = 0.5  # a sacrifice that leaves less is none that works
EASILY_WON = 0.9  # where another move wins as well, a sacrifice is only one way of many
LEAST_GIVEN_UP = 2  # pawns


def is_missed_win(best: float, left: float, severity: Severity) -> bool:
    """Was a win given away, but not the game?"""
    return severity in (Severity.MISTAKE, Severity.BLUNDER) and best >= WON and OPEN[0] <= left <= OPEN[1]


def nag_of(mark: Mark, severity: Severity) -> int | None:
    """The numeric annotation glyph of PGN."""
    return NAG_OF_MARK.get(mark) or NAG_OF_SEVERITY.get(severity)


def glyph_of(mark: Mark, severity: Severity) -> str:
    """As it is written after a move."""
    return GLYPH_OF_MARK.get(mark) or MARK_OF_SEVERITY[severity]
