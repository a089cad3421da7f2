"""What a separate search of one move adds to what is known of the move."""

from types import SimpleNamespace

from engine.explain.explain import added
from engine.mcts.tree import ROOT, new_tree
from engine.report.move_stats import DRAW, LOSS, UNPROVEN, WIN
from movegen import Position
from tests.engine.report.moves import move


def alone(visits=0, wins=0, draws=0, proven=0):
    tree, root = new_tree(1), int(ROOT)
    tree.visits[root], tree.wins[root], tree.draws[root], tree.proven[root] = visits, wins, draws, proven
    return SimpleNamespace(tree=tree)


def place(fen):
    position = Position(fen)
    return SimpleNamespace(position=position, is_over=position.is_game_over())


MIDDLE = place("6k1/5ppp/8/8/8/8/8/R3K3 b - - 0 1")
MATED = place("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1")
STALEMATE = place("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1")


def test_what_a_separate_search_adds():
    known = move(7, 10, 0.5, 0.2)
    both = added(known, MIDDLE, alone(30, 40, 50))
    assert both == known._replace(visits=40, wins=known.wins + 40, draws=known.draws + 50)
    assert added(known, MIDDLE, alone(3, 0, 0, LOSS << 14 | 5))[-2:] == (LOSS, 5)
    proven = move(7, 10, result=WIN, distance=9)
    assert added(proven, MIDDLE, alone(3))[-2:] == (WIN, 9)
    assert added(proven, MIDDLE, alone(3, 0, 0, WIN << 14 | 3))[-2:] == (WIN, 3)
    assert added(known, MIDDLE, alone(3))[-2:] == (UNPROVEN, 0)
    assert added(known, MATED, alone())[-2:] == (WIN, 1)
    assert added(known, STALEMATE, alone())[-2:] == (DRAW, 1)
