"""The teachers that label positions: any UCI engine, or Teresa's own search with a fixed number of visits."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import new_worker, root_of
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import ROOT, Tree, clear, edges_of, new_tree
from engine.network.architecture import PRIOR_UNIT, Network
from engine.network.weights_file import load_weights
from engine.report.move_stats import LOSS, WIN, MoveStats, allowed, centipawns, moves_below
from engine.training.data.viriformat import LARGEST_SCORE, MATE_SCORE, Visits
from movegen import Position
from perft.engine_process import PATIENCE, EngineProcess

LEAST_VISITS = 2  # the first visits the root, the second expands it
NOISE = 0.1  # its share of the priors
NOISE_SIZE = 10.0  # sum of the parameters of the Dirichlet distribution: larger is more equal
BYTES_PER_VISIT = 2048  # room for 63 moves


class LabelRequest(NamedTuple):
    """A position to label."""

    position: Position
    uci: str  # the arguments of the command `position`
    rng: random.Random  # of the game, for a teacher with random choices


@dataclass
class Label:
    """The label of a position."""

    score: int | None  # for the player to move
    move: str | None  # UCI; None where there is no legal move
    visits: Visits = ()  # in self-play, the most visited move first


# A UCI engine


class Teacher:
    """A UCI engine in a child process."""

    def __init__(self, command: str, limit: str, hash_megabytes: int) -> None:
        self._engine, self._limit = EngineProcess([command]), limit
        try:
            self._engine.send("uci")
            self._engine.lines_until("uciok", PATIENCE)
            self._engine.send(f"setoption name Hash value {hash_megabytes}", "setoption name UCI_Chess960 value true")
            self.new_game()
        except ValueError as error:
            self.close()
            raise ValueError(f"{error}: is it a UCI engine?") from None
        except BaseException:
            self.close()
            raise

    def new_game(self) -> None:
        """Make the engine forget everything."""
        self._engine.send("ucinewgame", "isready")
        self._engine.lines_until("readyok")

    def ask(self, questions: Sequence[LabelRequest]) -> list[Label]:
        """Label positions."""
        self._engine.send(*(f"position {question.uci}\ngo {self._limit}" for question in questions))
        return [self._answer() for _ in questions]

    def close(self) -> None:
        """End the process."""
        self._engine.close()

    def _answer(self) -> Label:
        *infos, last = self._engine.lines_until("bestmove")
        scores = [score for line in infos if (score := read_score(line)) is not None]
        tokens = last.split()
        move = tokens[1] if len(tokens) > 1 else "(none)"
        return Label(scores[-1] if scores else None, None if move in ("(none)", "0000") else move)


def read_score(line: str) -> int | None:
    """The score of an info line, if it has one that is not a bound."""
    line = line.partition(" string ")[0]  # any text follows
    index = line.find(" score ")
    if not line.startswith("info") or index < 0 or "bound" in line:
        return None
    kind, number = line[index:].split()[1:3]
    if kind == "cp":
        return max(-LARGEST_SCORE, min(LARGEST_SCORE, int(number)))
    moves = int(number)
    return (MATE_SCORE - abs(moves)) * (1 if moves > 0 else -1)


@dataclass(frozen=True)
class UciTeacher:
    """The engine that labels, and its limit."""

    command: str
    limit: str  # what follows `go`, as "nodes 1000"
    hash_megabytes: int = 4

    def check(self) -> None:
        """Raise a `ValueError` if it cannot be started, or does not speak UCI."""
        with self.open():
            pass

    @contextmanager
    def open(self) -> Iterator[Teacher]:
        """A teacher that is closed at the end."""
        opened = Teacher(self.command, self.limit, self.hash_megabytes)
        try:
            yield opened
        finally:
            opened.close()


# Teresa's own search


class SelfTeacher:
    """Labels positions by searching them."""

    def __init__(self, network: Network, visits: int) -> None:
        self._network, self._visits = network, visits
        self._settings, self._worker = search_params(Options()), new_worker(1, network)
        self._tree = new_tree(1 + (visits * BYTES_PER_VISIT >> 20))

    def ask(self, questions: Sequence[LabelRequest]) -> list[Label]:
        """Label positions that have legal moves."""
        return [self._answer(question) for question in questions]

    def _answer(self, question: LabelRequest) -> Label:
        clear(self._tree)
        task = SearchTask(self._tree, root_of(question.position), self._network, self._settings)
        make_visits(task, self._worker, LEAST_VISITS)
        if self._tree.proven[int(ROOT)] == UNPROVEN:
            add_noise(self._tree, question.rng)
            make_visits(task, self._worker, self._visits - LEAST_VISITS)
        moves = by_visits(moves_below(self._tree, int(ROOT)))
        visits = [(move.code, move.visits) for move in moves]
        return Label(label_score(moves[0]), question.position.uci(moves[0].code), visits)


def by_visits(moves: Sequence[MoveStats]) -> list[MoveStats]:
    """The moves that are not refuted by a proof, the most visited first."""
    return sorted(allowed(moves), key=lambda move: move.visits, reverse=True)


def label_score(move: MoveStats) -> int:
    """The score of a move in viriformat's units, for the player who makes it."""
    if move.result == WIN:
        return MATE_SCORE - (move.distance + 1) // 2
    if move.result == LOSS:
        return move.distance // 2 - MATE_SCORE
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
