"""What a search uses besides its tree: the network, and a book and tablebases that choose moves of the root."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from engine.config.options import Options
from engine.system.environment import print_to_stderr

if TYPE_CHECKING:
    from engine.mcts.fixed_visits import SearchTask
    from engine.mcts.params import SearchParams
    from engine.mcts.queue import NetQueue
    from engine.mcts.tree import Tree
    from engine.network.architecture import Network
    from engine.search.known_moves import Book, ProbeResult, Tablebases
    from movegen import Position

COMPILING = "first network of others: its search is being compiled, which takes some 10 seconds, once"


@dataclass(frozen=True)
class RootMoves:
    """The moves that a search may choose from."""

    codes: tuple[int, ...]
    source: str = ""  # "book" or "tablebase", if it decided
    verdict: "ProbeResult | None" = None  # of the tablebases
    notes: tuple[str, ...] = ()  # on files that cannot be used


class Resources:
    """The network, and a book and tablebases if the options name them."""

    def __init__(self, report: Callable[[str], None] = print_to_stderr) -> None:
        """`report`: takes a line when something will take long."""
        self._report = report
        self._book: Book | None = None
        self._tablebases: Tablebases | None = None
        self._network: Network | None = None
        self.queue: NetQueue | None = None  # of a network of another program, if one is in use

    @property
    def network(self) -> "Network":
        """The network in use: the shipped one, unless another of Teresa's was chosen."""
        if self._network is None:
            self._network = _load_network()
        return self._network

    def set_network(self, path: str) -> None:
        """Take another network; the one before stays if that fails. An empty path: the shipped one."""
        queue = _open_outside(Path(path), self._report) if path else None
        self._network = _load_network(path) if path and queue is None else None
        self.queue = queue

    def task(self, tree: "Tree", position: "Position", params: "SearchParams") -> "SearchTask":
        """A search of a position with the network in use."""
        from engine.mcts.fixed_visits import SearchTask
        from engine.mcts.params import root_of

        return SearchTask(tree, root_of(position), self.network, params, self.queue)

    def adapted(self, params: "SearchParams", options: Options) -> "SearchParams":
        """Parameters for the network in use: one of another program is not asked for captures, and has its batches."""
        if self.queue is None:
            return params
        from movegen.bits import U64

        return params._replace(quiescence=U64(0), batch=U64(options.batch))

    def evaluation_of(self, params: "SearchParams") -> int:
        """A number, not 0, for all that decides values and priors in a tree: the network of others included."""
        from engine.mcts.params import evaluation_of

        own = evaluation_of(params)
        return own if self.queue is None else 1 + crc32(f"{own} {self.queue.net.digest}".encode())

    def set_book(self, path: str) -> None:
        """Open another book; the one before stays if that fails. An empty path: no book."""
        before, self._book = self._book, _open_book(path) if path else None
        if before is not None:
            before.close()

    def set_tablebases(self, folders: str) -> None:
        """Open other tablebases; those before stay if that fails. An empty path: none."""
        before, self._tablebases = self._tablebases, _open_tablebases(folders) if folders else None
        if before is not None:
            before.close()

    def open_files(self, options: Options) -> None:
        """Open the files that options name; a `ValueError` says which one is wrong, and why."""
        files = {
            "EvalFile": (self.set_network, options.eval_file),
            "BookFile": (self.set_book, options.book_file),
            "SyzygyPath": (self.set_tablebases, options.syzygy_path),
        }
        for name, (set_file, path) in files.items():
            try:
                set_file(path)
            except (OSError, ValueError) as error:
                raise ValueError(f"{name}: {error}") from None

    def root_moves(
        self, position: "Position", search_moves: tuple[int, ...], options: Options, in_game: bool
    ) -> RootMoves:
        """The moves to choose from, all if `search_moves` is empty.

        The book is used only in a game; it never goes against the tablebases.
        """
        codes = search_moves or position.move_codes
        notes: list[str] = []
        verdict = self._probe(position, notes) if codes else None
        kept = tuple(code for code in codes if verdict is not None and code in verdict.moves)
        if kept:
            return RootMoves(kept, "tablebase", verdict, tuple(notes))
        if options.own_book and in_game and not search_moves and codes:
            move = self._look_up(position, random.Random(options.seed or None), notes)
            if move is not None:
                return RootMoves((move,), "book", notes=tuple(notes))
        return RootMoves(codes, notes=tuple(notes))

    def _probe(self, position: "Position", notes: list[str]) -> "ProbeResult | None":
        """The verdict of the tablebases. Damaged ones give none, which is noted."""
        if self._tablebases is None:
            return None
        try:
            return self._tablebases.probe(position)
        except ValueError as error:
            notes.append(str(error))
            return None

    def _look_up(self, position: "Position", rng: random.Random, notes: list[str]) -> int | None:
        """A move of the book. A damaged one has none, which is noted; it is not read again."""
        if self._book is None:
            return None
        try:
            return self._book.choose(position, rng)
        except ValueError as error:
            notes.append(str(error))
            self._book = None
            return None


# A session is made before the kernels are loaded, and most need no python-chess


def _load_network(path: str = "") -> "Network":
    from engine.network.weights_file import SHIPPED, load_weights

    return load_weights(Path(path) if path else SHIPPED).network


def _open_outside(path: Path, report: Callable[[str], None]) -> "NetQueue | None":
    """The network of another program, or None if it is no file of one."""
    from engine.lc0.net import kind_of_file, open_net

    try:
        if kind_of_file(path) is None:
            return None
        net = open_net(path, threads=1)  # of one evaluation: each thread of a search has its own
    except OSError:  # reported by the loader of Teresa's files
        return None
    from engine.mcts.queue import NetQueue, ready_file, use_queue_kernels

    queue = NetQueue(net)
    if not ready_file().is_file():
        report(COMPILING)
    use_queue_kernels(queue, _load_network())  # compiled now, before a clock runs
    return queue


def _open_book(path: str) -> "Book":
    from engine.search.known_moves import Book

    return Book(path)


def _open_tablebases(folders: str) -> "Tablebases":
    from engine.search.known_moves import Tablebases

    return Tablebases(folders)
