"""Where a game turns: the moves whose positions are worth a longer search, and those that may be the only ones."""

from collections.abc import Sequence

from engine.review.judged import Judged
from engine.review.marks import LEAST_GIVEN_UP, LEAST_LOSS, ONLY_MOVE_GAP, Severity

NEAR_LOSS = LEAST_LOSS[Severity.INACCURACY] / 2 - 0.015  # of score: a longer search may call it an inaccuracy
LIKELY_LOST, LIKELY_WON = 0.25, 0.75  # scores beyond which the result is likely
LEAST_CHANGE = 0.02  # of score, so that a result that is just likely does not count each time
LEAST_MOVES = 3  # to choose from: where there are fewer, the only move is no find
RIVALS = 2  # other moves that are searched for themselves


def likely_result(score: float) -> int:
    """1 if it is likely won, -1 if likely lost, 0 between."""
    return (score >= LIKELY_WON) - (score <= LIKELY_LOST)


def turns(move: Judged) -> bool:
    """Does the score turn at a move, or may it have a mark?"""
    change = abs(move.before.score - move.score)
    has_new_result = change >= LEAST_CHANGE and likely_result(move.before.score) != likely_result(move.score)
    is_find = move.is_best and move.given_up >= LEAST_GIVEN_UP
    return move.loss >= NEAR_LOSS or has_new_result or is_find or stands_alone(move)


def stands_alone(move: Judged) -> bool:
    """Are all other moves far worse than the one that was played, as far as they were searched below the position?

    What wins material at once or ends the game is no find.
    """
    rows = move.before.rows
    is_plain = move.given_up <= -LEAST_GIVEN_UP or move.after.is_over
    if not move.is_best or is_plain or len(rows) < LEAST_MOVES:
        return False
    return all(move.before.score - float(row["q"] or 0) >= ONLY_MOVE_GAP for row in rows[1 : 1 + RIVALS])


def may_be_only(moves: Sequence[Judged], ply: int) -> bool:
    """May a move be the only one? One that only takes back is no find."""
    move = moves[ply]
    takes_back = ply > 0 and "x" in move.san and moves[ply - 1].uci[2:4] == move.uci[2:4] and "x" in moves[ply - 1].san
    return not takes_back and stands_alone(move)
