"""The game is judged while it is looked at: in a thread with a separate search, quickly first, then deeper."""

import threading
import time
from dataclasses import replace

from engine.config.options import Options
from engine.explorer.asked import Data
from engine.explorer.open_game import OpenGame
from engine.review.judge import Judge
from engine.review.judged import Judged
from engine.review.kept import KeptReview, game_digest, settings_key
from engine.review.numbers import GameFacts, numbers_of
from engine.review.plan import Plan
from engine.review.reviewed_game import annotation_of
from engine.search.clock import Limits
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from movegen import Position

SECONDS_BETWEEN_LOOKS = 0.05
SECONDS_BETWEEN_SUMS = 1.0
SECONDS_TO_END = 5.0
QUICK, DEEP, DONE, PAUSED, TROUBLE = "quick", "deep", "done", "paused", "trouble"


class _StoppedError(Exception):
    """Another game was opened, or the session ends."""


class BackgroundJudge:
    """Judges one game at a time."""

    def __init__(self, options: Options, plan: Plan, resources: Resources) -> None:
        """`options`: of the searches of the page."""
        self._options, self._plan = replace(options, threads=1), plan
        self._resources = resources
        self._judge: Judge | None = None  # made once: its tree is large
        self._work: _Work | None = None
        self._thread: threading.Thread | None = None
        self._may_run = threading.Event()
        self._may_run.set()

    @property
    def is_running(self) -> bool:
        """Is a game being judged?"""
        return self._thread is not None and self._thread.is_alive()

    @property
    def has_begun(self) -> bool:
        """Was a game to be judged?"""
        return self._work is not None

    def start(self, game: OpenGame) -> None:
        """Judge a game; the one before is left as it is."""
        self._stop()
        self._work = work = _Work(game, self._may_run)
        self._thread = threading.Thread(target=self._run, args=(work, self._thread), name="judge", daemon=True)
        self._thread.start()

    def switch(self, game: OpenGame, *, is_on: bool) -> None:
        """Pause, or go on; what is being searched is finished first. A game at which it failed is tried again."""
        if not is_on:
            self._may_run.clear()
            if self.is_running:
                game.set_judging(PAUSED)
            return
        self._may_run.set()
        if not self.is_running and game.judging["state"] != DONE:
            self.start(game)

    def close(self) -> None:
        """End."""
        self._stop()
        if self._thread is not None:
            self._thread.join(SECONDS_TO_END)

    def _stop(self) -> None:
        if self._work is not None:
            self._work.is_over.set()

    def _run(self, work: "_Work", before: threading.Thread | None) -> None:
        """Judge a game, once the thread before has ended. What goes wrong is shown in the page, which lives on."""
        if before is not None:
            before.join()
        try:
            if self._judge is None:
                self._judge = Judge(replace(self._options), self._plan, self._search, self._resources)
            self._running = work  # only one thread gets here at a time
            work.run(self._judge, settings_key(self._options, self._plan))
        except _StoppedError:
            return
        except Exception as error:  # noqa: BLE001  (whatever it is, the page lives on)
            work.game.set_judging(TROUBLE, str(error) or repr(error))

    def _search(self, searcher: Searcher, limits: Limits) -> None:
        """Search to the limits, as soon as judging is not paused."""
        work = self._running
        work.wait_while_paused()
        searcher.go(limits)
        while searcher.is_searching:
            if work.is_over.is_set():
                searcher.stop()
                searcher.wait()
            searcher.wait(SECONDS_BETWEEN_LOOKS)
        if work.is_over.is_set():
            raise _StoppedError


class _Work:
    """The judging of one game."""

    def __init__(self, game: OpenGame, may_run: threading.Event) -> None:
        self.game, self.is_over = game, threading.Event()
        self._may_run, self._state = may_run, QUICK
        self._facts, self._summed_up_at = GameFacts.of(None, (), {}), 0.0

    def run(self, judge: Judge, key: str) -> None:
        """Judge it; `key`: of the settings, for what is kept."""
        game = self.game
        start, codes = game.position(game.original[-1])
        game.set_judging(QUICK, done=0, of=len(codes))
        kept = KeptReview.open(game_digest(start, codes), key)
        game.keep(kept)
        self._facts = GameFacts.of(start, codes, game.tree.headers, game.clocks())
        moves = kept.judged(start, codes)
        for move in moves:
            self._show(move, done=move.ply + 1)
        self._sum_up(moves)
        if codes:
            self._judge_all(judge, kept, start, codes, moves)
            self._deepen(judge, kept, start, codes, moves)
            self._sum_up(moves)
        game.set_judging(DONE, kept.remark)

    def _judge_all(
        self, judge: Judge, kept: KeptReview, start: Position, codes: list[int], moves: list[Judged]
    ) -> None:
        for move in judge.quick(start, codes, tuple(moves)):
            kept.add(move)
            moves.append(move)
            self._show(move, done=len(moves))
            self._sum_up_if_due(moves)

    def _deepen(self, judge: Judge, kept: KeptReview, start: Position, codes: list[int], moves: list[Judged]) -> None:
        self._state, of = DEEP, len(judge.open_plies(moves))
        self.game.set_judging(DEEP, done=0, of=of)
        for move in judge.deepen(start, codes, list(moves)):
            kept.add(move)
            moves[move.ply] = move
            left = len(judge.open_plies(moves))
            of = max(of, left)
            self._show(move, done=of - left, of=of)
            self._sum_up_if_due(moves)

    def _show(self, move: Judged, **counts: int) -> None:
        """For the page; `counts`: how far the judge is."""
        node, state = self.game.original[move.ply + 1], self._state if self._may_run.is_set() else PAUSED
        self.game.add_judged(node, data_of(move), annotation_of(move), {"state": state, **counts})

    def _sum_up_if_due(self, moves: list[Judged]) -> None:
        if time.monotonic() - self._summed_up_at > SECONDS_BETWEEN_SUMS:
            self._sum_up(moves)

    def _sum_up(self, moves: list[Judged]) -> None:
        self.game.set_numbers(numbers_of(self._facts, moves))
        self._summed_up_at = time.monotonic()

    def wait_while_paused(self) -> None:
        """Return when judging may go on."""
        if self._may_run.is_set():
            return
        self.game.set_judging(PAUSED)
        while not self._may_run.wait(SECONDS_BETWEEN_LOOKS):
            if self.is_over.is_set():
                raise _StoppedError
        self.game.set_judging(self._state)


def data_of(judged: Judged) -> Data:
    """A judged move for the page; scores are for White, the loss is the mover's."""
    best, is_white = judged.before, judged.turn == "white"
    return {
        "score": judged.white_score,
        "eval": judged.evaluation,
        "loss": judged.loss,
        "mark": str(judged.mark),
        "text": judged.evidence,
        "visits": judged.after.visits,
        "pass": judged.depth_pass,
        "best": {
            "uci": best.best,
            "san": best.san,
            "score": best.score if is_white else round(1 - best.score, 6),
            "pv": best.pv,
            "line": best.line,
            "visits": best.visits,
            "proven": best.proven,
        },
        "rows": list(judged.rows),
    }
