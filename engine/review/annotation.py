"""A judged move as it is written into PGN."""

from engine.pgn.annotated import Annotation
from engine.review.judged import Judged, evaluation_of
from engine.review.marks import Severity


def annotation_of(judged: Judged) -> Annotation:
    """The evaluation; with a mark its NAG and the evidence; where something was lost, the better line."""
    if judged.nag is None:
        return Annotation(judged.evaluation)
    text = comment(judged)
    if judged.severity is Severity.NONE:
        return Annotation(judged.evaluation, [judged.nag], text)
    sign = 1 if judged.turn == "white" else -1
    best = judged.before
    return Annotation(judged.evaluation, [judged.nag], text, best.pv, evaluation_of(best, sign))


def comment(judged: Judged) -> str:
    """`Blunder: score .12 (96,000 visits); Nf6 has .48 (8,000).`"""
    return f"{str(judged.mark).capitalize()}: {judged.evidence}."
