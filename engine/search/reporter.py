"""What a search reports while it runs, and where it sends that."""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.config.options import Options
from engine.mcts.tree import IN_USE, ROOT, SCORE_UNIT, Tree
from engine.report.lines import PositionCache, main_line
from engine.report.move_stats import MoveStats
from engine.report.progress import SearchProgress

SECONDS_BETWEEN_INFOS, LEAST_SECONDS_BETWEEN_INFOS = 1.0, 0.1


@dataclass(frozen=True)
class Info:
    """The state of a running search."""

    depth: int
    deepest: int
    seconds: float
    nodes: int
    hashfull: int  # permille
    tbhits: int
    known_score: float | None  # from tablebases
    lines: list[tuple[MoveStats, list[str]]]  # moves with their main lines, best first


class Listener(Protocol):
    """Called by a search, from its threads."""

    def on_info(self, info: Info) -> None:
        """Now and then: the state of the search."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Once a search, at its end: the move to play (None if there is none) and the reply to ponder on."""

    def on_message(self, text: str) -> None:
        """A note for people."""


class SilentListener:
    """Ignores all news."""

    def on_info(self, info: Info) -> None:
        """Do nothing."""

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """Do nothing."""

    def on_message(self, text: str) -> None:
        """Do nothing."""


class BestMove(SilentListener):
    """Keeps the move of the last search."""

    move: str | None = None

    def on_best_move(self, best: str | None, reply: str | None) -> None:  # noqa: ARG002  (the reply is not needed)
        """Keep it."""
        self.move = best


class GuardedListener:
    """A listener whose failures do not disturb the search: its first error is reported, later ones are not."""

    def __init__(self, listener: Listener) -> None:
        self._listener, self._has_complained = listener, False

    def on_info(self, info: Info) -> None:
        """The state of the search."""
        self._call(self._listener.on_info, info)

    def on_best_move(self, best: str | None, reply: str | None) -> None:
        """The end of a search."""
        self._call(self._listener.on_best_move, best, reply)

    def on_message(self, text: str) -> None:
        """A note for people."""
        with contextlib.suppress(Exception):
            self._listener.on_message(text)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        try:
            function(*arguments)
        except Exception as error:  # noqa: BLE001  (reported; the search goes on)
            if not self._has_complained:
                self._has_complained = True
                self.on_message(f"the search could not be shown ({error!r})")


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

    def send(self, tree: Tree, moves: Sequence[MoveStats], best: MoveStats, progress: SearchProgress) -> list[str]:
        """Report the best move and the next ones; -> its main line."""
        shown = [best, *(move for move in moves if move is not best)][: self._options.multi_pv]
        lines = [(worth_of(tree, move), main_line(tree, self._positions, move.slot, move.code)) for move in shown]
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


def worth_of(tree: Tree, move: MoveStats) -> MoveStats:
    """A move with its score; after one visit, which only the root got, that of the root."""
    root = int(ROOT)
    if move.is_known or int(tree.visits[root]) != 1:
        return move
    return move._replace(wins=SCORE_UNIT - int(tree.wins[root]), draws=int(tree.draws[root]), visits=1)
