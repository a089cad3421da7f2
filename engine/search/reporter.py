"""Reports of a running search to its listener."""

import time
from collections.abc import Sequence

from engine.config.options import Options
from engine.mcts.tree import IN_USE, Tree
from engine.report.info import Info
from engine.report.move_stats import MoveStats
from engine.report.pv import main_line
from engine.report.snapshot import Progress
from engine.report.tree_positions import PositionCache
from engine.search.listener import Listener

SECONDS_BETWEEN_INFOS, LEAST_SECONDS_BETWEEN_INFOS = 1.0, 0.1


class Reporter:
    """Sends an `Info` now and then, sooner if the best move has changed."""

    def __init__(self, listener: Listener, options: Options, positions: PositionCache, started: float) -> None:
        self._listener, self._options, self._positions, self._started = listener, options, positions, started
        self._last_seconds, self._last_move = -SECONDS_BETWEEN_INFOS, -1

    def is_due(self, best: MoveStats, now: float) -> bool:
        """Is it time for another report?"""
        since_last = now - self._started - self._last_seconds
        has_changed = best.code != self._last_move and since_last >= LEAST_SECONDS_BETWEEN_INFOS
        return has_changed or since_last >= SECONDS_BETWEEN_INFOS

    def send(self, tree: Tree, moves: Sequence[MoveStats], best: MoveStats, progress: Progress) -> list[str]:
        """Report the best move and the next ones; -> its main line."""
        shown = [best, *(move for move in moves if move is not best)][: self._options.multi_pv]
        lines = [(move, main_line(tree, self._positions, move.slot, move.code)) for move in shown]
        self._last_seconds, self._last_move = time.perf_counter() - self._started, best.code
        self._listener.on_info(
            Info(
                depth=max(1, progress.depth),
                deepest=max(1, progress.deepest),
                seconds=self._last_seconds,
                nodes=progress.nodes,
                hashfull=1000 * int(tree.control[int(IN_USE)]) // tree.visits.size,
                tbhits=progress.tablebase_hits,
                known_score=progress.known_score,
                lines=lines,
            )
        )
        return lines[0][1]
