"""The moves of the root: a search may be restricted to some of them."""

from collections.abc import Callable, Collection

from engine.mcts.fixed_visits import TO_EXPAND, SearchTask, expand_root
from engine.mcts.params import Worker
from engine.mcts.reroot import restrict_root
from engine.mcts.tree import ROOT, Tree, clear, edges_of
from engine.report.move_stats import WIN, moves_below


def present_moves(tree: Tree) -> set[int]:
    """The moves that the root has now."""
    return {int(tree.move[slot]) for slot in edges_of(tree, int(ROOT))}


def limit_root(task: SearchTask, worker: Worker, codes: Collection[int], take: Callable[[int], int]) -> None:
    """Let the root have just these moves, with their statistics.

    If it lacks some, it is made again, by as many of its first two visits as `take` allows.
    """
    tree, wanted = task.tree, set(codes)
    present = present_moves(tree)
    if not wanted <= present:
        if tree.visits[int(ROOT)] or present:
            clear(tree)
        expand_root(task, worker, take(TO_EXPAND))
    if present_moves(tree) > wanted:
        restrict_root(tree, wanted)


def forget_long_mates(tree: Tree, longest: int, codes: Collection[int]) -> None:
    """Clear the tree unless it has proven a mate of at most `longest` moves: a longer one would end the search."""
    known = [move for move in moves_below(tree, int(ROOT)) if move.code in codes]
    if not any(move.result == WIN and move.distance < 2 * longest for move in known):
        clear(tree)
