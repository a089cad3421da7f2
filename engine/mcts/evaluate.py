"""What is known of a new position: its value, and the priors of its moves. Scores are for the player who moved there.

What the network says of a position is looked up first, see `engine.mcts.transpositions`.
"""

import numpy as np

from engine.mcts.params import CONSTANT, LEAF_CLOCK, LEAF_KEY, NETWORK, PLAYOUT, SearchParams, Worker, board_of, is_open
from engine.mcts.proof import DRAW, UNPROVEN, WIN
from engine.mcts.transpositions import draw_share_in, keep_value, known_value, mean_elsewhere, score_in
from engine.mcts.tree import SCORE_UNIT, Tree
from engine.network.architecture import PRIOR_UNIT, Network
from engine.network.infer import policy, value
from engine.network.quiescence import quiet_value
from movegen.attacks import checkers
from movegen.bits import ONE, U64, ZERO, fold_product, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source
from movegen.generate import count_moves
from movegen.outcome import HALF_MOVES_TO_CLAIM, Ending, is_insufficient
from movegen.playout import random_game

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
    return ending_with(board, count_moves(board), clock, depth)


@inlined
def ending_with(board: Board, found: np.uint64, clock: np.uint64, depth: int) -> np.uint16:
    """The same in a position with this number of legal moves."""
    if found == ZERO:
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
    network: Network, params: SearchParams, tree: Tree, board: Board, key: np.uint64, worker: Worker
) -> tuple[int, int]:
    """Score and draw share by the network, for the player who moved to this position."""
    if params.transpositions != ZERO:
        visits, mean, mean_draw_share = mean_elsewhere(tree, key)
        if visits > 0:
            return mean, mean_draw_share
    known = known_value(tree.values, key)
    if known != ZERO:
        return score_in(known), draw_share_in(known)
    if params.quiescence != ZERO:
        _, draws, losses = quiet_value(network, worker.scratch, board)
    else:
        _, draws, losses = value(network, worker.scratch, board)
    score, draw_share = int(losses + (draws >> np.int64(1))), int(draws)
    keep_value(tree.values, key, score, draw_share)
    return score, draw_share


@inlined_source
def evaluate_leaves(tree: Tree, network: Network, params: SearchParams, worker: Worker, count: np.uint64) -> None:
    """Write score and draw share of each leaf that is open, for the player who moved there."""
    for leaf in range(count):
        if not is_open(worker, leaf):
            continue
        board, clock, key = board_of(worker, leaf), worker.leaves[leaf, LEAF_CLOCK], worker.leaves[leaf, LEAF_KEY]
        if params.evaluator == NETWORK:
            score, draw_share = judge_by_network(network, params, tree, board, key, worker)
        elif params.evaluator == PLAYOUT:
            score, draw_share = playout(board, clock, worker)
        elif params.evaluator == CONSTANT:
            score, draw_share = SCORE_UNIT // 2, 0
        else:
            score, draw_share = int(multiply_high(fold_product(key, key), U64(SCORE_UNIT + 1))), 0
        worker.scores[leaf], worker.draw_shares[leaf] = score, draw_share
