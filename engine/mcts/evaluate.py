"""What is known of a new position: its value, and the priors of its moves. Scores are for the player who moved there.

The values of the network are kept in a table: two move orders to the same position need one evaluation. It holds only
the network's own values. They depend on the position alone, not on the moves before it; repetition and the 50-move
rule are handled elsewhere. So a search with the table is the same as without it.

An entry is two words: the value, and the key of the position xor the value. If two threads write at once, the words
do not fit together, and the entry counts as empty.
"""

import numpy as np

from engine.mcts.params import CONSTANT, LEAF_CLOCK, LEAF_KEY, NETWORK, PLAYOUT, SearchParams, Worker, board_of, is_open
from engine.mcts.proof import DRAW, UNPROVEN, WIN
from engine.mcts.tree import SCORE_UNIT, VALUE_ENTRIES
from engine.network.architecture import PRIOR_UNIT, Network
from engine.network.infer import policy, value
from movegen.attacks import checkers
from movegen.bits import ONE, U64, ZERO, fold_product, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source
from movegen.generate import count_moves
from movegen.outcome import HALF_MOVES_TO_CLAIM, Ending, is_insufficient
from movegen.playout import random_game

# A value: score and draw share, each from 0 to 2²⁰, and a bit that says that there is one.
DRAWS_SHIFT, PRESENT, PART = U64(21), U64(1) << U64(63), U64((1 << 21) - 1)


# The table of values


@inlined
def index_of(key: np.uint64) -> np.uint64:
    """The index of the first word of a position's entry."""
    return multiply_high(key, U64(VALUE_ENTRIES)) << ONE


@inlined
def known_value(values: np.ndarray, key: np.uint64) -> np.uint64:
    """The value of a position; 0 if it is not in the table."""
    index = index_of(key)
    value = values[index]
    return value if value ^ values[index + ONE] == key else ZERO


@inlined
def keep_value(values: np.ndarray, key: np.uint64, score: int, draw_share: int) -> None:
    """Store the network's value of a position."""
    index = index_of(key)
    value = U64(score) | U64(draw_share) << DRAWS_SHIFT | PRESENT
    values[index], values[index + ONE] = value, value ^ key


@inlined
def score_in(value: np.uint64) -> int:
    """The score of a value."""
    return int(value & PART)


@inlined
def draw_share_in(value: np.uint64) -> int:
    """The draw share of a value."""
    return int(value >> DRAWS_SHIFT & PART)


# Priors


@inlined_source
def give_priors(
    network: Network, params: SearchParams, worker: Worker, board: Board, found: np.uint64, depth: int
) -> None:
    """Write a prior for each of the worker's moves, and put the most likely moves first."""
    if params.evaluator == NETWORK:
        sharpness = params.root_sharpness if depth == 0 else params.sharpness
        policy(network, worker.scratch, board, worker.moves, np.int64(found), sharpness, worker.priors)
        sort_by_prior(worker, int(found))
    else:
        for index in range(found):
            worker.priors[index] = PRIOR_UNIT // found


@inlined
def sort_by_prior(worker: Worker, count: int) -> None:
    """Sort moves and priors, the highest prior first; equal ones keep their order. By insertion: there are few."""
    for index in range(1, count):
        move, prior = worker.moves[index], worker.priors[index]
        hole = index
        while hole > 0 and worker.priors[hole - 1] < prior:
            worker.moves[hole], worker.priors[hole] = worker.moves[hole - 1], worker.priors[hole - 1]
            hole -= 1
        worker.moves[hole], worker.priors[hole] = move, prior


# Values


@inlined
def ending_here(board: Board, clock: np.uint64, depth: int) -> np.uint16:
    """The end of the game in a position, proven for the player who moved there: WIN by mate, DRAW, or UNPROVEN.

    At the root only the lack of moves ends the game: a search for a move is only started if the game goes on.
    """
    if count_moves(board) == ZERO:
        return WIN if checkers(board) != ZERO else DRAW
    if depth > 0 and (is_insufficient(board) or clock >= HALF_MOVES_TO_CLAIM):
        return DRAW
    return UNPROVEN


@inlined
def playout(board: Board, clock: np.uint64, worker: Worker) -> tuple[int, int]:
    """A random game; -> its score and draw share for the player who moved to this position."""
    ending, plies, state = random_game(board, clock, worker.random[0])
    worker.random[0] = state
    if ending != U64(Ending.CHECKMATE):
        return SCORE_UNIT // 2, SCORE_UNIT
    return (SCORE_UNIT if plies & ONE == ZERO else 0), 0


@inlined_source
def judge_by_network(
    network: Network, values: np.ndarray, board: Board, key: np.uint64, worker: Worker
) -> tuple[int, int]:
    """Score and draw share by the network, for the player who moved to this position."""
    known = known_value(values, key)
    if known != ZERO:
        return score_in(known), draw_share_in(known)
    _, draws, losses = value(network, worker.scratch, board)
    score, draw_share = int(losses + (draws >> np.int64(1))), int(draws)
    keep_value(values, key, score, draw_share)
    return score, draw_share


@inlined_source
def evaluate_leaves(
    network: Network, params: SearchParams, values: np.ndarray, worker: Worker, count: np.uint64
) -> None:
    """Write score and draw share of each leaf that is open, for the player who moved there."""
    for leaf in range(count):
        if not is_open(worker, leaf):
            continue
        board, clock, key = board_of(worker, leaf), worker.leaves[leaf, LEAF_CLOCK], worker.leaves[leaf, LEAF_KEY]
        if params.evaluator == NETWORK:
            score, draw_share = judge_by_network(network, values, board, key, worker)
        elif params.evaluator == PLAYOUT:
            score, draw_share = playout(board, clock, worker)
        elif params.evaluator == CONSTANT:
            score, draw_share = SCORE_UNIT // 2, 0
        else:
            score, draw_share = int(multiply_high(fold_product(key, key), U64(SCORE_UNIT + 1))), 0
        worker.scores[leaf], worker.draw_shares[leaf] = score, draw_share
