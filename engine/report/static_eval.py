"""What the evaluators say of a position without a search, as plain data."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import PLAYOUT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, SCORE_UNIT, clear, new_tree
from engine.network.architecture import VALUE_UNIT
from engine.network.batch import values_of
from engine.network.weights import Network, new_scratch
from engine.report.network_priors import network_priors
from movegen import Position
from movegen.fen import SQUARE_NAMES, read_fen, write_fen

GAMES = 2000


@dataclass(frozen=True)
class PlayoutEval:
    """Results of random games, for the player to move."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """The size of the sample."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean result, in [0, 1]."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """The standard error of the score."""
        return math.sqrt(max(self.wins + self.draws / 4 - self.games * self.score * self.score, 0.0)) / self.games


class Outcome(NamedTuple):
    """The network's value of a position: shares of 1, for the player to move."""

    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """In [0, 1]."""
        return self.win + self.draw / 2


class PieceEval(NamedTuple):
    """What a piece adds to the score of the player to move."""

    square: str
    piece: str
    difference: float


@dataclass(frozen=True)
class NetworkEval:
    """The network's view of a position, for the player to move."""

    outcome: Outcome
    pieces: list[PieceEval]  # in the order of squares
    priors: list[tuple[str, float]]  # moves in UCI notation, the highest prior first


def evaluate_by_playouts(position: Position, network: Network, seed: int) -> PlayoutEval:
    """Play random games from a position."""
    tree, worker = new_tree(1), new_worker(seed or 1, network)
    task = SearchTask(tree, root_of(position), network, SearchParams(UCB1, PLAYOUT, 1.0))
    losses = draws = 0
    for _ in range(GAMES):
        clear(tree)  # so each visit is the first, which only evaluates the root
        make_visits(task, worker, 1)
        draws += int(tree.draws[int(ROOT)]) == SCORE_UNIT
        losses += int(tree.wins[int(ROOT)]) == SCORE_UNIT  # won by the player who moved before
    return PlayoutEval(GAMES - draws - losses, draws, losses)


def evaluate_by_network(position: Position, network: Network) -> NetworkEval:
    """The value of a position, what each piece adds to it, and the priors of its moves."""
    outcome = network_outcome(position, network)
    pieces = [
        PieceEval(square, piece, outcome.score - network_outcome(other, network).score)
        for square, piece, other in without_each_piece(position)
    ]
    ranked = sorted(network_priors(position, network).items(), key=lambda pair: -pair[1])
    return NetworkEval(outcome, pieces, [(position.uci(code), prior) for code, prior in ranked])


def network_outcome(position: Position, network: Network) -> Outcome:
    """The network's value of a position."""
    boards, shares = np.array([position.board], dtype=np.uint64), np.zeros((1, 3), dtype=np.int64)
    values_of(network, new_scratch(network), boards, shares)
    return Outcome(*(share / VALUE_UNIT for share in shares[0].tolist()))


def without_each_piece(position: Position) -> list[tuple[str, str, Position]]:
    """Square, piece, and the position without it; not kings, nor a piece that shields the king of the other side."""
    setup, found = read_fen(position.fen(), chess960=position.chess960), []
    for square, piece in sorted(setup.pieces.items()):
        if piece in "kK":
            continue
        others = {other: name for other, name in setup.pieces.items() if other != square}
        fen = write_fen(replace(setup, pieces=others, castling_rooks=set(), en_passant=None))
        try:
            found.append((SQUARE_NAMES[square], piece, Position(fen)))
        except ValueError:  # without this piece the player to move could take the king
            continue
    return found
