"""When to stop: limits, the clock of the GUI and messages from other threads."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.report.effort import StopReason

MOVES_TO_GO = 24  # that a game is expected to last, if the GUI does not say
SHARE_OF_INCREMENT = 0.75
LARGEST_SHARE = 0.25  # of the clock, for one move: the hard limit
HARD_PER_SOFT = 3.0
LEAST_MILLISECONDS = 1.0
LARGEST_LOSS, FORGETTING = 1000, 0.8  # of one move, in milliseconds; of what was learnt, at each move
CLOSE_SHARE = 0.7  # of the best move's visits: then another move is close
SHARE_BEFORE_STOPPING = 0.1  # of the time for a move, before it can be cut short
# The soft limit is stretched where the choice is open: by visits of other moves, a falling score, new best moves.
USUAL_SHARE = 0.68  # of the visits, for the best move: no stretch
STRETCH_PER_SHARE, STRETCH_PER_FALL, STRETCH_PER_CHANGE = 1.39, 4.0, 0.15
MOST_BY_FALL, LEAST_STRETCH = 1.5, 0.5
SHORT_SECONDS = 0.02  # a search without a thread
MOST_MILLISECONDS = 10**9


@dataclass(frozen=True)
class Limits:
    """The limits of a search. Times in milliseconds; None: no limit."""

    time_left: int | None = None
    increment: int = 0
    moves_to_go: int | None = None
    move_time: int | None = None
    nodes: int | None = None
    depth: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False

    @property
    def has_clock(self) -> bool:
        """Is it a game with a clock?"""
        return self.time_left is not None


def limits_of(seconds: float | None, visits: int | None) -> Limits:
    """Seconds, visits, or both, as a search takes them; without either it does not end by itself."""
    move_time = None if seconds is None else max(1, min(round(1000 * seconds), MOST_MILLISECONDS))
    return Limits(nodes=visits, move_time=move_time, infinite=seconds is None and visits is None)


@dataclass(frozen=True)
class Budget:
    """Seconds from the start of the search. `soft` may be stretched or shortened, `hard` is never passed."""

    soft: float | None
    hard: float | None


@dataclass(frozen=True)
class Delay:
    """Milliseconds by which a move may be late: each of the moves to come, and a single one."""

    usual: int = 0
    longest: int = 0


def budget(limits: Limits, overhead: int, delay: Delay = Delay()) -> Budget:
    """The time for a move, `overhead` milliseconds being lost on the way to the GUI and back.

    A fixed time is what was asked for: a delay does not shorten it.
    """
    if limits.move_time is not None:
        exact = max(LEAST_MILLISECONDS, limits.move_time - overhead) / 1000
        return Budget(exact, exact)
    if limits.time_left is None:
        return Budget(None, None)
    usable = max(LEAST_MILLISECONDS, limits.time_left - overhead - delay.longest)
    increment = max(0, limits.increment)
    moves = limits.moves_to_go if limits.moves_to_go and limits.moves_to_go > 0 else MOVES_TO_GO
    # What all moves to come may use, the losses of each taken off: short increments are not spent twice.
    for_all = limits.time_left - delay.longest + (moves - 1) * increment - (moves + 1) * (overhead + delay.usual)
    if for_all <= moves * LEAST_MILLISECONDS:  # each move loses more time than it gets
        return Budget(LEAST_MILLISECONDS / 1000, LEAST_MILLISECONDS / 1000)
    soft = for_all / moves
    hard = usable if moves == 1 else usable * LARGEST_SHARE + SHARE_OF_INCREMENT * increment
    hard = max(LEAST_MILLISECONDS, min(hard, HARD_PER_SOFT * soft, usable * 0.9))
    return Budget(min(soft, hard) / 1000, hard / 1000)


class DelayMeter:
    """Learns how long this process waits for the processor when others want it too."""

    def __init__(self) -> None:
        self._usual = self._longest = self._last = 0.0  # milliseconds; `_last`: of the last move

    def note(self, seconds: float) -> None:
        """Something came later than it should have, by this time."""
        self._last = max(self._last, min(1000 * seconds, LARGEST_LOSS))

    def expect(self) -> Delay:
        """By how much the moves to come may be late, judged by those before. One long wait is not that of each move."""
        self._longest = max(self._last, self._longest * FORGETTING)
        self._usual = self._usual * FORGETTING + self._last * (1 - FORGETTING)
        self._last = 0.0
        return Delay(round(self._usual), round(self._longest))


def in_reserve(overhead: Delay, delay: Delay) -> Delay:
    """The delay, with what a single move may lose beyond the usual overhead."""
    return Delay(delay.usual, delay.longest + overhead.longest - overhead.usual)


class OverheadMeter:
    """Learns from the GUI's clock what a move costs beyond the time that the engine knows of."""

    def __init__(self) -> None:
        self._usual = self._longest = self._last = 0.0  # milliseconds; `_last`: of the last move
        self._before: float | None = None  # what the clock would show, had nothing been lost

    def expect(self, limits: Limits, least: int) -> Delay:
        """What the moves to come will lose, judged by those before; not less than `least`, and of a fixed time no more.

        Usual is what two moves in a row have lost. One long loss is not that of each move.
        """
        if limits.time_left is not None and self._before is not None:
            lost = self._before - limits.time_left
            if 0 <= lost <= LARGEST_LOSS:  # else it is another game, or more time was given
                self._usual = max(min(lost, self._last), self._usual * FORGETTING)
                self._longest = max(lost, self._longest * FORGETTING)
                self._last = lost
        if limits.move_time is not None:
            return Delay(least, least)
        return Delay(max(least, round(self._usual)), max(least, round(self._longest)))

    def note(self, limits: Limits, seconds: float | None) -> None:
        """A move was given after these seconds on the clock; None: the clock did not run, so it teaches nothing."""
        if limits.time_left is None or seconds is None:
            self._before = None
        else:
            self._before = limits.time_left + limits.increment - 1000 * seconds


