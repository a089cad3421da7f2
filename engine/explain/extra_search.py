"""A separate search for one move, in a small tree that nothing else uses."""

from collections.abc import Callable

from engine.mcts.params import new_worker, root_of
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import ROOT, new_tree
from engine.report.history import History
from engine.report.move_stats import DRAW, WIN, MoveStats, as_stats
from engine.report.positions import Place, Places
from engine.report.snapshot import Source
from movegen import Ending
from movegen.bits import U64

SEED = 1
VISITS_AT_ONCE = 500  # between two checks whether to stop
VISITS_PER_MEGABYTE = 500
LARGEST_MEGABYTES = 256
MOST_VISITS = 10_000_000


def search_alone(source: Source, place: Place, visits: int, is_stopped: Callable[[], bool] = lambda: False) -> Source:
    """Search the position after a move of the root, as the search would there. Return what is known then."""
    tree = new_tree(min(1 + visits // VISITS_PER_MEGABYTE, LARGEST_MEGABYTES))
    params = source.params._replace(root_sharpness=source.params.sharpness)  # it is no root there
    worker, root = new_worker(SEED, source.network), root_of(place.position)
    left = 0 if place.is_over else min(visits, MOST_VISITS)
    while left > 0 and not is_stopped():
        size = min(left, VISITS_AT_ONCE)
        if int(simulate_many(tree, root, source.network, params, worker, U64(size))) < size:
            break
        left -= size
    return Source(tree, Places(place.position), History(), None, params, source.network, lambda: True)


def added(move: MoveStats, place: Place, alone: Source) -> MoveStats:
    """What is known of a move, with what its separate search found."""
    tree, root = alone.tree, int(ROOT)
    found = as_stats(
        root, 0, int(tree.visits[root]), int(tree.wins[root]), int(tree.draws[root]), 0, int(tree.proven[root])
    )
    result, distance = (found.result, found.distance) if found.result else (move.result, move.distance)
    if place.is_over and not result:
        is_mate = place.position.outcome() is Ending.CHECKMATE
        result, distance = WIN if is_mate else DRAW, 1
    return move._replace(
        visits=move.visits + found.visits,
        wins=move.wins + found.wins,
        draws=move.draws + found.draws,
        result=result,
        distance=distance,
    )
