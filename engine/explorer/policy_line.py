"""What another program's network would play here, in a line of the explanation: for Maia, what people would play."""

from engine.explain.text import percent
from engine.explorer.asked import Data
from engine.mcts.params import NETWORK
from engine.report.report import Report
from engine.report.static_eval import priors_at

MOST_LIKELY = 3  # moves that are named


def plays_by_policy(report: Report) -> bool:
    """Does a network of another program evaluate, which is a player without any search?"""
    snapshot = report.snapshot
    return snapshot.queue is not None and bool(snapshot.params.evaluator == NETWORK)


def policy_line(report: Report, asked: str | None) -> Data | None:
    """The likeliest moves at the root, and the one that is asked about; None without such a network."""
    snapshot = report.snapshot
    root = snapshot.positions.root
    if snapshot.queue is None or not plays_by_policy(report) or root.is_over:
        return None
    priors = priors_at(root, snapshot.queue)
    ranked = sorted(priors, key=lambda code: -priors[code])
    names = [f"{root.position.san(code)} {percent(priors[code])}" for code in ranked[:MOST_LIKELY]]
    rank = next((rank for rank, code in enumerate(ranked, 1) if root.position.uci(code) == asked), 0)
    if rank > MOST_LIKELY:
        code = ranked[rank - 1]
        names.append(f"{root.position.san(code)} {percent(priors[code])} (#{rank})")
    return {"label": snapshot.queue.net.name.split(".")[0], "parts": [f"without a search plays {', '.join(names)}"]}
