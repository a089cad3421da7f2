"""From a net's outputs to what the search wants: priors of legal moves, expected score, probability of a draw."""

import math

import numpy as np

from engine.lc0.reflections import reflected
from movegen.bits import ONE, U64, lowest_square
from movegen.compiler.jit import inlined, kernel
from movegen.moves import KIND_MASK, TARGET_SHIFT, origin_of, target_of


@inlined
def reflected_move(move: np.uint64, reflection: np.uint64) -> np.uint64:
    """The move on the reflected board."""
    origin = lowest_square(reflected(ONE << origin_of(move), reflection))
    target = lowest_square(reflected(ONE << target_of(move), reflection))
    return origin | target << TARGET_SHIFT | move & KIND_MASK


@kernel
def fill_priors(
    logits: np.ndarray,
    moves: np.ndarray,
    move_counts: np.ndarray,
    reflections: np.ndarray,
    places: np.ndarray,
    priors: np.ndarray,
) -> None:
    """Softmax over the legal moves of each leaf, whose logits are float32 [leaf, width].

    `places`: the table of `engine.lc0.moves`. Logits that are not finite count as very small ones.
    """
    for leaf in range(len(logits)):
        count, reflection = np.int64(move_counts[leaf]), reflections[leaf]
        row, best = priors[leaf], -np.inf
        for index in range(count):
            move = U64(moves[leaf, index])
            if reflection:
                move = reflected_move(move, reflection)
            logit = np.float64(logits[leaf, places[np.int64(move)]])
            row[index] = logit if -1e6 < logit < 1e6 else -1e6
            best = max(best, np.float64(row[index]))
        total = 0.0
        for index in range(count):
            total += math.exp(row[index] - best)
        for index in range(count):
            row[index] = math.exp(row[index] - best) / total
        row[count:] = 0
