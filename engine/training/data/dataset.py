"""The order in which training sees positions: games of all files in random order, their positions shuffled in pools.

A pass goes once over all its games. Memory holds one pool of about two million positions. The order depends only on
the seed, so that a fit continues after an interruption where it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.training.data.games import Decoded, Games, decode

POOL = 2_000_000


@dataclass
class Pool:
    """Positions in memory, and the order to take them in."""

    decoded: Decoded
    order: np.ndarray

    def batches(self, size: int) -> Iterator[np.ndarray]:
        """The indices of the positions of each batch; a last one that is too small is left out."""
        for begin in range(0, self.order.size - size + 1, size):
            yield self.order[begin : begin + size]


def cut(games: Games, order: np.ndarray, pool: int) -> list[np.ndarray]:
    """Cut an order of games into parts with about equal numbers of positions, `pool` or slightly more at most."""
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
            shuffled = np.random.default_rng((*seed, number)).permutation(decoded.positions.scores.size)
            yield Pool(decoded, shuffled)
