"""The network's own priors, at temperature 1: the tree keeps only those of the search, after its temperature."""

from engine.mcts.params import NETWORK, PUCT, SearchParams, new_worker, root_of
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import ROOT, new_tree
from engine.network.infer import PLAIN
from engine.network.weights import Network
from engine.report.move_stats import moves_below
from engine.report.positions import Place
from movegen import Position
from movegen.bits import U64

PARAMS = SearchParams(PUCT, NETWORK, 1.0, sharpness=PLAIN, root_sharpness=PLAIN)
TO_EXPAND = U64(2)  # the first visit looks at the value, the second makes the node


def network_priors(position: Position, network: Network) -> dict[int, float]:
    """The prior of each legal move, by its code, to 1/65535.

    By a search of two visits in a small tree: these kernels are compiled in any case.
    """
    if not position.move_codes:
        return {}
    tree = new_tree(1)
    simulate_many(tree, root_of(position), network, PARAMS, new_worker(1, network), TO_EXPAND)
    return {move.code: move.prior for move in moves_below(tree, int(ROOT))}


def priors_at(place: Place, network: Network) -> dict[int, float]:
    """The same, remembered: a node is shown many times."""
    if place.priors is None or place.priors[0] is not network:
        place.priors = (network, network_priors(place.position, network))
    return place.priors[1]
