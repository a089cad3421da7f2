"""A search in a file (.npz): the tree, the game, the options and the history.

A file may come from anywhere: its moves are tried on the board, and its proofs are found again from the ends of games.
A proof whose moves were recycled before cannot be found again, and is left out.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.config.options import BY_NAME, OPTIONS, Options
from engine.config.search_params import search_params
from engine.mcts.check import OVER, PARTIAL
from engine.mcts.params import evaluation_of
from engine.mcts.tree import BYTES_PER_SLOT, EVALUATION, ROOT, Tree, new_tree
from engine.network.architecture import Network
from engine.report.columns_file import ColumnsFile, packed
from engine.report.lines import PositionCache
from engine.report.progress import History, SearchProgress
from engine.report.report import Report
from engine.report.snapshot import Snapshot
from engine.report.tree_columns import (
    TREE_KINDS,
    Columns,
    NoRoomError,
    check_numbers,
    check_room,
    check_shape,
    checked_samples,
    columns_of,
    fill_tree,
    slots_needed,
    tried_moves,
    without,
)
from engine.system.files import check_writable, write_whole
from movegen import Position

TREE_SCHEMA = "teresa-tree/1"
TEXT = "told"  # the column with game and options; files of all versions have this name
COLUMN_TYPES = {
    **{name: (kind,) for name, kind in TREE_KINDS.items()},
    "children": ("<u2", "|u1"),
    "codes": ("<u2",),
    "seconds": ("<f8",),
    "sample_visits": ("<i8",),
    "counts": ("<u4",),
    "sums": ("<i8",),
    TEXT: ("|u1",),
}
OFF_IN_OLD_FILES = {"Quiescence": "false", "Transpositions": "false"}  # they were searched without, and do not say so
SAVED_OPTIONS = (
    *(option.name for option in OPTIONS if option.kind in ("spin", "combo") and not option.name.startswith("Explorer")),
    *OFF_IN_OLD_FILES,
)
MOST_SLOTS = 1 << 31
LONGEST_DESCRIPTION = 1 << 18  # bytes of game and options


class GameRecord(NamedTuple):
    """The game that led to the root."""

    start: str  # FEN
    moves: tuple[str, ...] = ()
    chess960: bool = False

    @property
    def position(self) -> Position:
        """The root."""
        return Position(self.start, chess960=self.chess960).play_all(self.moves)


class Loaded:
    """The content of a file. `ValueError` if no search can have made it."""

    def __init__(self, text: dict[str, Any], columns: Columns) -> None:
        """`text`: the description, see `_text_of`."""
        self.options = Options()
        for name, value in {**OFF_IN_OLD_FILES, **text["options"]}.items():
            if name.lower() in BY_NAME:  # there may be others in other versions
                self.options.set(name, str(value))
        made_with = text.get("evaluation")  # not in older files
        self.evaluation = made_with if isinstance(made_with, int) else evaluation_of(search_params(self.options))
        self.game = GameRecord(str(text["start"]), tuple(map(str, text["moves"])), bool(text["chess960"]))
        self.position = self.game.position
        children = columns["children"].astype(np.int64)
        check_shape(columns)
        check_numbers(columns, children)
        tried = tried_moves(columns, children, self.position)
        self.lost_proofs = int(np.count_nonzero((columns["proven"] != 0) & (tried.proven == 0)))
        self.columns = {**columns, "children": children, "proven": tried.proven}
        self._node = tried.node
        self.history = History()
        self.history.restore(checked_samples(columns, self.position))

    def fill(self, tree: Tree) -> None:
        """Write the tree over another one, for a search; `NoRoomError`, with nothing changed, if it is too large.

        A node that lacks moves (older files left some out) would count as complete: a search makes it again.
        """
        fill_tree(tree, without(self.columns, (self._node == PARTIAL) | (self._node == OVER)))

    def report(self, network: Network) -> Report:
        """To look at, without a search."""
        tree = new_tree(1 + (slots_needed(self.columns["children"]) * BYTES_PER_SLOT >> 20))
        fill_tree(tree, without(self.columns, self._node == OVER))
        progress = SearchProgress(visits=int(tree.visits[int(ROOT)]))
        return Report(
            Snapshot(
                tree,
                PositionCache(self.position),
                self.history,
                search_params(self.options),
                network,
                progress=progress,
            )
        )


def save(path: Path, game: GameRecord, tree: Tree, history: History, options: Options, *, force: bool = False) -> int:
    """Write a search to a file; -> how many moves it has. Not while threads search.

    `ValueError` if there is a file that is not a saved tree (unless `force`), or if it cannot be written.
    """
    check_writable(path, is_ours=lambda _: is_saved_tree(path), kind="a saved tree", force=force)
    columns = columns_of(tree)
    text = np.frombuffer(json.dumps(_text_of(game, tree, options)).encode(), dtype=np.uint8)
    try:
        write_whole(path, packed({TEXT: text, **columns, **_history_columns(history)}))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    return int(columns["children"].size)


def _text_of(game: GameRecord, tree: Tree, options: Options) -> dict[str, Any]:
    kept = int(tree.control[int(EVALUATION)]) or evaluation_of(search_params(options))  # 0: the tree is from a file
    return {
        "schema": TREE_SCHEMA,
        "start": game.start,
        "moves": list(game.moves),
        "chess960": game.chess960,
        "options": {name: str(options.value(name)) for name in SAVED_OPTIONS},
        "evaluation": kept,  # of a weak player another one than that of the options
    }


def _history_columns(history: History) -> dict[str, np.ndarray]:
    codes, samples = history.read()
    table = len(samples), len(codes)
    return {
        "codes": np.array(codes, dtype="<u2"),
        "seconds": np.array([sample.seconds for sample in samples], dtype="<f8"),
        "sample_visits": np.array([sample.visits for sample in samples], dtype="<i8"),
        "counts": np.array([sample.counts for sample in samples], dtype="<u4").reshape(table),
        "sums": np.array([sample.wins for sample in samples], dtype="<i8").reshape(table),
    }


def load(path: Path, room: int = MOST_SLOTS) -> Loaded:
    """Read a file; `ValueError` if it is not a saved tree, or needs more slots than there is `room` for."""
    with _opened(path) as file:
        text = _read_text(file)
        children = file.read("children")
        check_room(slots_needed(children), room)
        return Loaded(text, {**{name: file.read(name) for name in COLUMN_TYPES}, "children": children})


@contextmanager
def _opened(path: Path) -> Iterator[ColumnsFile]:
    """Whatever is wrong with the file is a `ValueError` that names it."""
    try:
        with ColumnsFile.open(path, COLUMN_TYPES) as file:
            yield file
    except NoRoomError as error:
        raise NoRoomError(f"{path}: {error}") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: not a saved tree ({error})") from None


def check_saved_tree(path: Path) -> None:
    """`ValueError` if a file does not look like a saved tree; only its description is read, without kernels."""
    with _opened(path) as file:
        _read_text(file)


def is_saved_tree(path: Path) -> bool:
    """Does a file look like a saved tree? Only its description is read."""
    try:
        check_saved_tree(path)
    except ValueError:
        return False
    return True


def _read_text(file: ColumnsFile) -> dict[str, Any]:
    content = file.read(TEXT).tobytes()
    text = json.loads(content) if len(content) <= LONGEST_DESCRIPTION else None
    if not isinstance(text, dict) or text.get("schema") != TREE_SCHEMA:
        raise ValueError("not of this version")
    return text
