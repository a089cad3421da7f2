"""The order in which training sees positions: games drawn from all files at random, their positions mixed in pools.

A pass goes once over all its games. Memory holds one pool of about two million positions; the order depends on the
seed alone, so that a fit goes on after an interruption where it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.training.data.draw_model import DrawModel, material_of, with_sound_results
from engine.training.data.games import VALUE_ONLY, Decoded, Games, decode
from engine.training.data.targets import LARGEST_SCORE

POOL = 2_000_000
WIN = 2  # as a result; the outcomes stand in the order win, draw, loss


@dataclass
class Pool:
    """Positions in memory, and the order to take them in."""

    decoded: Decoded
    order: np.ndarray

    def batches(self, size: int) -> Iterator[np.ndarray]:
        """The numbers of the positions of each batch; a rest that is too small is left out."""
        for begin in range(0, self.order.size - size + 1, size):
            yield self.order[begin : begin + size]


def cut(games: Games, order: np.ndarray, pool: int) -> list[np.ndarray]:
    """Cut an order of games into parts of about equally many positions, `pool` at most but for one game."""
    total = np.cumsum(games.size[order])
    parts = max(1, round(int(total[-1]) / pool)) if total.size else 0
    if not parts:
        return []
    return np.split(order, np.searchsorted(total, np.linspace(0, total[-1], parts + 1)[1:-1]))


def pools(games: Games, seed: tuple[int, ...], skip: int = 0, pool: int = POOL) -> Iterator[Pool]:
    """One pass over the games; the first `skip` pools are left out."""
    order = np.random.default_rng(seed).permutation(games.size.size)
    for number, part in enumerate(cut(games, order, pool)):
        if number >= skip:
            decoded = decode(games.where(part))
            mixed = np.random.default_rng((*seed, number)).permutation(decoded.positions.scores.size)
            yield Pool(decoded, mixed)


def outcome_targets(decoded: Decoded, model: DrawModel, label_scale: float, result_share: float) -> np.ndarray:
    """Win, draw and loss to train the value with.

    Scores of value-only files are multiplied by a scale of their own. In self-play, known by its visits, the result of
    the game has a share, unless random moves were played.
    """
    positions = decoded.positions
    cheap = (positions.extras & VALUE_ONLY) != 0
    scores = np.where(cheap, positions.scores * np.float64(label_scale), positions.scores)
    bounded = np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE)
    targets = model.outcomes(bounded, material_of(positions.boards))
    own = np.flatnonzero((np.diff(decoded.visit_bounds) > 0) & with_sound_results(positions))
    targets[own] *= 1 - result_share
    targets[own, WIN - positions.results[own]] += result_share
    return targets
