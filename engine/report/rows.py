"""The moves of a node as rows: what every table shows."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.mcts.inspect import urgencies
from engine.mcts.params import SearchParams
from engine.mcts.tree import SCORE_UNIT, Tree
from engine.network.architecture import VALUE_UNIT
from engine.network.batch import values_of
from engine.network.weights import Network, new_scratch
from engine.report.move_stats import MoveStats
from engine.report.score import RESULTS, wdl
from movegen import Position
from movegen.bits import U64
from movegen.moves import MAX_MOVES

DIGITS = 6  # of all numbers that are not whole
SHARE_UNIT = 1000
BEST, NEXT, NEVER, FIRST, UNVISITED = "best", "next", "never", "first", "unvisited"


class Row(NamedTuple):
    """A move of a node. All values are for the player who makes it; docs/search-report.md explains each."""

    uci: str
    san: str
    n: int
    share: float
    q: float | None
    wdl: list[int] | None
    p: float
    p_search: float
    u: float | None
    s: float | None
    v: float | None
    proven: dict[str, Any] | None
    pv: list[str]
    line: list[str]
    flags: list[str]

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def shares_of(counts: Sequence[int]) -> list[float]:
    """The shares of counts in steps of 0.1 %, which add up to 100 %: the largest remainders are rounded up."""
    total = sum(counts)
    if total == 0:
        return [0.0 for _ in counts]
    parts = [divmod(count * SHARE_UNIT, total) for count in counts]
    missing = SHARE_UNIT - sum(whole for whole, _ in parts)
    to_round_up = set(sorted(range(len(parts)), key=lambda index: -parts[index][1])[:missing])
    return [(whole + (index in to_round_up)) / SHARE_UNIT for index, (whole, _) in enumerate(parts)]


def q_of(move: MoveStats) -> float | None:
    """The score of a move, if anything is known of it."""
    return round(move.score, DIGITS) if move.is_known else None


def mean_score(wins: int, visits: int) -> float | None:
    """Q from the sums in a tree or its history, where nothing is proven."""
    return round(wins / SCORE_UNIT / visits, DIGITS) if visits else None


def proof_of(result: int, plies: int) -> dict[str, Any] | None:
    """The proven result of a move, and how many plies it takes, the move itself included."""
    return {"result": RESULTS[result], "plies": plies} if result else None


class Urgency(NamedTuple):
    """The terms of the selection formula for a move. None: infinite, see the flags."""

    bonus: float | None  # U
    total: float | None  # S
    flag: str  # NEVER, FIRST or empty


def urgencies_of(tree: Tree, params: SearchParams, slot: int) -> dict[int, Urgency]:
    """U and S of the moves below an edge, by slot, as the search computes them; lost moves are never selected."""
    means, bonuses = np.empty(MAX_MOVES), np.empty(MAX_MOVES)
    first = int(tree.link[slot]) + 1
    count = int(urgencies(tree, params, U64(slot), means, bonuses))
    pairs = zip(means[:count].tolist(), bonuses[:count].tolist(), strict=True)
    return {first + index: _urgency(mean, bonus) for index, (mean, bonus) in enumerate(pairs)}


def _urgency(mean: float, bonus: float) -> Urgency:
    if math.isinf(bonus):
        return Urgency(None, None, FIRST if bonus > 0 else NEVER)
    return Urgency(bonus, mean + bonus, "")


def rounded(number: float | None) -> float | None:
    """As it is shown; None stays None."""
    return None if number is None else round(number, DIGITS)


def next_slot(found: dict[int, Urgency]) -> int | None:
    """The slot that the search would select next; of equals, between which it chooses at random, the first."""
    first = next((slot for slot, urgency in found.items() if urgency.flag == FIRST), None)
    numbers = {slot: urgency.total for slot, urgency in found.items() if urgency.total is not None}
    return first if first is not None else max(numbers, key=numbers.__getitem__, default=None)


def first_looks(network: Network | None, positions: Sequence[Position]) -> list[float | None]:
    """The network's own score of positions, for the player who moved there; None with playouts."""
    if network is None or not positions:
        return [None for _ in positions]
    boards = np.array([position.board for position in positions], dtype=np.uint64)
    shares = np.zeros((len(positions), 3), dtype=np.int64)
    values_of(network, new_scratch(network), boards, shares)
    return [_score_before(position, row) for position, row in zip(positions, shares.tolist(), strict=True)]


def _score_before(position: Position, shares: list[int]) -> float:
    if not position.move_codes:
        return 1.0 if position.in_check else 0.5
    _, draws, losses = shares
    return round((losses + draws / 2) / VALUE_UNIT, DIGITS)


def wdl_of(move: MoveStats) -> list[int] | None:
    """Win, draw and loss in permille, if anything is known of it."""
    return list(wdl(move)) if move.is_known else None
