"""The moves of a node with their statistics, as plain data."""

from typing import NamedTuple

from engine.mcts.tree import SCORE_UNIT, Tree, edges_of

LOSS, DRAW, WIN = 1, 2, 3


class MoveStats(NamedTuple):
    """A move of a node. All values are for the player who makes it."""

    slot: int
    code: int
    visits: int
    wins: int
    draws: int
    prior: float
    result: int  # 0, or LOSS, DRAW, WIN if proven
    distance: int  # plies to the end, if proven

    @property
    def score(self) -> float:
        """Expected score in [0, 1]: exact if proven, ½ while nothing is known."""
        if self.result:
            return {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}[self.result]
        return self.wins / SCORE_UNIT / self.visits if self.visits else 0.5

    @property
    def draw_share(self) -> float:
        """The share of draws in [0, 1]."""
        if self.result:
            return 1.0 if self.result == DRAW else 0.0
        return self.draws / SCORE_UNIT / self.visits if self.visits else 0.0


def moves_below(tree: Tree, slot: int) -> list[MoveStats]:
    """The moves of the node below an edge, best first; empty if it was not expanded."""
    edges = edges_of(tree, slot)
    own = slice(edges.start, edges.stop)
    columns = (tree.move, tree.visits, tree.wins, tree.draws, tree.prior, tree.proven)
    rows = zip(edges, *(column[own].tolist() for column in columns), strict=True)
    return sorted((as_stats(*row) for row in rows), key=rank, reverse=True)


def as_stats(slot: int, code: int, visits: int, wins: int, draws: int, prior: int, proven: int) -> MoveStats:
    """What the slot of an edge says."""
    return MoveStats(slot, code, visits, wins, draws, prior / 65535, proven >> 14, proven & 0x3FFF)


def rank(move: MoveStats) -> tuple[float, ...]:
    """The order of final moves: proven wins, the quickest first; others by visits and score; losses, the longest first.

    Proven draws stand among the others; `choice.best_of` judges them by their exact score.
    """
    if move.result == WIN:
        return (2, -move.distance)
    if move.result == LOSS:
        return (0, move.distance)
    return (1, move.visits, move.score)
