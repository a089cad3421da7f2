"""The value of a position: the end of the game, or an estimate. All scores are for the player who moved there."""

import numpy as np

from engine.mcts.leaves import CLOCK, KEY, board_of, is_open
from engine.mcts.params import CONSTANT, NETWORK, PLAYOUT, SearchParams, Worker
from engine.mcts.proof import DRAW, UNPROVEN, WIN
from engine.mcts.tree import SCORE_UNIT
from engine.mcts.value_table import draw_share_in, keep_value, known_value, score_in
from engine.network.infer import value
from engine.network.weights import Network
from movegen.attacks import checkers
from movegen.bits import ONE, U64, ZERO, fold_product, multiply_high
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source
from movegen.legal import count_moves
from movegen.outcome import HALF_MOVES_TO_CLAIM, Ending, is_insufficient
from movegen.playout import random_game


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
        board, clock, key = board_of(worker, leaf), worker.leaves[leaf, CLOCK], worker.leaves[leaf, KEY]
        if params.evaluator == NETWORK:
            score, draw_share = judge_by_network(network, values, board, key, worker)
        elif params.evaluator == PLAYOUT:
            score, draw_share = playout(board, clock, worker)
        elif params.evaluator == CONSTANT:
            score, draw_share = SCORE_UNIT // 2, 0
        else:
            score, draw_share = int(multiply_high(fold_product(key, key), U64(SCORE_UNIT + 1))), 0
        worker.scores[leaf], worker.draw_shares[leaf] = score, draw_share