class Contender(Protocol):
    """A move that may be played."""

    @property
    def visits(self) -> int:
        """How often the search visited it."""

    @property
    def score(self) -> float:
        """Its expected score, in [0, 1]."""

    @property
    def is_lost(self) -> bool:
        """Is it proven to lose?"""


def has_thought_enough(moves: Sequence[Contender], soft: float, elapsed: float, visits_a_second: float) -> bool:
    """In a game with a clock: is more thinking of no use? The moves are in the order in which they would be played.

    Before the soft limit: no other move can catch up any more. After it: the best move is settled, that is, no close
    rival has a higher score.
    """
    if not moves:
        return elapsed >= soft
    if len(moves) == 1:
        return True
    first, second = moves[0], moves[1]
    if elapsed >= soft:
        return second.visits < CLOSE_SHARE * first.visits or first.score >= second.score
    can_catch_up = second.visits + visits_a_second * (soft - elapsed) >= first.visits
    return not can_catch_up and elapsed > SHARE_BEFORE_STOPPING * soft


@dataclass
class Course:
    """How the choice went in the course of a search, since the clock counts."""

    first_score: float | None = None  # of the best move, when it was first looked at; scores are in [0, 1]
    score: float = 0.5  # of the best move now
    changes: int = 0  # of the best move
    _best: int | None = None

    def note(self, code: int, score: float) -> None:
        """This is the best move now."""
        self.first_score = score if self.first_score is None else self.first_score
        self.changes += self._best not in (None, code)
        self._best, self.score = code, score

    def stretch(self, moves: Sequence[Contender]) -> float:
        """The factor of the soft limit, for moves in the order in which they would be played."""
        share = moves[0].visits / max(1, sum(move.visits for move in moves)) if moves else USUAL_SHARE
        fall = max(0.0, (self.first_score or 0.0) - self.score)
        by_share = 1 + STRETCH_PER_SHARE * (USUAL_SHARE - share)
        by_fall = min(MOST_BY_FALL, 1 + STRETCH_PER_FALL * fall)
        return max(LEAST_STRETCH, by_share * by_fall * (1 + STRETCH_PER_CHANGE * self.changes))


# One search: messages to it, and when it stops


class SearchControl:
    """Stop and ponder hit: set from any thread, read by the search."""

    def __init__(self) -> None:
        self.is_stopped = False
        self.ponder_hit_at: float | None = None
        self._changed = threading.Event()

    def stop(self) -> None:
        """End the search."""
        self.is_stopped = True
        self._changed.set()

    def ponder_hit(self, moment: float) -> None:
        """The expected move was played at this moment."""
        self.ponder_hit_at = moment
        self._changed.set()

    def wake(self) -> None:
        """End the present `wait`."""
        self._changed.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for a change, not longer than `seconds`; -> was there one?"""
        has_changed = self._changed.wait(seconds)
        self._changed.clear()
        return has_changed


@dataclass(frozen=True)
class StopRules:
    """The limits of one search on the clock. Moments are those of `time.perf_counter`."""

    limits: Limits
    budget: Budget
    control: SearchControl
    started: float
    may_wait: bool = False  # for a network outside the kernels, however short the time is

    @property
    def is_short(self) -> bool:
        """Is the search over before anybody can want to stop it?"""
        if self.limits.infinite or self.limits.ponder or self.budget.hard is None or self.may_wait:
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

    def reason_to_move(self, now: float, moves: Sequence[Contender], nodes: int, stretch: float = 1.0) -> StopReason:
        """In a game with a clock: why more thinking is of no use, or SEARCHING. `stretch`: of the soft limit."""
        is_fixed = self.limits.move_time is not None or not self.limits.has_clock
        if self.is_pondering or self.limits.infinite or is_fixed:
            return StopReason.SEARCHING
        elapsed, speed = now - self.clock_started, nodes / max(now - self.started, 1e-3)
        hopeful = [move for move in moves if not move.is_lost]
        soft = min((self.budget.soft or 0.0) * stretch, self.budget.hard or 0.0)
        if not has_thought_enough(hopeful, soft, elapsed, speed):
            return StopReason.SEARCHING
        return StopReason.TIME if elapsed >= soft else StopReason.SETTLED

    def wait_until_allowed(self) -> None:
        """Under `infinite` and `ponder` the best move may not be given before `stop` or the ponder hit."""
        while not self.control.is_stopped and (self.limits.infinite or self.is_pondering):
            self.control.wait()
