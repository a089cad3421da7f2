"""What training sees: games of all files in random order, their positions shuffled in pools, and their targets.

A pass goes once over all its games. Memory holds one pool of about two million positions. The order depends only on
the seed, so that a fit continues after an interruption where it was. Targets are win, draw and loss from scores, and
shares of moves from labels and visits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.training.data.draw_model import SCORE_LIMIT, DrawModel, material_of, with_sound_results
from engine.training.data.games import Decoded, Games, decode
from engine.training.data.viriformat import VALUE_ONLY, WON
from movegen.compiler.jit import kernel

POOL = 2_000_000


# The order of positions


@dataclass
class Pool:
    """Positions in memory, and the order to take them in."""

    decoded: Decoded
    order: np.ndarray

    def batches(self, size: int) -> Iterator[np.ndarray]:
        """The indices of the positions of each batch; a last one that is too small is left out."""
        for begin in range(0, self.order.size - size + 1, size):
            yield self.order[begin : begin + size]


def split_order(games: Games, order: np.ndarray, pool: int) -> list[np.ndarray]:
    """Cut an order of games into parts with about equal numbers of positions, `pool` or slightly more at most."""
    total = np.cumsum(games.size[order])
    parts = max(1, round(int(total[-1]) / pool)) if total.size else 0
    if not parts:
        return []
    return np.split(order, np.searchsorted(total, np.linspace(0, total[-1], parts + 1)[1:-1]))


def pools(games: Games, seed: tuple[int, ...], skip: int = 0, pool: int = POOL) -> Iterator[Pool]:
    """One pass over the games; the first `skip` pools are left out."""
    order = np.random.default_rng(seed).permutation(games.size.size)
    for number, part in enumerate(split_order(games, order, pool)):
        if number >= skip:
            decoded = decode(games.where(part))
            shuffled = np.random.default_rng((*seed, number)).permutation(decoded.positions.scores.size)
            yield Pool(decoded, shuffled)


# Targets


def outcome_targets(decoded: Decoded, model: DrawModel, label_scale: float, result_share: float) -> np.ndarray:
    """Win, draw and loss as targets of the value.

    Scores of value-only games are multiplied by `label_scale`. In self-play, recognised by its visits, the result of
    the game has a share, unless random moves were played.
    """
    positions = decoded.positions
    value_only = (positions.extras & VALUE_ONLY) != 0
    scores = np.where(value_only, positions.scores * np.float64(label_scale), positions.scores)
    bounded = np.clip(scores, -SCORE_LIMIT, SCORE_LIMIT)
    targets = model.outcomes(bounded, material_of(positions.boards))
    own = np.flatnonzero((np.diff(decoded.visit_bounds) > 0) & with_sound_results(positions))
    targets[own] *= 1 - result_share
    targets[own, WON - positions.results[own]] += result_share  # the columns are win, draw, loss
    return targets


def move_targets(decoded: Decoded, chosen: np.ndarray, moves: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The target share of each legal move of the chosen positions; `moves` and `starts` are those of `moves_of`."""
    shares = np.zeros(int(starts[-1]), dtype=np.float32)
    positions = decoded.positions
    mark_moves(positions.moves, chosen, moves, starts, shares)
    if decoded.visit_moves.size:
        visits = decoded.visit_bounds, decoded.visit_moves, decoded.visit_counts
        share_visits(visits, chosen, moves, starts, shares)
    return shares


@kernel
def mark_moves(
    played: np.ndarray, chosen: np.ndarray, moves: np.ndarray, starts: np.ndarray, shares: np.ndarray
) -> None:
    """A share of 1 for the move that was played."""
    for number in range(chosen.size):
        for index in range(starts[number], starts[number + 1]):
            if moves[index] == played[chosen[number]]:
                shares[index] = 1


@kernel
def share_visits(
    visits: tuple[np.ndarray, np.ndarray, np.ndarray],
    chosen: np.ndarray,
    moves: np.ndarray,
    starts: np.ndarray,
    shares: np.ndarray,
) -> None:
    """Shares by the visits of a search (bounds, moves, counts), where they are known."""
    bounds, visit_moves, visit_counts = visits
    for number in range(chosen.size):
        begin, end = bounds[chosen[number]], bounds[chosen[number] + 1]
        total = 0
        for entry in range(begin, end):
            total += visit_counts[entry]
        if total == 0:
            continue
        for index in range(starts[number], starts[number + 1]):
            shares[index] = 0
            for entry in range(begin, end):
                if moves[index] == visit_moves[entry]:
                    shares[index] = visit_counts[entry] / total
