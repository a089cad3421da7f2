"""What the evaluator thinks of a position, without a search."""

import math

import numpy as np

from engine.mcts.setup import PLAYOUT, UCB1, Root, Settings, new_worker
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import ROOT, SCORE_UNIT, clear, new_tree
from engine.report import centipawns
from movegen import Position
from movegen.bits import U64

GAMES = 2000


def judge_by_playouts(position: Position, seed: int) -> list[str]:
    """The results of random games from a position, as lines of text for the player to move."""
    tree, worker = new_tree(1), new_worker(seed or 1)
    root = Root(position.board, U64(position.key), U64(position.halfmove_clock), np.zeros(0, dtype=np.uint64))
    losses = draws = 0
    for _ in range(GAMES):
        clear(tree)  # so each visit is the first, which only looks at the value
        simulate_many(tree, root, Settings(UCB1, PLAYOUT, 1.0, 0.0), worker, U64(1))
        draws += int(tree.draws[int(ROOT)]) == SCORE_UNIT
        losses += int(tree.wins[int(ROOT)]) == SCORE_UNIT  # won by the player who moved before
    wins = GAMES - draws - losses
    score = (wins + draws / 2) / GAMES
    error = math.sqrt(max(wins + draws / 4 - GAMES * score * score, 0.0)) / GAMES
    return [
        f"{GAMES} random games: {wins} won, {draws} drawn, {losses} lost by {position.turn}",
        f"score {score:.3f} ± {error:.3f} for {position.turn}, {centipawns(score)} centipawns",
    ]
