"""The player of last resort: the textbook search, while the kernels are compiled, or when a clock cannot wait."""

import math
import threading
import time
from collections.abc import Callable, Sequence

import chess

from engine.loader import Outlook
from engine.search.clock import Limits, budget
from engine.textbook.mcts import Node
from engine.uci.glance import new_search, settled_material

SIMULATIONS = 200  # each move is judged once; the rest only makes the best one clear
SECONDS_TO_THINK, SECONDS_BETWEEN_LOOKS = 0.4, 0.2
LARGEST_SHARE_OF_CLOCK = 0.5  # for the first move, if the search is only being loaded


class Clock:
    """When the stopgap has to answer."""

    def __init__(self, limits: Limits, overhead: int, started: float, outlook: Callable[[], Outlook]) -> None:
        """`outlook`: when will the real search be there?"""
        self.started = started
        self._limits, self._outlook = limits, outlook
        self._budget = budget(limits, overhead)
        self._counts_from = None if limits.ponder else started

    def ponder_hit(self, moment: float) -> None:
        """From now on the clock counts."""
        self._counts_from = moment

    @property
    def search_comes_soon(self) -> bool:
        """Is the real search worth waiting for?"""
        return self._outlook() is Outlook.SOON

    def seconds_left(self) -> float:
        """Until an answer is due. The real search is waited for, unless a clock would run out or it takes long."""
        if self._counts_from is None or self._limits.infinite:
            return math.inf
        limit = self._seconds_allowed()
        return math.inf if limit is None else self._counts_from + limit - time.perf_counter()

    def _seconds_allowed(self) -> float | None:
        soft, hard, clock = self._budget.soft, self._budget.hard, self._limits.time_left
        if self.search_comes_soon:
            return None if clock is None or hard is None else max(hard, LARGEST_SHARE_OF_CLOCK * clock / 1000)
        if hard is None and self._outlook() is Outlook.NEVER:
            return 0.0
        return soft  # many moves may pass until it is there: the hard limit at each would use up the clock

    @property
    def has_run_out(self) -> bool:
        """Is there a limit of time, and is it reached?"""
        return self._budget.hard is not None and self.seconds_left() <= 0


class Stopgap:
    """One search by the textbook, in a thread of its own."""

    def __init__(
        self,
        board: chess.Board,
        wished: Sequence[chess.Move],
        clock: Clock,
        say: Callable[[str], None],
        on_end: Callable[[], None],
    ) -> None:
        self._board, self._clock, self._say, self._on_end = board, clock, say, on_end
        self._wished = wished
        self._stopped = self._gives_way = False
        self._news = threading.Event()
        self.has_answered = False
        self._search = new_search(board, wished)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer now."""
        self._stopped = True
        self._news.set()

    def ponder_hit(self, moment: float) -> None:
        """The expected move was played."""
        self._clock.ponder_hit(moment)
        self._news.set()

    def give_way(self) -> None:
        """The real search is ready: end without an answer, unless it is given already."""
        self._gives_way = True
        self._news.set()
        self._thread.join()

    def _run(self) -> None:
        """Wait for the real search as long as possible: what thinks here takes time from loading it."""
        self._wait_until_left(SECONDS_TO_THINK)
        self._think()
        self._wait_until_left(0.0)
        if not self._gives_way:
            self._answer()

    def _wait_until_left(self, seconds: float) -> None:
        """Wait until so much time is left, or it gives way or is stopped."""
        while not (self._gives_way or self._is_stopped) and (left := self._clock.seconds_left()) > seconds:
            self._news.wait(min(left - seconds, SECONDS_BETWEEN_LOOKS))
            self._news.clear()

    @property
    def _is_stopped(self) -> bool:
        """Must it answer? A search that comes soon answers `stop` itself."""
        return self._stopped and not self._clock.search_comes_soon

    def _think(self) -> None:
        """Look at each move a few times, as far as the clock allows."""
        root = self._search.root
        while root.visits < SIMULATIONS and not (self._gives_way or root.state.is_game_over):
            self._search.run(1)
            if self._clock.has_run_out:
                return

    def _answer(self) -> None:
        line = main_line(self._search.root) or self._any_move()
        self._say("info string the search is not loaded yet: a simple player answers")
        self._say(self._info(line))
        self._say("bestmove " + (" ponder ".join(line[:2]) or "0000"))
        self.has_answered = True
        self._on_end()

    def _any_move(self) -> list[str]:
        """A move although the game is drawn, if there is one."""
        return [self._board.uci(move) for move in self._wished or self._board.legal_moves][:1]

    def _info(self, line: list[str]) -> str:
        root = self._search.root
        milliseconds = int((time.perf_counter() - self._clock.started) * 1000)
        speed = 1000 * root.visits // max(1, milliseconds)
        work = f"nodes {root.visits} nps {speed} hashfull 0 tbhits 0 time {milliseconds}"
        if not line:
            return f"info depth 0 score {'mate 0' if self._board.is_check() else 'cp 0'} {work}"
        depth = f"depth {min(2, len(line))} seldepth {len(line)} multipv 1"
        return f"info {depth} score {score_text(root)} {work} pv {' '.join(line)}"


def best_child(node: Node) -> Node:
    """The child that was visited most."""
    return max(node.children, key=lambda child: (child.visits, child.total))


def main_line(node: Node) -> list[str]:
    """The moves that were visited most, one after the other."""
    line: list[str] = []
    while node.children and (not line or node.visits > 1):
        child = best_child(node)
        line.append(node.state.board.uci(child.action))
        node = child
    return line


def score_text(root: Node) -> str:
    """The mate that the best move gives, or the material that it promises."""
    if not root.children:
        return "cp 0"
    after = best_child(root).state
    if after.board.is_checkmate():
        return "mate 1"
    return f"cp {-100 * settled_material(after.board.copy(stack=False))}"
