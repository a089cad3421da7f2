"""Checks of a saved tree: could a search have made it? Each raises a `ValueError` if not."""

import numpy as np

from engine.mcts.check import ILLEGAL, NO_NODE_BELOW, SOUND, TOO_DEEP, UNVISITED, Moves, new_path, try_moves
from engine.mcts.params import root_of
from engine.mcts.tree import SCORE_UNIT
from engine.report.history import MOST_SAMPLES, Sample, within_bounds
from engine.report.tree_columns import TREE_KINDS, Columns, above, first_of
from movegen import Position

LONGEST_SECONDS = 1e12  # of a search
FAULTS = {
    ILLEGAL: "a move that is not legal",
    UNVISITED: "moves below one that was never visited",
    TOO_DEEP: "a line longer than any search makes",
}


def check_shape(columns: Columns) -> None:
    """There is one tree, in the order of plies."""
    children = columns["children"]
    if any(columns[name].ndim != 1 or columns[name].size != children.size for name in (*TREE_KINDS, "children")):
        raise ValueError("columns of different lengths")
    if children.size == 0 or int(children.sum(dtype=np.int64)) != children.size - 1:
        raise ValueError("moves without a node")
    if (first_of(children)[children > 0] <= np.flatnonzero(children)).any():
        raise ValueError("a node before its move")


def check_numbers(columns: Columns, children: np.ndarray) -> None:
    """Visits and scores are those of a search."""
    visits, wins, draws = (columns[name].astype(np.int64) for name in ("visits", "wins", "draws"))
    most = visits * SCORE_UNIT
    if ((wins < 0) | (wins > most) | (draws < 0) | (draws > most)).any():
        raise ValueError("a score out of bounds")
    # A draw is half a win for both; the half may be rounded once a visit.
    if ((2 * wins < draws - visits) | (2 * (most - wins) < draws - visits)).any():
        raise ValueError("wins and draws that do not fit together")
    below = np.bincount(above(children)[1:], weights=visits[1:], minlength=children.size)
    if (below > visits).any():
        raise ValueError("more visits below a move than it has")


def tried_moves(columns: Columns, children: np.ndarray, position: Position) -> Moves:
    """The moves, tried from the root; with the state of their nodes, and the proofs found again."""
    move, visits = np.array(columns["move"]), np.array(columns["visits"])
    node, proven = np.full(move.size, NO_NODE_BELOW, dtype=np.uint8), np.zeros(move.size, dtype=np.uint16)
    moves = Moves(move, visits, children, first_of(children), node, proven)
    found = int(try_moves(moves, root_of(position), new_path()))
    if found != SOUND:
        raise ValueError(FAULTS[found])
    return moves


def checked_samples(columns: Columns, position: Position) -> tuple[tuple[int, ...], list[Sample]]:
    """The moves and samples of the history."""
    codes, seconds, visits = columns["codes"], columns["seconds"], columns["sample_visits"]
    count, moves = seconds.size, tuple(codes.tolist())
    table = (count, len(moves))
    shapes = {"codes": (len(moves),), "seconds": (count,), "sample_visits": (count,), "counts": table, "sums": table}
    if count > MOST_SAMPLES or any(columns[name].shape != shape for name, shape in shapes.items()):
        raise ValueError("a history of another shape")
    if len(set(moves)) != len(moves) or not set(moves) <= set(position.move_codes):
        raise ValueError("a history of other moves")
    does_grow = (np.diff(seconds, prepend=0.0, append=LONGEST_SECONDS) >= 0).all()  # not a number: no
    if not does_grow or (np.diff(visits, prepend=-1) <= 0).any() or (columns["sums"] < 0).any():
        raise ValueError("a history that goes backwards")
    rows = zip(seconds.tolist(), visits.tolist(), columns["counts"], columns["sums"], strict=True)
    return moves, [within_bounds(Sample(*row)) for row in rows]
