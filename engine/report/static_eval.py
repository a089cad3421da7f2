"""What the evaluators say of a position without a search, as plain data."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from engine.mcts.fixed_visits import SearchTask, expand_root, make_visits
from engine.mcts.params import NETWORK, PLAYOUT, PUCT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, SCORE_UNIT, clear, new_tree
from engine.network.architecture import VALUE_UNIT, Network, new_scratch
from engine.network.batch import quiet_values_of, values_of
from engine.network.infer import PLAIN_SHARPNESS
from engine.report.lines import TreePosition
from engine.report.move_stats import DIGITS, moves_below
from movegen import Position
from movegen.fen import SQUARE_NAMES, read_fen, write_fen

if TYPE_CHECKING:
    from engine.mcts.queue import NetQueue

Judge: TypeAlias = "Network | NetQueue"  # what can be asked for the value of a position and the priors of its moves
EVAL_GAMES = 2000
OWN_PRIORS = SearchParams(PUCT, NETWORK, 1.0, sharpness=PLAIN_SHARPNESS, root_sharpness=PLAIN_SHARPNESS)


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
    for _ in range(EVAL_GAMES):
        clear(tree)  # so each visit is the first, which only evaluates the root
        make_visits(task, worker, 1)
        draws += int(tree.draws[int(ROOT)]) == SCORE_UNIT
        losses += int(tree.wins[int(ROOT)]) == SCORE_UNIT  # won by the player who moved before
    return PlayoutEval(EVAL_GAMES - draws - losses, draws, losses)


def evaluate_by_network(position: Position, network: Judge, after_captures: bool = False) -> NetworkEval:
    """The value of a position, what each piece adds to it, and the priors of its moves.

    `after_captures`: with quiescence, as the search takes it if that option is on.
    """
    others = list(without_each_piece(position))
    outcome, *without = network_outcomes([position, *(other for _, _, other in others)], network, after_captures)
    pieces = [
        PieceEval(square, piece, outcome.score - rest.score)
        for (square, piece, _), rest in zip(others, without, strict=True)
    ]
    ranked = sorted(network_priors(position, network).items(), key=lambda pair: -pair[1])
    return NetworkEval(outcome, pieces, [(position.uci(code), prior) for code, prior in ranked])


def network_outcomes(positions: Sequence[Position], network: Judge, after_captures: bool) -> list[Outcome]:
    """The network's values of positions; one of another program is not asked where the game is over."""
    if not isinstance(network, Network):
        return _outcomes_from(network, positions)
    return [
        Outcome(*(share / VALUE_UNIT for share in shares)) for shares in _values(positions, network, after_captures)
    ]


def _outcomes_from(queue: "NetQueue", positions: Sequence[Position]) -> list[Outcome]:
    looks = iter(queue.look_at([position for position in positions if position.move_codes]))
    return [Outcome(*next(looks)[:3]) if position.move_codes else _ended(position) for position in positions]


def _ended(position: Position) -> Outcome:
    """The value where there is no move."""
    return Outcome(0.0, 0.0, 1.0) if position.in_check else Outcome(0.0, 1.0, 0.0)


def _values(positions: Sequence[Position], network: Network, after_captures: bool) -> list[list[int]]:
    """Win, draw and loss of each position, in VALUE_UNIT; `after_captures`: with quiescence."""
    boards = np.array([position.board for position in positions], dtype=np.uint64)
    shares = np.zeros((len(positions), 3), dtype=np.int64)
    (quiet_values_of if after_captures else values_of)(network, new_scratch(network), boards, shares)
    values: list[list[int]] = shares.tolist()
    return values


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


def network_priors(position: Position, network: Judge) -> dict[int, float]:
    """The network's own prior of each legal move, by its code, to 1/65535.

    At temperature 1: the tree keeps only those of the search, after its temperature. By a search
    of two visits in a small tree: these kernels are compiled in any case.
    """
    if not position.move_codes:
        return {}
    if not isinstance(network, Network):
        return network.look_at([position])[0].priors
    tree = new_tree(1)
    expand_root(SearchTask(tree, root_of(position), network, OWN_PRIORS), new_worker(1, network))
    return {move.code: move.prior for move in moves_below(tree, int(ROOT))}


def priors_at(here: TreePosition, network: Judge) -> dict[int, float]:
    """The same, remembered: a node is shown many times."""
    if here.priors is None or here.priors[0] is not network:
        here.priors = (network, network_priors(here.position, network))
    return here.priors[1]


def first_looks(
    network: "Judge | None", positions: Sequence[Position], after_captures: bool = False
) -> list[float | None]:
    """The score of positions at their first visit, for the player who moved there; None with playouts."""
    if network is None or not positions:
        return [None for _ in positions]
    outcomes = network_outcomes(positions, network, after_captures)
    return [_score_before(*pair) for pair in zip(positions, outcomes, strict=True)]


def _score_before(position: Position, outcome: Outcome) -> float:
    found = outcome if position.move_codes else _ended(position)
    return round(found.loss + found.draw / 2, DIGITS)
