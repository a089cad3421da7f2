"""Why a move, or why not: the numbers behind the answer, perhaps of a separate search. `text` puts them into words."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.explain.legality import Objection, objection
from engine.explain.trend import Steady, Trend
from engine.explain.verdict import Evidence, Verdict, verdict_on, visits_missing
from engine.mcts.fixed_visits import SearchTask, make_visits
from engine.mcts.params import DEEPEST, new_worker, root_of
from engine.mcts.tree import ROOT, new_tree
from engine.report.lines import PositionCache, TreePosition
from engine.report.move_stats import DRAW, WIN, MoveStats, as_stats, proof_of, q_of, wdl_of
from engine.report.node import Row, Shape, TreeNode
from engine.report.progress import History, SearchProgress
from engine.report.report import Report
from engine.report.snapshot import NotInMemoryError, Snapshot
from movegen import Ending

EXTRA_SEED = 1
EXTRA_VISITS_AT_ONCE = 500  # between two checks whether to stop
VISITS_PER_MEGABYTE = 500
LARGEST_MEGABYTES = 256
MOST_SEPARATE_VISITS = 10_000_000
LONGEST_VARIATION = 16
WITH_LINES = Shape(lines=2, longest=LONGEST_VARIATION)
IN_FULL = Shape(longest=LONGEST_VARIATION, first_look=True)
SHORT = Shape(longest=1)


def search_alone(
    snapshot: Snapshot, after: TreePosition, visits: int, is_stopped: Callable[[], bool] = lambda: False
) -> Snapshot:
    """Search the position after a move of the root, as the search would there. Return what is known then."""
    tree = new_tree(min(1 + visits // VISITS_PER_MEGABYTE, LARGEST_MEGABYTES))
    # It is no root there; and a search for a short mate looks only a few plies deep.
    params = snapshot.params._replace(root_sharpness=snapshot.params.sharpness, deepest=DEEPEST)
    if not after.is_over:
        task = SearchTask(tree, root_of(after.position), snapshot.network, params, snapshot.queue)
        worker = new_worker(EXTRA_SEED, snapshot.network)
        make_visits(task, worker, min(visits, MOST_SEPARATE_VISITS), is_stopped, at_once=EXTRA_VISITS_AT_ONCE)
    return replace(
        snapshot,
        tree=tree,
        positions=PositionCache(after.position),
        history=History(),
        params=params,
        is_current=lambda: True,
        progress=SearchProgress(),
    )


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


class NothingSearchedError(ValueError):
    """There is no tree to ask."""


@dataclass(frozen=True)
class NotLegal:
    """A move that cannot be played."""

    asked: str
    objection: Objection
    verdict: Verdict = Verdict.NOT_LEGAL


@dataclass(frozen=True)
class Explanation:
    """A verdict on a move, and its evidence. Scores are for the player to move."""

    summary: dict[str, Any]
    asked: str | None  # None: why the best move?
    after: TreePosition  # the position after the move
    stats: MoveStats
    row: Row
    best: Row
    root: TreeNode  # with all moves
    rank: int  # of the prior; the largest has 1
    replies: tuple[Row, ...]  # the two best; their scores are for the opponent
    step_shares: tuple[float, ...]  # of each move of the line among its rivals
    below_since: int | None
    best_since: int | None
    steady: Steady | None
    verdict: Verdict = Verdict.BEST
    missing: int | None = None  # visits to overtake the best move, or for the next to overtake it
    added: int = 0  # visits by a separate search for the move
    visits_missing: int = 0  # that such a search should make first

    @property
    def needs_search(self) -> bool:
        """Is there too little to judge by?"""
        return self.visits_missing > 0

    @cached_property
    def rival(self) -> Row | None:
        """The best of the other moves."""
        found = next((move for move in self.root.moves if move is not self.root.best and move.visits), None)
        return self.root.row(found, SHORT) if found else None


def explain(report: Report, asked: str | None = None) -> Explanation | NotLegal:
    """Why a move (None: the best one), or why not, by what the tree knows now."""
    snapshot, summary = report.snapshot, report.summary()
    wrong = objection(snapshot.position, asked) if asked is not None else None
    if asked is not None and wrong is not None:
        return NotLegal(asked, wrong)
    root = TreeNode(snapshot, "")
    best = root.best
    if best is None:
        raise NothingSearchedError("nothing was searched yet")
    code = best.code if asked is None else snapshot.position.code(asked)
    move = next((move for move in root.moves if move.code == code), None)
    if move is None:
        raise NothingSearchedError(f"{asked} was left out of this search")
    trend, after = Trend(snapshot.history), root.position_after(move)
    row = root.row(move, IN_FULL)
    explanation = Explanation(
        summary,
        asked,
        after,
        move,
        row,
        root.row(best, IN_FULL),
        root,
        rank=1 + sum(prior > root.priors[move.code] for prior in root.priors.values()),
        replies=tuple(TreeNode(snapshot, after.path).rows(2, WITH_LINES)),
        step_shares=_step_shares(snapshot, row.pv),
        below_since=trend.below_since(move.code, best.code),
        best_since=trend.best_since(best.code),
        steady=trend.steady(move.code),
    )
    snapshot.check()
    return _judged(explanation)


def answer(report: Report, asked: str | None = None, visits: int | None = None) -> Explanation | NotLegal:
    """The same, after a separate search for the move: with these visits, or as many as it takes to judge it."""
    explanation = explain(report, asked)
    return explanation if isinstance(explanation, NotLegal) else settle(explanation, visits)


def settle(
    explanation: Explanation, visits: int | None = None, is_stopped: Callable[[], bool] = lambda: False
) -> Explanation:
    """Search a move separately: with that number of visits, or as long as there is too little to judge by."""
    if visits is not None:
        return search_more(explanation, visits, is_stopped)
    while explanation.needs_search and not is_stopped():
        more = search_more(explanation, explanation.visits_missing, is_stopped)
        if more.added <= explanation.added:
            return more
        explanation = more
    return explanation


def search_more(explanation: Explanation, visits: int, is_stopped: Callable[[], bool] = lambda: False) -> Explanation:
    """The same after a separate search for the move, which changes nothing else."""
    alone = search_alone(explanation.root.snapshot, explanation.after, visits, is_stopped)
    both = added(explanation.stats, explanation.after, alone)
    replies = tuple(TreeNode(alone, "").rows(2, WITH_LINES))
    first = replies[0] if replies and replies[0].n else None
    row = explanation.row._replace(
        n=both.visits,
        q=q_of(both),
        wdl=wdl_of(both),
        proven=proof_of(both.result, both.distance),
        pv=[explanation.row.uci, *(first.pv if first else ())],
        line=[explanation.row.san, *(first.line if first else ())],
    )
    shares = (explanation.row.share, *(_step_shares(alone, first.pv) if first else ()))
    more = both.visits - explanation.stats.visits
    return _judged(replace(explanation, row=row, replies=replies, step_shares=shares, added=more))


def _step_shares(snapshot: Snapshot, line: list[str]) -> tuple[float, ...]:
    """The share that each move of a line has among the moves of its node."""
    shares = []
    for end, uci in enumerate(line):
        try:
            node = TreeNode(snapshot, "/".join(line[:end]))
        except NotInMemoryError:  # recycled since the line was read
            break
        code = node.here.codes[uci]
        shares += [share for move, share in zip(node.moves, node.shares, strict=True) if move.code == code]
    return tuple(shares)


def _judged(explanation: Explanation) -> Explanation:
    """With the verdict, and the visits that are missing to overtake."""
    row, best = explanation.row, explanation.best
    evidence = Evidence(
        proven=row.proven["result"] if row.proven else None,
        is_best=row.uci == best.uci,
        visits=row.n,
        best_visits=best.n,
        share=row.share,
        score=row.q,
        best_score=0.5 if best.q is None else best.q,
        first_look=row.v,
        best_first_look=best.v,
        reply_share=explanation.replies[0].share if explanation.replies else 0.0,
        was_searched=explanation.added > 0,
    )
    missing = _missing(explanation)
    return replace(explanation, verdict=verdict_on(evidence), visits_missing=visits_missing(evidence), missing=missing)


def _missing(explanation: Explanation) -> int | None:
    """The visits that the move (or the next, if it is the best) needs to overtake; None if a proof decides."""
    row, best = explanation.row, explanation.best
    behind = row if row.uci != best.uci else explanation.rival
    if behind is None or behind.proven or best.proven:
        return None
    count = explanation.stats.visits if behind is row else behind.n
    leads_on_score = behind.q is not None and best.q is not None and behind.q > best.q
    return max(0, best.n - count + (not leads_on_score))
