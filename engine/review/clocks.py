"""The time used for each move, from what clocks showed after it (`[%clk]`) and the header TimeControl."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

PERIOD = re.compile(r"(?:(?P<moves>\d+)/)?(?P<seconds>\d+(?:\.\d+)?)(?:\+(?P<increment>\d+(?:\.\d+)?))?")
LONGEST_MOVES, LONGEST_SECONDS = 1000, 10**7
TOLERANCE = 1.0  # seconds: clocks are written in whole seconds


@dataclass(frozen=True)
class Period:
    """A part of a game. `moves`: of each side, None: all that follow."""

    moves: int | None
    seconds: float
    increment: float = 0.0


def read_time_control(text: str) -> list[Period]:
    """`300+3`, `40/7200:3600`; empty if it is anything else, such as a sandclock or days for a move."""
    periods = []
    for part in text.replace(" ", "").split(":"):
        match = PERIOD.fullmatch(part)
        if match is None or float(match["seconds"]) > LONGEST_SECONDS or int(match["moves"] or 1) > LONGEST_MOVES:
            return []
        moves = None if match["moves"] is None else int(match["moves"])
        periods.append(Period(moves, float(match["seconds"]), float(match["increment"] or 0)))
    return periods if periods[-1].moves != 1 else []  # 1/86400: a day for each move


def seconds_used(clocks: Sequence[float | None], control: str) -> list[float | None]:
    """Of each move, from the clock of its player after it. None: it cannot be known.

    The increment is in the clock already. If no clock was started for a player's first move, it took no time.
    """
    periods = read_time_control(control.strip())
    used: list[float | None] = [None] * len(clocks)
    for side in (0, 1):
        before = periods[0].seconds if periods else None
        for number, after in enumerate(clocks[side::2]):
            if before is not None and after is not None:
                is_unstarted = number == 0 and after == before
                used[2 * number + side] = 0.0 if is_unstarted else _used(before, after, number, periods)
            before = after
    return used


def _used(before: float, after: float, number: int, periods: Sequence[Period]) -> float | None:
    """`number`: of the player's moves, the first is 0."""
    period, added = _period_of(number, periods)
    seconds = before + added + (period.increment if period else 0.0) - after
    if seconds < -TOLERANCE and not added:
        return None  # time was added that the header does not name
    return round(max(0.0, seconds), 3)


def _period_of(number: int, periods: Sequence[Period]) -> tuple[Period | None, float]:
    """The period of a move, and the seconds that the next period adds after it."""
    end = 0
    for index, period in enumerate(periods):
        if period.moves is None:
            return period, 0.0
        is_last = index + 1 == len(periods)
        while True:  # the last period is repeated
            end += period.moves
            if number < end:
                following = period if is_last else periods[index + 1]
                return period, following.seconds if number == end - 1 else 0.0
            if not is_last:
                break
    return None, 0.0
