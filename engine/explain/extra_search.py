"""A separate search for one move, in a small tree that nothing else uses."""

from collections.abc import Callable

from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import new_worker, root_of
from engine.mcts.tree import ROOT, new_tree
from engine.report.history import History
from engine.report.move_stats import DRAW, WIN, MoveStats, as_stats
from engine.report.snapshot import Snapshot
from engine.report.tree_positions import PositionCache, TreePosition
from movegen import Ending

SEED = 1
VISITS_AT_ONCE = 500  # between two checks whether to stop
VISITS_PER_MEGABYTE = 500
LARGEST_MEGABYTES = 256
MOST_VISITS = 10_000_000


def search_alone(
    snapshot: Snapshot, after: TreePosition, visits: int, is_stopped: Callable[[], bool] = lambda: False
) -> Snapshot:
    """Search the position after a move of the root, as the search would there. Return what is known then."""
    tree = new_tree(min(1 + visits // VISITS_PER_MEGABYTE, LARGEST_MEGABYTES))
    params = snapshot.params._replace(root_sharpness=snapshot.params.sharpness)  # it is no root there
    if not after.is_over:
        task = SearchTask(tree, root_of(after.position), snapshot.network, params)
        worker = new_worker(SEED, snapshot.network)
        make_visits(task, worker, min(visits, MOST_VISITS), is_stopped, at_once=VISITS_AT_ONCE)
    return Snapshot(tree, PositionCache(after.position), History(), params, snapshot.network)


def added(move: MoveStats, after: TreePosition, alone: Snapshot) -> MoveStats:
    """What is known of a move, with what its separate search found."""
    tree, root = alone.tree, int(ROOT)
    found = as_stats(
        root, 0, int(tree.visits[root]), int(tree.wins[root]), int(tree.draws[root]), 0, int(tree.proven[root])
    )
    result, distance = (found.result, found.distance) if found.result else (move.result, move.distance)
    if after.is_over and not result:
        is_mate = after.position.outcome() is Ending.CHECKMATE
        result, distance = WIN if is_mate else DRAW, 1
    return move._replace(
        visits=move.visits + found.visits,
        wins=move.wins + found.wins,
        draws=move.draws + found.draws,
        result=result,
        distance=distance,
    )
