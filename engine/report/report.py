"""`Report`: what a search knows, as plain data. Also while threads search: reading takes no lock and stops nobody."""

from typing import Any

from engine.mcts.params import UCB1
from engine.mcts.tree import IN_USE, ROOT
from engine.report import SCHEMA
from engine.report.icicle import DEEPEST, LEAST_SHARE, icicle_of
from engine.report.node import PLAIN, Node, Shape
from engine.report.rows import DIGITS, Row, mean_score, proof_of, q_of, wdl_of
from engine.report.snapshot import Source
from engine.report.stop_reason import Reason

MOST_CHILDREN = 12  # of a node below the root, unless more are asked for


class Report:
    """A search as plain data, that JSON can tell. Nodes are named by the moves that lead to them."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def summary(self) -> dict[str, Any]:
        """How the search stands."""
        source, run = self.source, self.source.run
        tree, params, position = source.tree, source.params, source.position
        nodes, seconds = (run.nodes, run.seconds) if run else (0, 0.0)
        verdict = run.root_moves.verdict if run else None
        root = Node(source, "")
        best = root.best
        told = {
            "schema": SCHEMA,
            "fen": source.places.root.fen,
            "chess960": position.chess960,
            "turn": position.turn,
            "visits": int(tree.visits[int(ROOT)]),
            "nodes": nodes,
            "seconds": round(seconds, 3),
            "speed": int(nodes / seconds) if seconds > 0 else 0,
            "depth": run.mean_depth() if nodes and run else 0,
            "deepest": run.deepest if run else 0,
            "memory": round(int(tree.control[int(IN_USE)]) / tree.visits.size, 3),
            "state": str(run.reason) if run else str(Reason.STOP),
            "moves_by": run.root_moves.source if run else "",
            "known_score": verdict.score if verdict else None,
            "formula": "UCB1" if params.formula == UCB1 else "PUCT",
            "evaluator": "Network" if source.judge else "Playout",
            "moves": len(root.moves),
            "best": position.uci(best.code) if best else None,
            "q": q_of(best) if best else None,
            "wdl": wdl_of(best) if best else None,
            "proven": proof_of(best.result, best.distance) if best else None,
        }
        source.check()
        return told

    def rows(self, path: str = "", k: int | None = None, shape: Shape = PLAIN) -> list[Row]:
        """The moves of a node, in the order in which they would be chosen; at most k."""
        rows = Node(self.source, path).rows(k, shape)
        self.source.check()
        return rows

    def children(self, path: str = "", k: int | None = None, shape: Shape = PLAIN) -> dict[str, Any]:
        """A node and its moves: all of the root, twelve elsewhere, unless k says otherwise; the rest as one."""
        node = Node(self.source, path)
        shown = k if k is not None else MOST_CHILDREN if path else len(node.moves)
        told = {
            "path": node.place.path,
            "fen": node.place.fen,
            "turn": node.place.position.turn,
            "n": int(self.source.tree.visits[node.slot]),
            "rows": [row.data() for row in node.rows(shown, shape)],
            "rest": {
                "moves": len(node.moves[shown:]),
                "n": sum(move.visits for move in node.moves[shown:]),
                "share": round(sum(node.shares[shown:]), DIGITS),
            },
        }
        self.source.check()
        return told

    def icicle(self, path: str = "", depth: int = DEEPEST, least_share: float = LEAST_SHARE) -> dict[str, Any]:
        """The visits below a node as rectangles."""
        place, slot = self.source.find(path)
        told = icicle_of(self.source.tree, self.source.places, place, slot, depth, least_share)
        self.source.check()
        return told

    def history(self, k: int | None = None) -> dict[str, Any]:
        """Visits and scores of the root's moves over time; of the k moves with the most visits now, best first."""
        codes, samples = self.source.history.read()
        last = samples[-1].counts.tolist() if samples else []
        order = sorted(range(len(last)), key=lambda index: -last[index])[:k]
        counts = [sample.counts[order].tolist() for sample in samples]
        wins = [sample.wins[order].tolist() for sample in samples]
        told = {
            "moves": [self.source.position.uci(codes[index]) for index in order],
            "seconds": [round(sample.seconds, 3) for sample in samples],
            "visits": [sample.visits for sample in samples],
            "n": counts,
            "q": [list(map(mean_score, *line)) for line in zip(wins, counts, strict=True)],
        }
        self.source.check()
        return told
