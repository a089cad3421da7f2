"""A teacher that searches our trees: this engine's search with a net of Stockfish at its leaves.

Each node of such a tree that has enough visits is a labelled position: its most visited move, the score of that (the
mean of the node is too low by 0.01 to 0.02), and shares of all moves. With few visits, priors and scores of the moves
make better shares than visits do:

    share ∝ p^0.8 · e^(25·Q)

where p is the prior at temperature 1, and Q of a move without visits is a little less than the mean of the others.
"""

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.config.options import Options
from engine.config.search_params import search_params
from engine.mcts.params import new_worker, root_of
from engine.mcts.proof import UNPROVEN
from engine.mcts.tree import NO_NODE, ROOT, Tree, clear, edges_of, new_tree
from engine.network.architecture import Network
from engine.network.weights_file import load_weights
from engine.report.move_stats import MoveStats, moves_below
from engine.training.data.viriformat import Visits
from engine.training.generate.teachers import BYTES_PER_VISIT, by_visits, checksum_of, label_score
from engine.training.teacher.nnue_file import TeacherNet, read_teacher_net
from engine.training.teacher.quiet import new_quiet_scratch
from engine.training.teacher.simulate import simulate_with_teacher
from movegen import Position
from movegen.bits import U64

PRIOR_POWER, SCORE_FACTOR = 0.8, 25.0  # see above
UNVISITED = 0.05  # how much less a move without visits counts than the mean of the others
SHARE_UNIT, SMALLEST = 4096, 32  # a share of 1, as it is written in place of visits; smaller ones are left out


class Node(NamedTuple):
    """A node of a tree."""

    path: tuple[int, ...]  # moves from the root
    edge: int  # above it
    visits: int


class NodeLabel(NamedTuple):
    """The label of a node."""

    path: tuple[int, ...]
    score: int  # for the player to move
    shares: Visits  # in SHARE_UNIT; the most visited move first


class TeacherSearch:
    """Searches whose nodes are labelled."""

    def __init__(self, net: TeacherNet, network: Network, visits: int, least_visits: int) -> None:
        self._net, self._scratch = net, new_quiet_scratch(net)
        options = Options()
        self._network, self._params, self._worker = network, search_params(options), new_worker(1, network)
        self._temperatures = options.root_temperature / 1000, options.policy_temperature / 1000
        self._visits, self._least_visits = visits, least_visits
        self.tree = new_tree(1 + (visits * BYTES_PER_VISIT >> 20))

    def search(self, position: Position) -> None:
        """Make all visits in an empty tree."""
        clear(self.tree)
        own = self.tree, root_of(position), self._network, self._params, self._worker
        simulate_with_teacher(*own, self._net, self._scratch, U64(self._visits))

    def draw(self, position: Position, count: int, rng: random.Random) -> list[NodeLabel]:
        """Labels of nodes of a new search in the order of their lines, each node with the same probability."""
        self.search(position)
        nodes = visited_nodes(self.tree, self._least_visits)
        drawn = sorted(rng.sample(nodes, min(count, len(nodes))))
        return [label for label in map(self._label, drawn) if label is not None]

    def _label(self, node: Node) -> NodeLabel | None:
        temperature = self._temperatures[len(node.path) > 0]
        return label_of(node.path, moves_below(self.tree, node.edge), temperature)


def label_of(path: tuple[int, ...], moves: Sequence[MoveStats], temperature: float) -> NodeLabel | None:
    """The label of a node with these moves in the order of `rank`; none if all that were looked at lose."""
    moves = [move for move in moves if not move.is_lost]
    if not moves[0].is_known:
        return None
    best = by_visits(moves)[0]
    shares = improved_shares(moves, temperature)
    first, *others = sorted(shares, key=lambda pair: (pair[0] != best.code, -pair[1]))
    return NodeLabel(path, label_score(best), [first, *(pair for pair in others if pair[1] >= SMALLEST)])


def improved_shares(moves: Sequence[MoveStats], temperature: float) -> list[tuple[int, int]]:
    """The moves, each with its share; `temperature`: of the priors in the tree."""
    seen = [move for move in moves if move.is_known]
    total = sum(move.prior**temperature for move in seen)
    mean = sum(move.prior**temperature * move.score for move in seen) / total
    logits = [
        PRIOR_POWER * temperature * math.log(move.prior)
        + SCORE_FACTOR * (move.score if move.is_known else mean - UNVISITED)
        for move in moves
    ]
    highest = max(logits)
    weights = [math.exp(logit - highest) for logit in logits]
    unit = SHARE_UNIT / sum(weights)
    return [(move.code, round(unit * weight)) for move, weight in zip(moves, weights, strict=True)]


def visited_nodes(tree: Tree, least_visits: int) -> list[Node]:
    """The nodes without a proof that have this many visits; of nodes of one position the one that has the most."""
    best: dict[int, Node] = {}
    waiting = [Node((), int(ROOT), int(tree.visits[ROOT]))]
    while waiting:
        node = waiting.pop()
        header = int(tree.link[node.edge])
        if header == NO_NODE or tree.proven[node.edge] != UNPROVEN:
            continue
        key = int(tree.draws[header])
        if key not in best or node.visits > best[key].visits:
            best[key] = node
        edges = edges_of(tree, node.edge)
        visits = tree.visits[edges.start : edges.stop]
        for index in np.flatnonzero(visits >= least_visits).tolist():
            edge = edges.start + index
            waiting.append(Node((*node.path, int(tree.move[edge])), edge, int(visits[index])))
    return list(best.values())


@dataclass(frozen=True)
class NetTeacher:
    """The two nets of the search, its size, and which of its nodes are labelled."""

    net: str  # a file of Stockfish
    net_checksum: str
    weights: str  # a file of this engine: for the priors, and to play the games
    checksum: str
    visits: int
    least_visits: int

    def check(self) -> None:
        """Raise a `ValueError` if a file has changed."""
        for path, checksum in ((self.net, self.net_checksum), (self.weights, self.checksum)):
            if checksum_of(Path(path)) != checksum:
                raise ValueError(f"{path} has changed meanwhile")

    def warm_up(self) -> None:
        """Compile the kernels of these searches: once, not in each process."""
        with self.open() as searches:
            searches.search(Position())

    @contextmanager
    def open(self) -> Iterator[TeacherSearch]:
        """A search with these nets, which must be those of the plan."""
        self.check()
        network = load_weights(Path(self.weights)).network
        yield TeacherSearch(read_teacher_net(Path(self.net)), network, self.visits, self.least_visits)


def net_teacher(net: Path, weights: Path, visits: int, least_visits: int) -> NetTeacher:
    """A teacher made of two files; a `ValueError` says what is wrong with one."""
    read_teacher_net(net)
    load_weights(weights)
    return NetTeacher(str(net), checksum_of(net), str(weights), checksum_of(weights), visits, least_visits)
