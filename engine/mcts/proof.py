"""Proven results (MCTS-solver): what an edge leads to for certain, whatever the opponent does.

A proof is 16 bits, seen by the player who makes the move: the result in the upper two, the distance to the end of
the game in plies below. A reply that wins for its player makes the move before it a loss; replies that all lose
make it a win.
"""

import numpy as np

from engine.mcts.tree import BUSY, NO_NODE, ROOT, SCORE_UNIT, Tree
from movegen.bits import ONE, U64
from movegen.compiler.jit import inlined, kernel

UNPROVEN, LOSS, DRAW, WIN = np.uint16(0), np.uint16(1), np.uint16(2), np.uint16(3)  # the one numbering of results
RESULT_SHIFT, DISTANCE_MASK = np.uint16(14), np.uint16(0x3FFF)
LONGEST, NO_WIN, ONE_PLY = np.int64(0x3FFF), np.int64(0x4000), np.int64(1)


@inlined
def proof(result: np.uint16, distance: np.int64) -> np.uint16:
    """A result and its distance as one number."""
    return np.uint16(result << RESULT_SHIFT | np.uint16(min(distance, LONGEST)))


@inlined
def result_of(proven: np.uint16) -> np.uint16:
    """UNPROVEN, LOSS, DRAW or WIN for the player who makes the move."""
    return np.uint16(proven >> RESULT_SHIFT)


@inlined
def distance_of(proven: np.uint16) -> np.int64:
    """Plies to the end of the game, the move itself included."""
    return np.int64(proven & DISTANCE_MASK)


@inlined
def score_of(result: np.uint16) -> int:
    """A proven result as a score for the player who makes the move."""
    return SCORE_UNIT if result == WIN else SCORE_UNIT // 2 if result == DRAW else 0


@inlined
def draw_share_of(result: np.uint16) -> int:
    """How much of a proven result is a draw: all or nothing."""
    return SCORE_UNIT if result == DRAW else 0


@inlined
def proof_from(proven: np.ndarray, first: np.uint64, end: np.uint64) -> np.uint16:
    """What replies prove for the move before them, or UNPROVEN. Their own proofs are in `proven[first:end]`.

    The quickest win of the opponent; else, if all replies are proven, a draw, or the slowest of the opponent's losses.
    """
    quickest_win, slowest_loss, longest_draw = NO_WIN, np.int64(0), np.int64(0)
    open_replies = 0
    for slot in range(first, end):
        result, distance = result_of(proven[slot]), distance_of(proven[slot])
        if result == UNPROVEN:
            open_replies += 1
        elif result == WIN:
            quickest_win = min(quickest_win, distance)
        elif result == DRAW:
            longest_draw = max(longest_draw, distance)
        else:
            slowest_loss = max(slowest_loss, distance)
    if quickest_win != NO_WIN:
        return proof(LOSS, quickest_win + ONE_PLY)
    if open_replies:
        return UNPROVEN
    if longest_draw:
        return proof(DRAW, longest_draw + ONE_PLY)
    return proof(WIN, slowest_loss + ONE_PLY)


@inlined
def proof_from_replies(tree: Tree, header: np.uint64) -> np.uint16:
    """What the replies of a node prove for the move before them, or UNPROVEN."""
    return proof_from(tree.proven, header + ONE, header + ONE + U64(tree.visits[header]))


@kernel
def prove_root(tree: Tree) -> None:
    """Note what is proven of the root by its replies: after it was moved, or lost some of its moves."""
    header = U64(tree.link[ROOT])
    if header not in (NO_NODE, BUSY):
        tree.proven[ROOT] = proof_from_replies(tree, header)
