"""What the evaluators think of a position, without a search."""

import math
from dataclasses import replace

import numpy as np

from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import PLAYOUT, UCB1, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, SCORE_UNIT, clear, new_tree
from engine.network.architecture import VALUE_UNIT
from engine.network.batch import values_of
from engine.network.weights import Network, new_scratch
from engine.report.priors import network_priors
from engine.report.score import centipawns
from movegen import Position
from movegen.fen import SQUARE_NAMES, read_fen, write_fen

GAMES = 2000


def judge_by_playouts(position: Position, network: Network, seed: int) -> list[str]:
    """The results of random games from a position, as lines of text for the player to move."""
    tree, worker = new_tree(1), new_worker(seed or 1, network)
    task = SearchTask(tree, root_of(position), network, SearchParams(UCB1, PLAYOUT, 1.0))
    losses = draws = 0
    for _ in range(GAMES):
        clear(tree)  # so each visit is the first, which only looks at the value
        make_visits(task, worker, 1)
        draws += int(tree.draws[int(ROOT)]) == SCORE_UNIT
        losses += int(tree.wins[int(ROOT)]) == SCORE_UNIT  # won by the player who moved before
    wins = GAMES - draws - losses
    score = (wins + draws / 2) / GAMES
    error = math.sqrt(max(wins + draws / 4 - GAMES * score * score, 0.0)) / GAMES
    return [
        f"{GAMES} random games: {wins} won, {draws} drawn, {losses} lost by {position.turn}",
        f"score {score:.3f} ± {error:.3f} for {position.turn}, {centipawns(score)} centipawns",
    ]


def judge_by_network(position: Position, network: Network) -> list[str]:
    """The network's view of a position, as lines of text for the player to move: value, what each man adds, priors."""
    shares = _shares(position, network)
    score, lines = _score(shares), [f"{position.turn} to move: {_value_text(shares)}"]
    for square, man, other in without_each_man(position):
        lines.append(f"{man} on {square}: {score - _score(_shares(other, network)):+.3f} score")
    ranked = sorted(network_priors(position, network).items(), key=lambda pair: -pair[1])
    lines += [f"{position.uci(code)} prior {prior:.1%}" for code, prior in ranked]
    return lines


def without_each_man(position: Position) -> list[tuple[str, str, Position]]:
    """Square, man, and the position without him; kings stay, and so does whoever shields the waiting king."""
    setup, found = read_fen(position.fen(), chess960=position.chess960), []
    for square, man in sorted(setup.pieces.items()):
        if man in "kK":
            continue
        men = {other: name for other, name in setup.pieces.items() if other != square}
        fen = write_fen(replace(setup, pieces=men, castling_rooks=set(), en_passant=None))
        try:
            found.append((SQUARE_NAMES[square], man, Position(fen)))
        except ValueError:  # without this man the player to move could take the king
            continue
    return found


def _shares(position: Position, network: Network) -> tuple[int, int, int]:
    boards, shares = np.array([position.board], dtype=np.uint64), np.zeros((1, 3), dtype=np.int64)
    values_of(network, new_scratch(network), boards, shares)
    wins, draws, losses = shares[0].tolist()
    return wins, draws, losses


def _score(shares: tuple[int, int, int]) -> float:
    return (shares[0] + shares[1] / 2) / VALUE_UNIT


def _value_text(shares: tuple[int, int, int]) -> str:
    wins, draws, losses = (share / VALUE_UNIT for share in shares)
    score = _score(shares)
    return f"score {score:.3f}, {centipawns(score)} centipawns, win {wins:.1%} draw {draws:.1%} loss {losses:.1%}"
