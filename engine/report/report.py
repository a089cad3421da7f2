"""`Report`: what a search knows, as plain data. Also while threads search: reading takes no lock."""

from typing import Any

from engine.mcts.params import UCB1
from engine.mcts.tree import IN_USE
from engine.report import REPORT_SCHEMA
from engine.report.icicle import DEEPEST, MERGED_BELOW, icicle_of
from engine.report.move_stats import DIGITS, mean_score, proof_of, q_of, wdl_of
from engine.report.node import DEFAULT_SHAPE, Row, Shape, TreeNode
from engine.report.snapshot import Snapshot

MOST_CHILDREN = 12  # of a node below the root, unless more are asked for


class Report:
    """A search as plain data for JSON. Nodes are named by the moves that lead to them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def summary(self) -> dict[str, Any]:
        """The whole search in a few numbers; those of its progress are of the moment when the report was made."""
        snapshot, progress = self.snapshot, self.snapshot.progress
        tree, params, position = snapshot.tree, snapshot.params, snapshot.position
        root = TreeNode(snapshot, "")
        best = root.best
        summary = {
            "schema": REPORT_SCHEMA,
            "fen": snapshot.positions.root.fen,
            "chess960": position.chess960,
            "turn": position.turn,
            "visits": progress.visits,
            "nodes": progress.nodes,
            "seconds": round(progress.seconds, 3),
            "speed": int(progress.nodes / progress.seconds) if progress.seconds > 0 else 0,
            "depth": progress.depth,
            "deepest": progress.deepest,
            "memory": round(int(tree.control[int(IN_USE)]) / tree.visits.size, 3),
            "state": str(progress.state),
            "moves_by": progress.moves_by,
            "known_score": progress.known_score,
            "formula": "UCB1" if params.formula == UCB1 else "PUCT",
            "evaluator": "Network" if snapshot.judge else "Playout",
            "network": snapshot.queue.net.name if snapshot.queue and snapshot.judge else None,
            "moves": len(root.moves),
            "best": position.uci(best.code) if best else None,
            "q": q_of(best) if best else None,
            "wdl": wdl_of(best) if best else None,
            "proven": proof_of(best.result, best.distance) if best else None,
        }
        snapshot.check()
        return summary

    def rows(self, path: str = "", k: int | None = None, shape: Shape = DEFAULT_SHAPE) -> list[Row]:
        """The moves of a node, in the order in which they would be chosen; at most k."""
        rows = TreeNode(self.snapshot, path).rows(k, shape)
        self.snapshot.check()
        return rows

    def children(self, path: str = "", k: int | None = None, shape: Shape = DEFAULT_SHAPE) -> dict[str, Any]:
        """A node and its moves: all of the root, twelve elsewhere, unless k says otherwise; the rest as one."""
        node = TreeNode(self.snapshot, path)
        shown = k if k is not None else MOST_CHILDREN if path else len(node.moves)
        children = {
            "path": node.here.path,
            "fen": node.here.fen,
            "turn": node.here.position.turn,
            "n": int(self.snapshot.tree.visits[node.slot]),
            "rows": [row.data() for row in node.rows(shown, shape)],
            "rest": {
                "moves": len(node.moves[shown:]),
                "n": sum(move.visits for move in node.moves[shown:]),
                "share": round(sum(node.shares[shown:]), DIGITS),
            },
        }
        self.snapshot.check()
        return children

    def icicle(self, path: str = "", depth: int = DEEPEST, least_share: float = MERGED_BELOW) -> dict[str, Any]:
        """The visits below a node as rectangles."""
        here, slot = self.snapshot.find(path)
        icicle = icicle_of(self.snapshot.tree, self.snapshot.positions, here, slot, depth, least_share)
        self.snapshot.check()
        return icicle

    def history(self, k: int | None = None) -> dict[str, Any]:
        """Visits and scores of the root's moves over time; of the k moves with the most visits now, best first."""
        codes, samples = self.snapshot.history.read()
        last = samples[-1].counts.tolist() if samples else []
        order = sorted(range(len(last)), key=lambda index: -last[index])[:k]
        counts = [sample.counts[order].tolist() for sample in samples]
        wins = [sample.wins[order].tolist() for sample in samples]
        history = {
            "moves": [self.snapshot.position.uci(codes[index]) for index in order],
            "seconds": [round(sample.seconds, 3) for sample in samples],
            "visits": [sample.visits for sample in samples],
            "n": counts,
            "q": [list(map(mean_score, *sums)) for sums in zip(wins, counts, strict=True)],
        }
        self.snapshot.check()
        return history
