"""The network's own priors, at temperature 1: the tree keeps only those of the search, after its temperature."""

from engine.mcts.fixed_visits import SearchTask, expand_root
from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.tree import ROOT, new_tree
from engine.network.infer import PLAIN
from engine.network.weights import Network
from engine.report.move_stats import moves_below
from engine.report.tree_positions import TreePosition
from movegen import Position

PARAMS = SearchParams(PUCT, NETWORK, 1.0, sharpness=PLAIN, root_sharpness=PLAIN)


def network_priors(position: Position, network: Network) -> dict[int, float]:
    """The prior of each legal move, by its code, to 1/65535.

    By a search of two visits in a small tree: these kernels are compiled in any case.
    """
    if not position.move_codes:
        return {}
    tree = new_tree(1)
    expand_root(SearchTask(tree, root_of(position), network, PARAMS), new_worker(1, network))
    return {move.code: move.prior for move in moves_below(tree, int(ROOT))}


def priors_at(here: TreePosition, network: Network) -> dict[int, float]:
    """The same, remembered: a node is shown many times."""
    if here.priors is None or here.priors[0] is not network:
        here.priors = (network, network_priors(here.position, network))
    return here.priors[1]
