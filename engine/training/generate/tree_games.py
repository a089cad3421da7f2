"""Positions as a search meets them: drawn from large trees in the course of quick games.

The value of a net is asked about leaves of trees, where a piece hangs far more often than in games. Each position is
a record of one move. A `TreeGame` asks a teacher about them; in a `TaughtGame` the large searches are those of a
teacher, and label their nodes themselves.
"""

import random
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import new_worker, root_of
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import NO_NODE, ROOT, Tree, clear, edges_of, new_tree
from engine.network.architecture import Network
from engine.training.data.viriformat import NOISY, LabelledGame
from engine.training.generate.labelling import random_start, without_past
from engine.training.generate.net_teacher import NodeLabel, TeacherSearch
from engine.training.generate.teachers import BYTES_PER_VISIT, Label, LabelRequest
from movegen import Ending, Position

QUICK_VISITS = 100  # of the searches that play the games
SMALLEST_SHARE = 0.05  # of a visit, for moves without visits: all are played now and then
LONGEST_GAME = 200
PLIES_BETWEEN = 8  # searches whose positions are labelled, in the mean
POSITIONS_PER_SEARCH = 64  # at most: those of one tree are much alike


class TreeSearch:
    """Searches whose trees positions are drawn from."""

    def __init__(self, network: Network, visits: int) -> None:
        self.visits = visits
        self.tree = new_tree(1 + (visits * BYTES_PER_VISIT >> 20))
        self._network, self._params, self._worker = network, search_params(Options()), new_worker(1, network)

    def search(self, position: Position, visits: int) -> None:
        """Make visits in an empty tree."""
        clear(self.tree)
        make_visits(SearchTask(self.tree, root_of(position), self._network, self._params), self._worker, visits)

    def random_move(self, position: Position, rng: random.Random) -> int:
        """A move for a quick game, by the visits of a small search."""
        self.search(position, QUICK_VISITS)
        edges = edges_of(self.tree, int(ROOT))
        weights = [int(self.tree.visits[edge]) or SMALLEST_SHARE for edge in edges]
        return int(self.tree.move[rng.choices(edges, weights)[0]])

    def draw(self, position: Position, count: int, rng: random.Random) -> list[Position]:
        """Positions of a large search in the order of their lines, each visited edge with the same probability."""
        self.search(position, self.visits)
        paths = visited_paths(self.tree)
        drawn = (after(position, path) for path in sorted(rng.sample(paths, min(count, len(paths)))))
        return [one for one in drawn if one.outcome() is Ending.NONE]


TreePath: TypeAlias = tuple[int, ...]  # moves from the root


def after(position: Position, path: TreePath) -> Position:
    """The position at the end of a path."""
    for code in path:
        position = position.play(code)
    return without_past(position)


def visited_paths(tree: Tree) -> list[TreePath]:
    """The paths to the root, and to all other edges that have visits and no proof."""
    paths: list[TreePath] = [()]
    waiting: list[tuple[int, TreePath]] = [(int(ROOT), ())]
    while waiting:
        above, path = waiting.pop()
        edges = edges_of(tree, above)
        own = slice(edges.start, edges.stop)
        visited = np.flatnonzero(tree.visits[own])
        for edge in (edges.start + visited).tolist():
            below = (*path, int(tree.move[edge]))
            if tree.proven[edge] == UNPROVEN:
                paths.append(below)
            if tree.link[edge] != NO_NODE:
                waiting.append((edge, below))
    return paths


def quick_game(position: Position, searches: TreeSearch, rng: random.Random) -> Iterator[Position]:
    """The positions of a quick game that get a large search."""
    for _ in range(LONGEST_GAME):
        if rng.random() < 1 / PLIES_BETWEEN:
            yield position
        position = position.play(searches.random_move(position, rng))
        if position.outcome(claim_draw=True) is not Ending.NONE:
            return


class TreeGame:
    """A quick game, of which positions of some searches are labelled."""

    def __init__(self, rng: random.Random, searches: TreeSearch) -> None:
        self._rng, self._searches = rng, searches
        position, kind = random_start(rng, endgames=0.1, chess960=0.1, plies=(4, 11))
        self._extra = kind | NOISY  # the results mean nothing
        self._records: list[LabelledGame] = []
        self._positions = self._draw_along(position)
        self._next: Position | None = position  # the first question, whatever the searches give

    def _draw_along(self, position: Position) -> Iterator[Position]:
        """Positions of the trees along a game."""
        for root in quick_game(position, self._searches, self._rng):
            yield from self._searches.draw(root, POSITIONS_PER_SEARCH, self._rng)

    def question(self) -> LabelRequest:
        """The next position."""
        if self._next is None:
            raise ValueError("the game is over")
        return LabelRequest(self._next, f"fen {self._next.fen(shredder=True)}", self._rng)

    def take(self, answer: Label) -> bool:
        """Take a label; -> is the game over?"""
        if self._next is not None and answer.move is not None and answer.score is not None:
            move = self._next.code(answer.move)
            self._records.append(LabelledGame(self._next, [move], [answer.score], extra=self._extra))
        self._next = next(self._positions, None)
        return self._next is None

    def records(self) -> list[LabelledGame]:
        """The records to write."""
        return self._records


class TaughtGame:
    """A quick game, of which some positions are searched by a teacher whose nodes are labels."""

    def __init__(self, rng: random.Random, searches: TreeSearch, teacher: TeacherSearch) -> None:
        self._rng, self._searches, self._teacher = rng, searches, teacher
        self._known: set[int] = set()  # keys of positions that have a label: the next tree has some of them again

    def records(self) -> Iterator[LabelledGame]:
        """Play it; each label is a record."""
        start, kind = random_start(self._rng, endgames=0.1, chess960=0.1, plies=(4, 11))
        for root in quick_game(start, self._searches, self._rng):
            reached: dict[TreePath, Position] = {(): root}
            for label in self._teacher.draw(root, POSITIONS_PER_SEARCH, self._rng):
                position = along(label.path, reached)
                if position.key not in self._known:
                    self._known.add(position.key)
                    yield as_record(position, label, kind | NOISY)


def along(path: TreePath, reached: dict[TreePath, Position]) -> Position:
    """The position at the end of a path; those on the way are kept."""
    if path not in reached:
        reached[path] = along(path[:-1], reached).play(path[-1])
    return reached[path]


def as_record(position: Position, label: NodeLabel, extra: int) -> LabelledGame:
    """A position with its label."""
    return LabelledGame(position, [label.shares[0][0]], [label.score], [label.shares], extra=extra)
