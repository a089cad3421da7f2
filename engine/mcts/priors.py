"""Prior probabilities for the moves of a new node."""

import numpy as np

from engine.mcts.params import NETWORK, SearchParams, Worker
from engine.mcts.tree import PRIOR_UNIT
from engine.network.infer import policy
from engine.network.weights import Network
from movegen.board import Board
from movegen.compiler.jit import inlined, inlined_source


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
