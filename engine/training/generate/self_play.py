"""Teresa as teacher: a search with a fixed number of visits for each position, in this process.

Every search starts with an empty tree: a label depends on the position, on the game before it (by repetitions) and on
the noise, not on previous searches. The noise at the root makes the search visit moves with a low prior; it is sampled
with the game's random generator.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import new_worker, root_of
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import PRIOR_UNIT, ROOT, Tree, clear, edges_of, new_tree
from engine.network.weights import Network
from engine.network.weights_file import load_weights
from engine.report.move_stats import LOSS, WIN, MoveStats, allowed, moves_below
from engine.report.score import centipawns
from engine.training.data.viriformat import MATE
from engine.training.generate.teacher import Answer, Question

LEAST_VISITS = 2  # the first visits the root, the second expands it
NOISE = 0.1  # its share of the priors
NOISE_SIZE = 10.0  # sum of the parameters of the Dirichlet distribution: larger is more equal
BYTES_PER_VISIT = 2048  # room for 63 moves


class SelfTeacher:
    """Labels positions by searching them."""

    def __init__(self, network: Network, visits: int) -> None:
        self._network, self._visits = network, visits
        self._settings, self._worker = search_params(Options()), new_worker(1, network)
        self._tree = new_tree(1 + (visits * BYTES_PER_VISIT >> 20))

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Label positions that have legal moves."""
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Answer:
        clear(self._tree)
        task = SearchTask(self._tree, root_of(question.position), self._network, self._settings)
        make_visits(task, self._worker, LEAST_VISITS)
        if self._tree.proven[int(ROOT)] == UNPROVEN:
            add_noise(self._tree, question.rng)
            make_visits(task, self._worker, self._visits - LEAST_VISITS)
        moves = by_visits(moves_below(self._tree, int(ROOT)))
        visits = [(move.code, move.visits) for move in moves]
        return Answer(score_of(moves[0]), question.position.uci(moves[0].code), visits)


def by_visits(moves: Sequence[MoveStats]) -> list[MoveStats]:
    """The moves that are not refuted by a proof, the most visited first."""
    return sorted(allowed(moves), key=lambda move: move.visits, reverse=True)


def score_of(move: MoveStats) -> int:
    """The score of a move in viriformat's units, for the player who makes it."""
    if move.result == WIN:
        return MATE - (move.distance + 1) // 2
    if move.result == LOSS:
        return move.distance // 2 - MATE
    return centipawns(move.score)


def add_noise(tree: Tree, rng: random.Random) -> None:
    """Mix Dirichlet noise into the priors of the root, and sort its moves by the new priors.

    Only before there are nodes below these moves: they would lose them.
    """
    edges = edges_of(tree, int(ROOT))
    own = slice(edges.start, edges.stop)
    noise = np.array([rng.gammavariate(NOISE_SIZE / len(edges), 1.0) for _ in edges])
    priors = tree.prior[own] / tree.prior[own].sum(dtype=np.float64)
    mixed = (1 - NOISE) * priors + NOISE * noise / noise.sum()
    tree.prior[own] = (1 + (PRIOR_UNIT - len(edges)) * mixed).astype(np.uint16)
    order = edges.start + np.argsort(-mixed, kind="stable")
    for array in tree.fields:
        array[own] = array[order]


@dataclass(frozen=True)
class SelfPlay:
    """The network that plays, and the visits of each search."""

    weights: str  # a file
    checksum: str
    visits: int

    def check(self) -> None:
        """Raise a `ValueError` if the file has changed."""
        if checksum_of(Path(self.weights)) != self.checksum:
            raise ValueError(f"{self.weights} has changed meanwhile")

    @contextmanager
    def open(self) -> Iterator[SelfTeacher]:
        """A teacher with this network, which must be the one of the plan."""
        self.check()
        yield SelfTeacher(load_weights(Path(self.weights)).network, self.visits)


def self_play(weights: Path, visits: int) -> SelfPlay:
    """Self-play with a weights file; a `ValueError` says what is wrong with it."""
    load_weights(weights)
    return SelfPlay(str(weights), checksum_of(weights), visits)


def checksum_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
