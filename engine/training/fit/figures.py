"""The quality of a network on given positions: value error, the rank of the label in the policy; as tables, too."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from rich.table import Table

from engine.network.architecture import LOGIT_BITS, OUTCOMES, VALUE_UNIT, Network, new_scratch
from engine.network.batch import move_logits_of, quiet_values_of, values_of
from engine.training.data.decode import Positions
from engine.training.data.draw_model import calibration, chances, with_sound_results
from engine.training.data.games import Games, decode
from engine.training.data.viriformat import VALUE_ONLY
from movegen.compiler.jit import kernel
from movegen.moves import MAX_MOVES

BOARDS_AT_ONCE = 4096
GAMES_AT_ONCE = 5000


@dataclass
class Figures:
    """The table of an evaluation. Value errors are over all positions, the policy's over those with a move as label.

    None: there was no such position.
    """

    positions: int
    value_mse: float | None
    value_quiet_mse: float | None  # with quiescence, as the search asks for values
    policy_ce: float | None
    policy_top1: float | None
    policy_top3: float | None
    policy_top5: float | None

    def as_dict(self) -> dict[str, float | None]:
        """For JSON."""
        return asdict(self)


def values(network: Network, boards: np.ndarray, after_captures: bool = False) -> np.ndarray:
    """Win, draw and loss of each board as floats, [n, 3]; `after_captures`: with quiescence."""
    shares = np.empty((len(boards), OUTCOMES), dtype=np.int64)
    (quiet_values_of if after_captures else values_of)(network, new_scratch(network), boards, shares)
    return shares / VALUE_UNIT


def value_errors(network: Network, positions: Positions, after_captures: bool = False) -> np.ndarray:
    """The square of the error of W + D/2 against the score, for each position."""
    shares = values(network, positions.boards, after_captures)
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
    moves = np.empty((BOARDS_AT_ONCE, MAX_MOVES), dtype=np.uint16)
    logits, counts = np.empty((BOARDS_AT_ONCE, MAX_MOVES), dtype=np.int64), np.empty(BOARDS_AT_ONCE, dtype=np.int64)
    ranks, losses = np.empty(len(boards), dtype=np.int64), np.empty(len(boards))
    for begin in range(0, len(boards), BOARDS_AT_ONCE):
        part = slice(begin, begin + BOARDS_AT_ONCE)
        move_logits_of(network, scratch, boards[part], moves, logits, counts)
        rank_labels(moves, logits, counts, labels[part], ranks[part], losses[part])
    return ranks, losses


def parts_of(games: Games) -> Iterator[Positions]:
    """The positions of games, part by part: those of a store need not fit into memory."""
    for begin in range(0, games.size.size, GAMES_AT_ONCE):
        yield decode(games.where(np.arange(begin, min(begin + GAMES_AT_ONCE, games.size.size)))).positions


def evaluate_network(network: Network, games: Games) -> Figures:
    """Evaluate a network on all positions of these games."""
    errors, quiet_errors, ranks, losses = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for positions in parts_of(games):
        errors.append(value_errors(network, positions))
        quiet_errors.append(value_errors(network, positions, after_captures=True))
        labelled = (positions.extras & VALUE_ONLY) == 0
        rank, loss = policy_ranks(network, positions.boards[labelled], positions.moves[labelled])
        ranks.append(rank)
        losses.append(loss)
    return figures(*(np.concatenate(parts) for parts in (errors, quiet_errors, ranks, losses)))


def figures(errors: np.ndarray, quiet_errors: np.ndarray, ranks: np.ndarray, losses: np.ndarray) -> Figures:
    """The means; illegal labels count as not found."""
    tops = [mean((ranks >= 0) & (ranks < top)) for top in (1, 3, 5)]
    return Figures(errors.size, mean(errors), mean(quiet_errors), mean(losses), *tops)


def mean(numbers: np.ndarray) -> float | None:
    """The mean, None of nothing."""
    return float(numbers.mean()) if numbers.size else None


# As tables


def figures_table(figures: Figures) -> Table:
    """The main figures, a row each."""
    table = Table("figure", "value")
    table.add_row("positions", f"{figures.positions:,}")
    table.add_row("value error (mean square)", figure(figures.value_mse, ".5f"))
    table.add_row("value error, with quiescence", figure(figures.value_quiet_mse, ".5f"))
    table.add_row("policy cross-entropy", figure(figures.policy_ce, ".4f"))
    tops = (figures.policy_top1, figures.policy_top3, figures.policy_top5)
    table.add_row("policy top 1 / 3 / 5", " / ".join(figure(top, ".2%").replace("%", " %") for top in tops))
    return table


def figure(number: float | None, form: str) -> str:
    """A number as text, a dash where there is none."""
    return "–" if number is None else format(number, form)


def draw_calibration_table(network: Network, games: Games) -> Table:
    """The predicted and observed shares of draws in games without random moves."""
    draws, results = [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    for positions in parts_of(games.with_moves()):
        sound = with_sound_results(positions)
        draws.append(values(network, positions.boards[sound])[:, 1])
        results.append(positions.results[sound])
    table = Table("positions", "draws expected", "draws", title="games without random moves")
    for row in calibration(np.concatenate(draws), np.concatenate(results)):
        table.add_row(f"{row['positions']:,}", f"{row['expected']:.3f}", f"{row['real']:.3f}")
    return table
