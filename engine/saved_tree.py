"""A search in a file (.npz): the tree, the game, the options and the history. What was never visited is left out
below nodes with few visits; all numbers of what was visited stay.

Moves stand in the order of plies: those of the root, then those of its nodes, and so on. `children` tells how many
moves each has below it.
"""

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.history import History, Sample
from engine.mcts.tree import BUSY, CURSOR, FREE, IN_USE, LIVE, NO_NODE, ROOT, Tree, clear, new_tree
from engine.options import OPTIONS, Settings
from engine.report.places import Places
from engine.report.report import Report
from engine.report.source import Source
from engine.search import Searcher
from engine.settings import kernel_settings
from movegen import Position
from movegen.moves import MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "teresa-tree/1"
WHOLE_FROM = 64  # visits from which on a node keeps its unvisited moves
FIELDS = ("visits", "wins", "draws", "move", "prior", "proven")
SAVED_OPTIONS = tuple(
    option.name for option in OPTIONS if option.kind in ("spin", "combo") and not option.name.startswith("Explorer")
)
MOST_SLOTS = 1 << 31
COMPRESSION = 1  # quick; the numbers do not get much smaller


class Loaded:
    """What a file holds."""

    def __init__(self, told: dict[str, Any], arrays: "Mapping[str, np.ndarray]") -> None:
        if told.get("schema") != SCHEMA:
            raise ValueError("not a tree of this version")
        self.settings = Settings()
        for name, value in told["options"].items():
            self.settings.set(name, str(value))
        self.start, self.moves, self.chess960 = told["start"], tuple(told["moves"]), bool(told["chess960"])
        self.position = Position(self.start, chess960=self.chess960).play_all(list(self.moves))
        self.arrays = arrays
        self.slots = 1 + int(arrays["children"].size) + int(np.count_nonzero(arrays["children"]))
        self.history = History()
        self.history.restore(_samples(arrays))

    def fill(self, tree: Tree) -> None:
        """Write the tree into an empty one; `ValueError` if it has not enough room."""
        if self.slots + 2 > tree.visits.size:
            raise ValueError(f"the tree needs {self.slots * 32 >> 20} MB: set Hash")
        clear(tree)
        _lay_out(tree, self.arrays, self.slots)

    def report(self) -> Report:
        """To look at, without a search."""
        from engine.knowledge import Knowledge

        tree = new_tree(2 + (self.slots * 32 >> 20))
        self.fill(tree)
        return Report(
            Source(
                tree=tree,
                places=Places(self.position),
                history=self.history,
                run=None,
                settings=kernel_settings(self.settings),
                network=Knowledge().network,
                is_current=lambda: True,
            )
        )


def save(path: Path, searcher: Searcher, start: str, moves: tuple[str, ...]) -> int:
    """Write the search to a file; -> how many moves it has. Not while threads search."""
    tree = searcher.prepare()
    arrays = _packed(tree)
    told = {
        "schema": SCHEMA,
        "start": start,
        "moves": list(moves),
        "chess960": searcher.position.chess960,
        "options": {name: searcher.options.text(name) for name in SAVED_OPTIONS},
    }
    codes, samples = searcher.history.read()
    arrays |= {
        "codes": np.array(codes, dtype=np.uint16),
        "seconds": np.array([sample.seconds for sample in samples]),
        "sample_visits": np.array([sample.visits for sample in samples], dtype=np.int64),
        "counts": np.array([sample.counts for sample in samples], dtype=np.uint32).reshape(-1, len(codes)),
        "sums": np.array([sample.wins for sample in samples], dtype=np.int64).reshape(-1, len(codes)),
        "told": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
    return int(arrays["children"].size)


def load(path: Path) -> Loaded:
    """Read a file; `ValueError` if it is not a saved tree."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        told = json.loads(arrays["told"].tobytes())
        _check(arrays)
        return Loaded(told, arrays)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except (KeyError, TypeError, AttributeError, zipfile.BadZipFile, EOFError, ValueError) as error:
        raise ValueError(f"{path}: no saved tree ({error})") from None


def _packed(tree: Tree) -> dict[str, np.ndarray]:
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
        below = headers[owner] + 1 + within
        is_whole = (tree.visits[edges][owner] >= WHOLE_FROM) | (len(parts) == 1)  # the root always
        is_kept = (tree.visits[below] > 0) | (tree.proven[below] > 0) | is_whole
        counts.append(np.bincount(owner[is_kept], minlength=edges.size))
        edges = below[is_kept]
    order = np.concatenate(parts)
    packed = {name: getattr(tree, name)[order] for name in FIELDS}
    return {**packed, "children": np.concatenate(counts).astype(np.uint8)}


def _lay_out(tree: Tree, arrays: "Mapping[str, np.ndarray]", slots: int) -> None:
    """Give each node a block, in the order of plies."""
    children = arrays["children"].astype(np.int64)
    has_node = children > 0
    above = np.concatenate([[-1], np.repeat(np.arange(children.size), children)])  # the edge above each edge
    node = np.cumsum(has_node) - 1  # the number of the node below an edge
    own = np.arange(children.size) + np.where(above >= 0, node[above] + 1, 0)  # slots: a header before each block
    for name in FIELDS:
        getattr(tree, name)[own] = arrays[name]
    for name in ("link", "in_flight"):
        getattr(tree, name)[own] = 0
    sizes, uppers = children[has_node], own[has_node]
    firsts = 1 + np.cumsum(children)[has_node] - sizes  # the first edge of each block
    headers = own[firsts] - 1
    tree.link[uppers] = headers
    tree.visits[headers], tree.wins[headers], tree.move[headers] = sizes, uppers, LIVE
    tree.link[headers] = tree.in_flight[headers] = 0
    tree.control[int(IN_USE)] = slots - 1
    tree.control[int(CURSOR)] = slots
    tree.move[slots], tree.visits[slots], tree.link[slots] = FREE, tree.visits.size - slots - 1, NO_NODE


def _samples(arrays: "Mapping[str, np.ndarray]") -> tuple[tuple[int, ...], list[Sample]]:
    columns = (arrays["seconds"].tolist(), arrays["sample_visits"].tolist(), arrays["counts"], arrays["sums"])
    return tuple(arrays["codes"].tolist()), [Sample(*line) for line in zip(*columns, strict=True)]


def _check(arrays: "Mapping[str, np.ndarray]") -> None:
    """Whatever the file says, nothing may point outside the tree."""
    children = arrays["children"]
    sizes = {arrays[name].size for name in (*FIELDS, "children")}
    if len(sizes) != 1 or children.size > MOST_SLOTS or children.dtype != np.uint8 or children.ndim != 1:
        raise ValueError("columns of different lengths")
    if int(children.sum()) != children.size - 1 or (children > MAX_MOVES).any():
        raise ValueError("moves without a node")
    starts = 1 + np.cumsum(children.astype(np.int64)) - children
    if (starts[children > 0] <= np.flatnonzero(children)).any():
        raise ValueError("a node before its move")
