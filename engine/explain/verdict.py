"""The verdict on a move: a few rules in a fixed order, and the one table of their thresholds."""

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """In the order in which they are tried; the first that fits is the answer."""

    NOT_LEGAL = "NOT LEGAL"
    PROVEN_WIN = "PROVEN WIN"
    PROVEN_DRAW = "PROVEN DRAW"
    PROVEN_LOSS = "PROVEN LOSS"
    BEST = "BEST"
    FEW_VISITS = "FEW VISITS"
    REFUTED = "LOOKS REFUTED"  # counted, not proven
    CLOSE = "CLOSE"
    UNDECIDED = "UNDECIDED"  # a better score than the best move, with fewer visits
    WORSE = "WORSE"


VERDICT_OF_PROOF = {"win": Verdict.PROVEN_WIN, "draw": Verdict.PROVEN_DRAW, "loss": Verdict.PROVEN_LOSS}


class Thresholds(NamedTuple):
    """Scores are in [0, 1]."""

    few_visits: int = 200  # a move with fewer visits …
    small_share: float = 0.01  # … and a smaller share than this cannot be judged
    extra_visits: int = 2000  # that such a move is given
    least_visits: int = 100_000  # that a move gets by a separate search before it is called refuted, or …
    most_visits: int = 200_000  # … as many as the best move has, up to this
    like_the_best: float = 0.05  # a first look this near to the best move's promised as much
    clearly_below: float = 0.10  # the best move's score: what `review` calls a mistake
    one_reply: float = 0.6  # share of the replies' visits that makes one the refutation
    close: float = 0.02  # to the best move's score


THRESHOLDS = Thresholds()


class Evidence(NamedTuple):
    """What is known of a move and of the best one. All scores are for the player to move."""

    proven: str | None  # "win", "draw", "loss"
    is_best: bool
    visits: int
    best_visits: int
    share: float
    score: float | None
    best_score: float
    first_look: float | None
    best_first_look: float | None
    reply_share: float  # of the reply with the most visits
    was_searched: bool = False  # separately


def verdict_on(evidence: Evidence, limits: Thresholds = THRESHOLDS) -> Verdict:
    """The first verdict that fits."""
    if evidence.proven is not None:
        return VERDICT_OF_PROOF[evidence.proven]
    if evidence.is_best:
        return Verdict.BEST
    if evidence.score is None or has_few_visits(evidence, limits):
        return Verdict.FEW_VISITS
    below = evidence.best_score - evidence.score
    if looks_refuted(evidence, limits) and evidence.visits >= visits_to_refute(evidence, limits):
        return Verdict.REFUTED
    if abs(below) <= limits.close:
        return Verdict.CLOSE
    return Verdict.WORSE if below > 0 else Verdict.UNDECIDED


def visits_missing(evidence: Evidence, limits: Thresholds = THRESHOLDS) -> int:
    """The visits that a move should get by a separate search before it is judged; 0: what is known is enough."""
    if evidence.proven is not None or evidence.is_best:
        return 0
    if evidence.score is None or has_few_visits(evidence, limits):
        return limits.extra_visits
    is_open = looks_refuted(evidence, limits) and evidence.visits < visits_to_refute(evidence, limits)
    return visits_to_refute(evidence, limits) if is_open else 0


def visits_to_refute(evidence: Evidence, limits: Thresholds) -> int:
    """A move may be called refuted on as many visits as the best one has, within reason."""
    return max(limits.least_visits, min(evidence.best_visits, limits.most_visits))


def looks_refuted(evidence: Evidence, limits: Thresholds) -> bool:
    """Did it promise much, and does one reply leave it clearly below the best move?"""
    return (
        evidence.score is not None
        and evidence.best_score - evidence.score >= limits.clearly_below
        and promised_as_much(evidence, limits)
        and evidence.reply_share >= limits.one_reply
    )


def has_few_visits(evidence: Evidence, limits: Thresholds) -> bool:
    """Are there too few visits to say anything?"""
    return not evidence.was_searched and evidence.visits < limits.few_visits and evidence.share < limits.small_share


def promised_as_much(evidence: Evidence, limits: Thresholds) -> bool:
    """Did the first look see about as much in the move as in the best one, or more?"""
    if evidence.first_look is None or evidence.best_first_look is None:
        return False
    return evidence.first_look >= evidence.best_first_look - limits.like_the_best
