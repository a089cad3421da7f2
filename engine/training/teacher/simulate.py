"""A tree search with the teacher's value at its leaves; the priors are those of this engine's own network.

The steps are those of `engine.mcts.simulate`, in a kernel apart: players do not compile it.
"""

import numpy as np

from engine.mcts.params import LEAF_KEY, Root, SearchParams, Worker, board_of, depth_of, is_open
from engine.mcts.proof import UNPROVEN
from engine.mcts.simulate import back_up, descend
from engine.mcts.transpositions import keep_value, known_value, mean_elsewhere, score_in
from engine.mcts.tree import ROOT, SCORE_UNIT, Tree
from engine.network.architecture import LOGIT_BITS, Network
from engine.network.infer import EXP_BITS, exp_of_minus
from engine.training.teacher.nnue_file import TeacherNet
from engine.training.teacher.quiet import QuietScratch, quiet_teacher_value
from movegen.bits import ONE, U64, ZERO
from movegen.compiler.jit import inlined, inlined_source, kernel

LEAF = 0  # leaves are evaluated one by one
NO_DRAWS = 0  # the teacher does not say how much of a score is a draw


@inlined
def score_of_value(value: np.int64, scale: np.int64) -> int:
    """1 / (1 + e^(−value / scale)) in SCORE_UNIT."""
    distance = U64(abs(value) << np.int64(LOGIT_BITS)) // U64(scale)
    one = ONE << U64(EXP_BITS)
    score = int((one << U64(20)) // (one + exp_of_minus(distance)))
    return score if value >= 0 else SCORE_UNIT - score


@inlined_source
def judge_leaf(
    tree: Tree, params: SearchParams, worker: Worker, net: TeacherNet, scratch: QuietScratch
) -> tuple[int, int]:
    """Score and draw share of the leaf, for the player who moved there."""
    key = worker.leaves[LEAF, LEAF_KEY]
    if params.transpositions != ZERO:
        visits, mean, mean_draw_share = mean_elsewhere(tree, key)
        if visits > 0:
            return mean, mean_draw_share
    known = known_value(tree.values, key)
    if known != ZERO:
        return score_in(known), NO_DRAWS
    value = quiet_teacher_value(net, scratch, board_of(worker, LEAF), depth_of(worker, LEAF) & 1)
    score = SCORE_UNIT - score_of_value(value, net.scale[0])
    keep_value(tree.values, key, score, NO_DRAWS)
    return score, NO_DRAWS


@kernel
def simulate_with_teacher(
    tree: Tree,
    root: Root,
    network: Network,
    params: SearchParams,
    worker: Worker,
    net: TeacherNet,
    scratch: QuietScratch,
    simulations: np.uint64,
) -> np.uint64:
    """Make simulations until all are made or the root is proven; -> how many were made."""
    made = ZERO
    while made < simulations and tree.proven[ROOT] == UNPROVEN:
        descend(tree, root, network, params, worker, LEAF)
        if is_open(worker, LEAF):
            worker.scores[LEAF], worker.draw_shares[LEAF] = judge_leaf(tree, params, worker, net, scratch)
        back_up(tree, worker, LEAF)
        made += ONE
    return made
