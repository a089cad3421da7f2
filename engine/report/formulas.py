"""How the numbers of a row come about: a formula for each column, and the same with the numbers put in."""

import math
from collections.abc import Callable
from typing import NamedTuple

from engine.mcts.params import NETWORK, UCB1, SearchParams
from engine.mcts.selection import GROWTH_BASE
from engine.mcts.tree import ROOT
from engine.network.infer import PLAIN_SHARPNESS
from engine.report.node import Row, TreeNode
from engine.report.snapshot import Snapshot

SEARCH_PRIOR = "prior ^ (1 / T) / sum of prior ^ (1 / T)"


class Context(NamedTuple):
    """What formulas need besides the row."""

    visits: int  # N, of the node
    total: int  # of the visits of its moves
    moves: int  # how many it has
    params: SearchParams
    temperature: float = 1.0  # of the priors that the search takes here
    temperature_name: str = ""  # of the option
    power_sum: float = 1.0  # of the network's priors ^ (1 / temperature), over all legal moves

    @property
    def has_network(self) -> bool:
        """Do the priors come from the network?"""
        return bool(self.params.evaluator == NETWORK)


def context_of(snapshot: Snapshot, path: str) -> Context:
    """What the formulas of a node need."""
    node, params = TreeNode(snapshot, path), snapshot.params
    is_root = node.slot == int(ROOT)
    temperature = PLAIN_SHARPNESS / (params.root_sharpness if is_root else params.sharpness)
    return Context(
        visits=int(snapshot.tree.visits[node.slot]),
        total=sum(move.visits for move in node.moves),
        moves=len(node.moves),
        params=params,
        temperature=temperature,
        temperature_name="Root Temperature" if is_root else "Policy Temperature",
        power_sum=sum(prior ** (1 / temperature) for prior in node.priors.values()),
    )


class Formula(NamedTuple):
    """How a number is made."""

    text: Callable[[Context], str]
    worked: Callable[[Row, Context], str]  # with numbers put in


def _share(row: Row, context: Context) -> str:
    return f"{row.n:,} / {context.total:,} = {row.share:.1%}"


def _score(row: Row, _context: Context) -> str:
    if row.proven:
        return f"{row.proven['result']} is proven: {row.q}"
    return f"{row.q * row.n:,.4f} / {row.n:,} = {row.q:.4f}" if row.q is not None else "not visited yet"


def _wdl(row: Row, _context: Context) -> str:
    if row.wdl is None or row.q is None:
        return "not visited yet"
    wins, draws, losses = row.wdl
    won = f"wins {row.q:.3f} - {draws / 1000:.3f} / 2 = {wins / 10:.1f} %"
    return f"draws {draws / 10:.1f} %; {won}; losses the rest, {losses / 10:.1f} %"


def _prior_formula(context: Context) -> str:
    return "softmax of the network, temperature 1" if context.has_network else "1 / moves: playouts prefer none"


def _prior(row: Row, context: Context) -> str:
    return f"{row.p:.4f}" if context.has_network else f"1 / {context.moves} = {row.p:.4f}"


def _search_prior_formula(context: Context) -> str:
    if not context.has_network:
        return "the prior"
    name = f" ({context.temperature_name})" if context.temperature != 1 else ""
    return f"{SEARCH_PRIOR}, T = {context.temperature:.3g}{name}"


def _search_prior(row: Row, context: Context) -> str:
    if not context.has_network:
        return f"{row.p_search:.4f}"
    found = row.p ** (1 / context.temperature) / context.power_sum
    worked = f"{row.p:.6f} ^ (1 / {context.temperature:.6g}) / {context.power_sum:.6g} = {found:.4f}"
    is_same = f"{found:.4f}" == f"{row.p_search:.4f}"
    return worked if is_same else f"{worked}, which the tree keeps rounded: {row.p_search:.4f}"


def _first_look(row: Row, _context: Context) -> str:
    return "playouts have no first look" if row.v is None else f"1 - {1 - row.v:.4f} = {row.v:.4f}"


def _bonus_formula(context: Context) -> str:
    if context.params.formula == UCB1:
        return "C * sqrt(ln N / n)"
    bonus = f"C * (1 + growth * ln((N + {GROWTH_BASE}) / {GROWTH_BASE})) * P * sqrt(N) / (1 + n)"
    return f"{bonus}; P = {_search_prior_formula(context)}"


def _bonus(row: Row, context: Context) -> str:
    params, visits = context.params, context.visits
    if row.u is None:
        return "without end: it comes first" if "first" in row.flags else "none: it is proven to lose"
    if params.formula == UCB1:
        return f"{params.exploration:g} * sqrt({math.log(visits):.4f} / {row.n}) = {row.u:.4f}"
    growth = f"(1 + {params.growth:g} * ln(({visits} + {GROWTH_BASE}) / {GROWTH_BASE}))"
    return f"{params.exploration:g} * {growth} * {row.p_search:.6g} * sqrt({visits}) / (1 + {row.n}) = {row.u:.4f}"


def _urgency(row: Row, _context: Context) -> str:
    if row.u is None or row.s is None:
        return "no number: see the bonus"
    return f"{row.s - row.u:.4f} + {row.u:.4f} = {row.s:.4f}"


def _plain(text: str) -> Callable[[Context], str]:
    return lambda _context: text


FORMULAS = {  # by the key of a column
    "n": Formula(_plain("n, counted"), lambda row, _: f"{row.n:,}"),
    "share": Formula(_plain("n / sum of n"), _share),
    "q": Formula(_plain("sum of results / n"), _score),
    "wdl": Formula(_plain("draws counted; wins = score - draws / 2"), _wdl),
    "p": Formula(_prior_formula, _prior),
    "p_search": Formula(_search_prior_formula, _search_prior),
    "v": Formula(_plain("1 - score of the position after it"), _first_look),
    "u": Formula(_bonus_formula, _bonus),
    "s": Formula(_plain("score + bonus"), _urgency),
}
