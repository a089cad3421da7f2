"""Statistics of moves made up for tests."""

from engine.mcts.tree import SCORE_UNIT
from engine.report.move_stats import MoveStats, rank


def move(code, visits=0, score=0.5, draws=0.0, result=0, distance=0):
    wins, shares = round(visits * score * SCORE_UNIT), round(visits * draws * SCORE_UNIT)
    return MoveStats(code, code, visits, wins, shares, 0.1, result, distance)


def ranked(*moves):
    return sorted(moves, key=rank, reverse=True)
