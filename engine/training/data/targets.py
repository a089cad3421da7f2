"""From labels to what the nets are to answer: scores to win chances, moves and visits to shares."""

import numpy as np

from engine.training.data.games import Decoded
from movegen.compiler.jit import kernel

SCORE_SCALE = 250.0  # centipawns; a score of so much is a chance of sigmoid(1)
LARGEST_SCORE = 3000.0


def chances(scores: np.ndarray, label_scale: float = 1.0) -> np.ndarray:
    """The expected result for the player to move, 0 … 1, given scores in centipawns."""
    bounded = np.clip(scores.astype(np.float64) * label_scale, -LARGEST_SCORE, LARGEST_SCORE)
    return 1.0 / (1.0 + np.exp(-bounded / SCORE_SCALE))


def move_targets(decoded: Decoded, chosen: np.ndarray, moves: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """For each legal move of the chosen positions the share it should get; `moves` and `starts` as from `moves_of`."""
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
    """Give the whole share to the move that was played."""
    for line in range(chosen.size):
        for place in range(starts[line], starts[line + 1]):
            if moves[place] == played[chosen[line]]:
                shares[place] = 1


@kernel
def share_visits(
    visits: tuple[np.ndarray, np.ndarray, np.ndarray],
    chosen: np.ndarray,
    moves: np.ndarray,
    starts: np.ndarray,
    shares: np.ndarray,
) -> None:
    """Where a search's visits (bounds, moves, counts) are known, share by them."""
    bounds, visit_moves, visit_counts = visits
    for line in range(chosen.size):
        begin, end = bounds[chosen[line]], bounds[chosen[line] + 1]
        total = 0
        for entry in range(begin, end):
            total += visit_counts[entry]
        if total == 0:
            continue
        for place in range(starts[line], starts[line + 1]):
            shares[place] = 0
            for entry in range(begin, end):
                if moves[place] == visit_moves[entry]:
                    shares[place] = visit_counts[entry] / total
