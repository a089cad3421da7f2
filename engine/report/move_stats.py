"""The moves of a node with their statistics, and which of them is the best.

Proofs come before visits, visits before scores.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.mcts import proof
from engine.mcts.tree import PRIOR_UNIT, SCORE_UNIT, Tree, edges_of

UNPROVEN, LOSS, DRAW, WIN = (int(result) for result in (proof.UNPROVEN, proof.LOSS, proof.DRAW, proof.WIN))
EXACT_SCORES = {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}


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
