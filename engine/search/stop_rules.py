"""When a search must stop, may stop, and may give its move."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.report.move_stats import LOSS, MoveStats
from engine.report.stop_reason import StopReason
from engine.search.clock import Budget, Limits, has_thought_enough
from engine.search.control import SearchControl

SHORT_SECONDS = 0.02


@dataclass(frozen=True)
class StopRules:
    """The limits of one search on the clock. Moments are those of `time.perf_counter`."""

    limits: Limits
    budget: Budget
    control: SearchControl
    started: float

    @property
    def is_short(self) -> bool:
        """Is the search over before anybody can want to stop it?"""
        if self.limits.infinite or self.limits.ponder or self.budget.hard is None:
            return False
        return self.budget.hard <= SHORT_SECONDS

    @property
    def is_pondering(self) -> bool:
        """Is the opponent still to move?"""
        return self.limits.ponder and self.control.ponder_hit_at is None

    @property
    def clock_started(self) -> float:
        """The moment from which the clock counts: that of a ponder hit, if there was one."""
        hit = self.control.ponder_hit_at if self.limits.ponder else None
        return self.started if hit is None else hit

    @property
    def seconds_on_clock(self) -> float | None:
        """Since the clock counts; None if it never did."""
        return None if self.is_pondering else time.perf_counter() - self.clock_started

    @property
    def deadline(self) -> float | None:
        """The moment to stop at; None: there is none, or not yet."""
        if self.is_pondering or self.limits.infinite or self.budget.hard is None:
            return None
        return self.clock_started + self.budget.hard

    def reason_to_stop(self, now: float, depth: int) -> StopReason:
        """Why the search must stop, or SEARCHING."""
        if self.limits.depth is not None and depth >= self.limits.depth:
            return StopReason.DEPTH
        deadline = self.deadline
        return StopReason.SEARCHING if deadline is None or now < deadline else StopReason.TIME

    def reason_to_move(self, now: float, moves: Sequence[MoveStats], nodes: int) -> StopReason:
        """In a game with a clock: why more thinking is of no use, or SEARCHING."""
        if self.is_pondering or self.limits.infinite or not self.limits.has_clock:
            return StopReason.SEARCHING
        elapsed, speed = now - self.clock_started, nodes / max(now - self.started, 1e-3)
        hopeful = [move for move in moves if move.result != LOSS]
        if not has_thought_enough(hopeful, self.budget, elapsed, speed):
            return StopReason.SEARCHING
        return StopReason.TIME if elapsed >= (self.budget.soft or 0.0) else StopReason.SETTLED

    def wait_until_allowed(self) -> None:
        """Under `infinite` and `ponder` the best move may not be given before `stop` or the ponder hit."""
        while not self.control.is_stopped and (self.limits.infinite or self.is_pondering):
            self.control.wait()
