"""A search in a file (.npz): the tree, the game, the options and the history.

Moves stand in the order of plies: those of the root, then those of its nodes, and so on. `children` tells how many
moves each has below it. A file may come from anywhere: its moves are tried on the board, and its proofs are found
again from the ends of games. What cannot be proven again, as its moves were recycled before, is not taken over.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.config.options import BY_NAME, OPTIONS, Options
from engine.config.search_params import search_params
from engine.mcts.check import (
    ILLEGAL,
    NO_NODE_BELOW,
    OVER,
    PARTIAL,
    SOUND,
    TOO_DEEP,
    UNVISITED,
    Moves,
    new_way,
    try_moves,
)
from engine.mcts.params import root_of
from engine.mcts.tree import (
    BUSY,
    BYTES_PER_SLOT,
    CURSOR,
    FREE,
    IN_USE,
    LIVE,
    NO_NODE,
    ROOT,
    SCORE_UNIT,
    Tree,
    clear,
    new_tree,
)
from engine.report.columns_file import ColumnsFile, packed
from engine.report.history import MOST_SAMPLES, History, Sample, within_bounds
from engine.report.positions import Places
from engine.report.report import Report
from engine.report.snapshot import Source
from engine.search.searcher import Searcher
from engine.system.output_file import check_writable, write_whole
from movegen import Position
from movegen.moves import MAX_MOVES

SCHEMA = "teresa-tree/1"
TREE_KINDS = {"visits": "<u4", "wins": "<i8", "draws": "<i8", "move": "<u2", "prior": "<u2", "proven": "<u2"}
KINDS = {
    **{name: (kind,) for name, kind in TREE_KINDS.items()},
    "children": ("<u2", "|u1"),
    "codes": ("<u2",),
    "seconds": ("<f8",),
    "sample_visits": ("<i8",),
    "counts": ("<u4",),
    "sums": ("<i8",),
    "told": ("|u1",),
}
SAVED_OPTIONS = tuple(
    option.name for option in OPTIONS if option.kind in ("spin", "combo") and not option.name.startswith("Explorer")
)
MOST_SLOTS = 1 << 31
LONGEST_SECONDS = 1e12  # of a search
LONGEST_TEXT = 1 << 18  # bytes of game and options
FAULTS = {
    ILLEGAL: "a move that is not legal",
    UNVISITED: "moves below one that was never visited",
    TOO_DEEP: "a line longer than any search makes",
}
Columns = Mapping[str, np.ndarray]


class NoRoomError(ValueError):
    """A tree is too large."""


class Loaded:
    """What a file holds. `ValueError` if no search can have made it."""

    def __init__(self, told: dict[str, Any], columns: Columns) -> None:
        self.options = Options()
        for name, value in told["options"].items():
            if name.lower() in BY_NAME:  # there may be others in other versions
                self.options.set(name, str(value))
        self.start, self.moves = str(told["start"]), tuple(map(str, told["moves"]))
        self.chess960 = bool(told["chess960"])
        self.position = Position(self.start, chess960=self.chess960).play_all(self.moves)
        children = columns["children"].astype(np.int64)
        _check_numbers(columns, children)
        tried = _tried(columns["move"], columns["visits"], children, self.position)
        self.lost_proofs = int(np.count_nonzero((columns["proven"] != 0) & (tried.proven == 0)))
        self.columns = {**columns, "children": children, "proven": tried.proven}
        self._node = tried.node
        self.history = History()
        self.history.restore(_samples(columns, self.position))

    def fill(self, tree: Tree) -> None:
        """Write the tree over another one, for a search; `NoRoomError`, with nothing changed, if it is too large.

        A node that lacks moves (older files left some out) would count as complete: a search makes it again.
        """
        _lay_out(tree, _without(self.columns, (self._node == PARTIAL) | (self._node == OVER)))

    def report(self) -> Report:
        """To look at, without a search."""
        from engine.search.resources import Knowledge

        tree = new_tree(1 + (_slots(self.columns["children"]) * BYTES_PER_SLOT >> 20))
        _lay_out(tree, _without(self.columns, self._node == OVER))
        return Report(
            Source(
                tree=tree,
                places=Places(self.position),
                history=self.history,
                run=None,
                params=search_params(self.options),
                network=Knowledge().network,
                is_current=lambda: True,
            )
        )


def save(path: Path, searcher: Searcher, start: str, moves: tuple[str, ...], *, force: bool = False) -> int:
    """Write the search to a file; -> how many moves it has. Not while threads search.

    `ValueError` if there is a file that is not a saved tree (unless `force`), or if it cannot be written.
    """
    check_writable(path, is_ours=lambda _: is_saved_tree(path), kind="a saved tree", force=force)
    tree = searcher.prepare()
    columns = _columns_of(tree)
    told = {
        "schema": SCHEMA,
        "start": start,
        "moves": list(moves),
        "chess960": searcher.position.chess960,
        "options": {name: str(searcher.options.value(name)) for name in SAVED_OPTIONS},
    }
    codes, samples = searcher.history.read()
    table = len(samples), len(codes)
    history = {
        "codes": np.array(codes, dtype="<u2"),
        "seconds": np.array([sample.seconds for sample in samples], dtype="<f8"),
        "sample_visits": np.array([sample.visits for sample in samples], dtype="<i8"),
        "counts": np.array([sample.counts for sample in samples], dtype="<u4").reshape(table),
        "sums": np.array([sample.wins for sample in samples], dtype="<i8").reshape(table),
    }
    text = {"told": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)}
    try:
        write_whole(path, packed({**text, **columns, **history}))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    return int(columns["children"].size)


def load(path: Path, room: int = MOST_SLOTS) -> Loaded:
    """Read a file; `ValueError` if it is not a saved tree, or needs more slots than there is `room` for."""
    try:
        with ColumnsFile.open(path, KINDS) as file:
            told = _read_text(file)
            children = file.read("children")
            _check_room(_slots(children), room)
            return Loaded(told, {**{name: file.read(name) for name in KINDS}, "children": children})
    except NoRoomError as error:
        raise NoRoomError(f"{path}: {error}") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: not a saved tree ({error})") from None


def is_saved_tree(path: Path) -> bool:
    """Does a file look like a saved tree? Only its description is read."""
    try:
        with ColumnsFile.open(path, KINDS) as file:
            return bool(_read_text(file))
    except (OSError, ValueError, RecursionError):
        return False


def _read_text(file: ColumnsFile) -> dict[str, Any]:
    text = file.read("told").tobytes()
    told = json.loads(text) if len(text) <= LONGEST_TEXT else None
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise ValueError("not of this version")
    return told


# From the tree and back


def _columns_of(tree: Tree) -> dict[str, np.ndarray]:
    """All moves in the order of plies, beginning with the edge above the root."""
    edges, parts = np.array([int(ROOT)], dtype=np.int64), []
    counts = []
    while edges.size:
        parts.append(edges)
        headers = tree.link[edges].astype(np.int64)
        headers[headers == int(BUSY)] = int(NO_NODE)
        numbers = np.where(headers != int(NO_NODE), tree.visits[headers], 0).astype(np.int64)
        owner = np.repeat(np.arange(edges.size), numbers)
        within = np.arange(owner.size) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        edges = headers[owner] + 1 + within
        counts.append(numbers)
    order = np.concatenate(parts)
    columns = {name: getattr(tree, name)[order].astype(kind, casting="safe") for name, kind in TREE_KINDS.items()}
    return {**columns, "children": np.concatenate(counts).astype("<u2")}


def _slots(children: np.ndarray) -> int:
    """How many slots a tree needs: one for each move, and one before the moves of each node."""
    return int(children.size) + int(np.count_nonzero(children))


def _check_room(slots: int, room: int) -> None:
    if slots > room:
        raise NoRoomError(f"the tree needs {-(-slots * BYTES_PER_SLOT >> 20)} MB: set Hash")


def _above(children: np.ndarray) -> np.ndarray:
    """The place of the move before each move; −1 for the edge above the root."""
    return np.concatenate([[-1], np.repeat(np.arange(children.size), children)])


def _without(columns: Columns, is_cut: np.ndarray) -> Columns:
    """The tree without the nodes below some moves, and all that follows."""
    if not is_cut[1:].any():
        return columns
    children, above = columns["children"], _above(columns["children"])
    is_cut[0] = False  # the root may be restricted to some moves
    is_kept = np.ones(children.size, dtype=bool)
    begin, end = 1, 1 + int(children[0])
    while begin < end:  # ply by ply
        before = above[begin:end]
        is_kept[begin:end] = is_kept[before] & ~is_cut[before]
        begin, end = end, end + int(children[begin:end].sum())
    kept = {name: columns[name][is_kept] for name in TREE_KINDS}
    return {**kept, "children": np.where(is_cut, 0, children)[is_kept]}


def _lay_out(tree: Tree, columns: Columns) -> None:
    """Give each node a block, in the order of plies."""
    children, room = columns["children"], tree.visits.size
    slots = _slots(children)
    _check_room(slots, room)
    has_node, above = children > 0, _above(children)
    node = np.cumsum(has_node) - 1  # the number of the node below a move
    own = np.arange(children.size) + np.where(above >= 0, node[above] + 1, 0)  # slots: a header before each block
    sizes, uppers = children[has_node], own[has_node]
    firsts = 1 + np.cumsum(children)[has_node] - sizes  # the first move of each block
    headers = own[firsts] - 1
    clear(tree)
    for name in TREE_KINDS:
        getattr(tree, name)[own] = columns[name]
    for array in (tree.link, tree.in_flight):
        array[own] = array[headers] = 0
    tree.link[uppers] = headers
    tree.visits[headers], tree.wins[headers], tree.move[headers] = sizes, uppers, LIVE
    tree.control[int(IN_USE)] = slots - 1
    tree.control[int(CURSOR)] = slots if slots < room else 1
    if slots < room:
        tree.move[slots], tree.visits[slots], tree.link[slots] = FREE, room - slots - 1, NO_NODE


# What must be true of a file


def _check_shape(columns: Columns) -> None:
    """There is one tree, in the order of plies."""
    children = columns["children"]
    if any(columns[name].ndim != 1 or columns[name].size != children.size for name in (*TREE_KINDS, "children")):
        raise ValueError("columns of different lengths")
    if children.size == 0 or int(children.sum(dtype=np.int64)) != children.size - 1 or (children > MAX_MOVES).any():
        raise ValueError("moves without a node")
    starts = 1 + np.cumsum(children, dtype=np.int64) - children
    if (starts[children > 0] <= np.flatnonzero(children)).any():
        raise ValueError("a node before its move")


def _check_numbers(columns: Columns, children: np.ndarray) -> None:
    """Visits and scores are those of a search."""
    _check_shape(columns)
    visits, wins, draws = (columns[name].astype(np.int64) for name in ("visits", "wins", "draws"))
    most = visits * SCORE_UNIT
    if ((wins < 0) | (wins > most) | (draws < 0) | (draws > most)).any():
        raise ValueError("a score out of bounds")
    # A draw is half a win for both; the half may be rounded once a visit.
    if ((2 * wins < draws - visits) | (2 * (most - wins) < draws - visits)).any():
        raise ValueError("wins and draws that do not fit together")
    below = np.bincount(_above(children)[1:], weights=visits[1:], minlength=children.size)
    if (below > visits).any():
        raise ValueError("more visits below a move than it has")


def _tried(move: np.ndarray, visits: np.ndarray, children: np.ndarray, position: Position) -> Moves:
    """The moves, tried from the root on; with what is known of their nodes and proofs."""
    first = 1 + np.cumsum(children) - children
    node, proven = np.full(move.size, NO_NODE_BELOW, dtype=np.uint8), np.zeros(move.size, dtype=np.uint16)
    moves = Moves(np.array(move), np.array(visits), children, first, node, proven)
    found = int(try_moves(moves, root_of(position), new_way()))
    if found != SOUND:
        raise ValueError(FAULTS[found])
    return moves


def _samples(columns: Columns, position: Position) -> tuple[tuple[int, ...], list[Sample]]:
    """The history; `ValueError` if it is none of this position."""
    codes, seconds, visits = columns["codes"], columns["seconds"], columns["sample_visits"]
    lines, moves = seconds.size, tuple(codes.tolist())
    table = (lines, len(moves))
    shapes = {"codes": (len(moves),), "seconds": (lines,), "sample_visits": (lines,), "counts": table, "sums": table}
    if lines > MOST_SAMPLES or any(columns[name].shape != shape for name, shape in shapes.items()):
        raise ValueError("a history of another shape")
    if len(set(moves)) != len(moves) or not set(moves) <= set(position.move_codes):
        raise ValueError("a history of other moves")
    does_grow = (np.diff(seconds, prepend=0.0, append=LONGEST_SECONDS) >= 0).all()  # not a number: no
    if not does_grow or (np.diff(visits, prepend=-1) <= 0).any() or (columns["sums"] < 0).any():
        raise ValueError("a history that goes backwards")
    lines_of = zip(seconds.tolist(), visits.tolist(), columns["counts"], columns["sums"], strict=True)
    return moves, [within_bounds(Sample(*line)) for line in lines_of]
