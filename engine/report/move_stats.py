"""The moves of a node with their statistics, which of them is the best, and their scores in all units.

Proofs come before visits, visits before scores.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.mcts import proof
from engine.mcts.tree import SCORE_UNIT, Tree, edges_of
from engine.network.architecture import PRIOR_UNIT

UNPROVEN, LOSS, DRAW, WIN = (int(result) for result in (proof.UNPROVEN, proof.LOSS, proof.DRAW, proof.WIN))
EXACT_SCORES = {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}
CENTIPAWNS_PER_LOGIT = 250
LARGEST_CENTIPAWNS = 9999
RESULT_NAMES = ("", "loss", "draw", "win")
DIGITS = 6  # of all numbers that are not whole, as data


class MoveStats(NamedTuple):
    """A move of a node. All values are for the player who makes it."""

    slot: int
    code: int
    visits: int
    wins: int
    draws: int
    prior: float
    result: int  # UNPROVEN, LOSS, DRAW or WIN
    distance: int  # plies to the end, if proven

    @property
    def score(self) -> float:
        """Expected score in [0, 1]: exact if proven, ½ while nothing is known."""
        if self.result:
            return EXACT_SCORES[self.result]
        return self.wins / SCORE_UNIT / self.visits if self.visits else 0.5

    @property
    def draw_share(self) -> float:
        """The share of draws in [0, 1]."""
        if self.result:
            return 1.0 if self.result == DRAW else 0.0
        return self.draws / SCORE_UNIT / self.visits if self.visits else 0.0

    @property
    def is_known(self) -> bool:
        """Was the move visited, or is its result proven?"""
        return self.visits > 0 or self.result != UNPROVEN

    @property
    def is_lost(self) -> bool:
        """Is it proven to lose?"""
        return self.result == LOSS


def moves_below(tree: Tree, slot: int) -> list[MoveStats]:
    """The moves of the node below an edge, in the order of `rank`; empty if it was not expanded."""
    edges = edges_of(tree, slot)
    block = slice(edges.start, edges.stop)
    columns = (tree.move, tree.visits, tree.wins, tree.draws, tree.prior, tree.proven)
    rows = zip(edges, *(column[block].tolist() for column in columns), strict=True)
    return sorted((as_stats(*row) for row in rows), key=rank, reverse=True)


def as_stats(slot: int, code: int, visits: int, wins: int, draws: int, prior: int, proven: int) -> MoveStats:
    """The statistics of a move from the fields of its slot."""
    return MoveStats(slot, code, visits, wins, draws, prior / PRIOR_UNIT, *result_and_distance(proven))


def result_and_distance(proven: int) -> tuple[int, int]:
    """The two parts of a proof, see engine.mcts.proof."""
    return proven >> int(proof.RESULT_SHIFT), proven & int(proof.DISTANCE_MASK)


def rank(move: MoveStats) -> tuple[float, ...]:
    """The order of moves: proven wins, the quickest first; others by visits and score; losses, the longest first.

    Proven draws are among the others; `best_of` compares them by their exact score.
    """
    if move.result == WIN:
        return (2, -move.distance)
    if move.result == LOSS:
        return (0, move.distance)
    return (1, move.visits, move.score)


def best_of(moves: Sequence[MoveStats]) -> MoveStats:
    """The move to play, of moves in the order of `rank`.

    The quickest proven win; else a proven draw, if the best of the open moves promises less; else the open move with
    the most visits; else the slowest loss.
    """
    return allowed(moves)[0]


def allowed(moves: Sequence[MoveStats]) -> list[MoveStats]:
    """The moves that may be chosen at random, best first: what a proof decides is never left to chance."""
    if moves[0].result in (WIN, LOSS):  # losses are last in the order: here all moves lose
        return [moves[0]]
    drawn = [move for move in moves if move.result == DRAW]
    open_moves = [move for move in moves if move.result == UNPROVEN and move.visits]
    if not drawn:
        return open_moves or [moves[0]]
    if not open_moves or open_moves[0].score < 0.5:
        return drawn
    return [move for move in open_moves if move is open_moves[0] or move.score >= 0.5] + drawn


def in_order(moves: list[MoveStats]) -> list[MoveStats]:
    """The moves with the best one first, the others by `rank`."""
    known = [move for move in moves if move.is_known]
    if not known:
        return moves
    best = best_of(known)
    return [best, *(move for move in moves if move is not best)]


# In the units that people and GUIs use


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


# As plain data


def q_of(move: MoveStats) -> float | None:
    """The score of a move, if anything is known of it."""
    return round(move.score, DIGITS) if move.is_known else None


def wdl_of(move: MoveStats) -> list[int] | None:
    """Win, draw and loss in permille, if anything is known of it."""
    return list(wdl(move)) if move.is_known else None


def mean_score(wins: int, visits: int) -> float | None:
    """Q from the sums in a tree or its history, where nothing is proven."""
    return round(wins / SCORE_UNIT / visits, DIGITS) if visits else None


def proof_of(result: int, plies: int) -> dict[str, Any] | None:
    """The proven result of a move, and how many plies it takes, the move itself included."""
    return {"result": RESULT_NAMES[result], "plies": plies} if result else None


def rounded_or_none(number: float | None) -> float | None:
    """As it is shown; None stays None."""
    return None if number is None else round(number, DIGITS)
