"""The quality of a network on given positions: value error, and the rank of the label in the policy."""

from dataclasses import asdict, dataclass

import numpy as np

from engine.network.architecture import LOGIT_BITS, OUTCOMES, VALUE_UNIT
from engine.network.batch import move_logits_of, values_of
from engine.network.weights import Network, new_scratch
from engine.training.data.decode import Positions
from engine.training.data.draw_model import chances
from engine.training.data.games import Games, decode
from engine.training.data.viriformat import VALUE_ONLY
from movegen.compiler.jit import kernel
from movegen.moves import MAX_MOVES

CHUNK = 4096
GAMES_AT_ONCE = 5000


@dataclass
class Figures:
    """The table of an evaluation. Value errors are over all positions, the policy's over those with a move as label.

    None: there was no such position.
    """

    positions: int
    value_mse: float | None
    policy_ce: float | None
    policy_top1: float | None
    policy_top3: float | None
    policy_top5: float | None

    def as_dict(self) -> dict[str, float | None]:
        """For JSON."""
        return asdict(self)


def values(network: Network, boards: np.ndarray) -> np.ndarray:
    """Win, draw and loss of each board as floats, [n, 3]."""
    shares = np.empty((len(boards), OUTCOMES), dtype=np.int64)
    values_of(network, new_scratch(network), boards, shares)
    return shares / VALUE_UNIT


def value_errors(network: Network, positions: Positions) -> np.ndarray:
    """The square of the error of W + D/2 against the score, for each position."""
    shares = values(network, positions.boards)
    errors: np.ndarray = (shares[:, 0] + shares[:, 1] / 2 - chances(positions.scores)) ** 2
    return errors


@kernel
def rank_labels(
    moves: np.ndarray,
    logits: np.ndarray,
    counts: np.ndarray,
    labels: np.ndarray,
    ranks: np.ndarray,
    losses: np.ndarray,
) -> None:
    """The number of moves that the network prefers to the label (−1 if that is not legal), and the cross-entropy."""
    unit = 1.0 / (1 << LOGIT_BITS)
    for number in range(labels.size):
        index, count = 0, counts[number]
        while index < count and moves[number, index] != labels[number]:
            index += 1
        if index == count:
            ranks[number], losses[number] = -1, 0.0
            continue
        label, better, total = logits[number, index], 0, 0.0
        for other in range(count):
            better += logits[number, other] > label
            total += np.exp((logits[number, other] - label) * unit)
        ranks[number], losses[number] = better, np.log(total)


def policy_ranks(network: Network, boards: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """-> for each board the number of moves that the network prefers to the label; the cross-entropy."""
    scratch = new_scratch(network)
    moves = np.empty((CHUNK, MAX_MOVES), dtype=np.uint16)
    logits, counts = np.empty((CHUNK, MAX_MOVES), dtype=np.int64), np.empty(CHUNK, dtype=np.int64)
    ranks, losses = np.empty(len(boards), dtype=np.int64), np.empty(len(boards))
    for begin in range(0, len(boards), CHUNK):
        part = slice(begin, begin + CHUNK)
        move_logits_of(network, scratch, boards[part], moves, logits, counts)
        rank_labels(moves, logits, counts, labels[part], ranks[part], losses[part])
    return ranks, losses


def evaluate(network: Network, games: Games) -> Figures:
    """Evaluate a network on all positions of these games."""
    errors, ranks, losses = [np.zeros(0)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for begin in range(0, games.size.size, GAMES_AT_ONCE):
        positions = decode(games.where(np.arange(begin, min(begin + GAMES_AT_ONCE, games.size.size)))).positions
        errors.append(value_errors(network, positions))
        labelled = (positions.extras & VALUE_ONLY) == 0
        rank, loss = policy_ranks(network, positions.boards[labelled], positions.moves[labelled])
        ranks.append(rank)
        losses.append(loss)
    return figures(np.concatenate(errors), np.concatenate(ranks), np.concatenate(losses))


def figures(errors: np.ndarray, ranks: np.ndarray, losses: np.ndarray) -> Figures:
    """The means; illegal labels count as not found."""
    tops = [mean((ranks >= 0) & (ranks < top)) for top in (1, 3, 5)]
    return Figures(errors.size, mean(errors), mean(losses), *tops)


def mean(numbers: np.ndarray) -> float | None:
    """The mean, None of nothing."""
    return float(numbers.mean()) if numbers.size else None
