r"""The moves of a tree as columns, in the order of plies, and back.

The same small tree three times: root R with the moves a and b, of which a has the replies c, d.

    tree                  columns: one entry for each move, and R, the edge above the root
                            index      0   1   2   3   4
        R                   move       R   a   b   c   d
       / \                  children   2   2   0   0   0     how many moves the node below has
      a   b                 first      1   3                 1 + the sum of all `children` before: its first move
     / \                    above     -1   0   0   1   1     the move before each move
    c   d                   node       0   1                 nodes are numbered in the order of their moves above

    slots: a header before the moves of each node, so a move has the slot: its index + 1 for each header before it

        slot     0     1        2    3    4        5    6
                 R   [header    a    b] [header    c    d]

The moves of one node are neighbours in both forms. Only a tree that a file brings in is laid out like this; a search
puts its nodes anywhere.
"""

from collections.abc import Mapping

import numpy as np

from engine.mcts.check import ILLEGAL, NO_NODE_BELOW, NO_VISITS, SOUND, TOO_DEEP, Moves, new_path, try_moves
from engine.mcts.params import root_of
from engine.mcts.tree import BUSY, BYTES_PER_SLOT, CURSOR, FREE, IN_USE, LIVE, NO_NODE, ROOT, SCORE_UNIT, Tree, clear
from engine.report.progress import MOST_SAMPLES, Sample, within_bounds
from movegen import Position

TREE_KINDS = {"visits": "<u4", "wins": "<i8", "draws": "<i8", "move": "<u2", "prior": "<u2", "proven": "<u2"}
Columns = Mapping[str, np.ndarray]
LONGEST_SECONDS = 1e12  # of a search
FAULTS = {
    ILLEGAL: "a move that is not legal",
    NO_VISITS: "moves below one that was never visited",
    TOO_DEEP: "a line longer than any search makes",
}


class NoRoomError(ValueError):
    """A tree is too large."""


def columns_of(tree: Tree) -> dict[str, np.ndarray]:
    """All moves, ply by ply, beginning with the edge above the root."""
    plies: list[np.ndarray] = []  # of slots
    children: list[np.ndarray] = []
    slots = np.array([int(ROOT)], dtype=np.int64)
    while slots.size:
        headers = tree.link[slots].astype(np.int64)
        has_node = (headers != int(NO_NODE)) & (headers != int(BUSY))
        counts = np.where(has_node, tree.visits[np.where(has_node, headers, 0)], 0).astype(np.int64)
        plies.append(slots)
        children.append(counts)
        slots = _ranges(headers[has_node] + 1, counts[has_node])
    order = np.concatenate(plies)
    columns = {name: getattr(tree, name)[order].astype(kind, casting="safe") for name, kind in TREE_KINDS.items()}
    return {**columns, "children": np.concatenate(children).astype("<u2")}


def _ranges(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For each start, that many numbers from it, one range after the other."""
    offsets = np.cumsum(counts) - counts  # where each range begins in the result
    return np.repeat(starts - offsets, counts) + np.arange(int(counts.sum()))


def slots_needed(children: np.ndarray) -> int:
    """How many slots a tree needs: one for each move, and one for the header of each node."""
    return int(children.size) + int(np.count_nonzero(children))


def check_room(slots: int, room: int) -> None:
    """`NoRoomError` if there are too few slots."""
    if slots > room:
        raise NoRoomError(f"the tree needs {-(-slots * BYTES_PER_SLOT >> 20)} MB: set Hash")


def first_of(children: np.ndarray) -> np.ndarray:
    """The index of the first move of the node below each move, if there is one."""
    first: np.ndarray = 1 + np.cumsum(children, dtype=np.int64) - children
    return first


def above(children: np.ndarray) -> np.ndarray:
    """The index of the move before each move; −1 for the edge above the root."""
    return np.concatenate([[-1], np.repeat(np.arange(children.size), children)])


def without(columns: Columns, is_cut: np.ndarray) -> Columns:
    """The tree without the nodes below some moves, and everything below those. The root's node always stays."""
    if not is_cut[1:].any():
        return columns
    is_cut = np.concatenate([[False], is_cut[1:]])  # the root may be restricted to some moves
    children, before = columns["children"], above(columns["children"])
    is_kept = np.ones(children.size, dtype=bool)
    begin, end = 1, 1 + int(children[0])
    while begin < end:  # ply by ply
        parents = before[begin:end]
        is_kept[begin:end] = is_kept[parents] & ~is_cut[parents]
        begin, end = end, end + int(children[begin:end].sum())
    kept = {name: columns[name][is_kept] for name in TREE_KINDS}
    return {**kept, "children": np.where(is_cut, 0, children)[is_kept]}


def fill_tree(tree: Tree, columns: Columns) -> None:
    """Write the columns into a tree; `NoRoomError`, with nothing changed, if it is too small."""
    children, room = columns["children"], tree.visits.size
    used = slots_needed(children)
    check_room(used, room)
    has_node, before = children > 0, above(children)
    node = np.cumsum(has_node) - 1  # the number of the node below a move
    slot = np.arange(children.size) + np.where(before >= 0, node[before] + 1, 0)  # of each move
    edges, counts = slot[has_node], children[has_node]  # of each node: the edge above it, and its number of moves
    headers = slot[first_of(children)[has_node]] - 1
    clear(tree)
    for name in TREE_KINDS:
        getattr(tree, name)[slot] = columns[name]
    for array in (tree.link, tree.in_flight):
        array[slot] = array[headers] = 0
    tree.link[edges] = headers
    tree.visits[headers], tree.wins[headers], tree.draws[headers], tree.move[headers] = counts, edges, 0, LIVE
    tree.control[int(IN_USE)] = used - 1
    tree.control[int(CURSOR)] = used if used < room else 1
    if used < room:
        tree.move[used], tree.visits[used], tree.link[used] = FREE, room - used - 1, NO_NODE


# Could a search have made it? Each raises a `ValueError` if not.


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
