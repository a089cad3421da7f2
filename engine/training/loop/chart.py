"""Strength over core hours as SVG: the best net with the bounds of 95 %, the nets that were dropped as crosses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.training.loop.net_strength import Strength

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 320, 64, 20, 16, 44
SMALLEST_RANGE = 20.0  # Elo
LINES = 6  # at most, between the ends of an axis
CROSS = 4  # half its width
LABEL = "Strength over core hours"


@dataclass(frozen=True)
class ChartPoint:
    """A net: when it was judged, and how strong it is."""

    hours: float
    strength: Strength  # above the first net
    is_kept: bool
    title: str


def strength_svg(points: Sequence[ChartPoint]) -> str:
    """The chart; the first point is the net that the loop began with."""
    frame = _Frame(points)
    kept = [point for point in points if point.is_kept]
    last = ChartPoint(points[-1].hours, kept[-1].strength, True, "")  # the best net stays until the end
    line = [
        place for point, after in zip(kept, [*kept[1:], last], strict=True) for place in _stairs(frame, point, after)
    ]
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{LABEL}">',
        *(_level(frame, elo) for elo in ticks(frame.low, frame.high)),
        *(_hour(frame, hours) for hours in ticks(0.0, frame.most)),
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">core hours</text>',
        f'<polyline class="curve" points="{" ".join(line)}"/>',
        *(_bounds(frame, point) if point.is_kept else _cross(frame, point) for point in points),
        "</svg>",
    ]
    return "\n".join(parts)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between two: steps of 1, 2 or 5 times a power of ten."""
    least = (high - low) / LINES
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


class _Frame:
    """Where hours and Elo lie."""

    def __init__(self, points: Sequence[ChartPoint]) -> None:
        elos = [elo for point in points for elo in (point.strength.elo, *_shown_bounds(point))]
        middle, half = (max(elos) + min(elos)) / 2, max(SMALLEST_RANGE, max(elos) - min(elos)) / 2 * 1.05
        self.low, self.high = middle - half, middle + half
        self.most = max(points[-1].hours, 1e-3)

    def x(self, hours: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * hours / self.most

    def y(self, elo: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - elo) / (self.high - self.low)


def _shown_bounds(point: ChartPoint) -> tuple[float, ...]:
    return (point.strength.low, point.strength.high) if point.is_kept else ()


def _stairs(frame: _Frame, point: ChartPoint, after: ChartPoint) -> list[str]:
    y = frame.y(point.strength.elo)
    return [f"{frame.x(hours):.1f},{y:.1f}" for hours in (point.hours, after.hours)]


def _level(frame: _Frame, elo: float) -> str:
    y = frame.y(elo)
    line = f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{line}<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{elo:+.0f}</text>'


def _hour(frame: _Frame, hours: float) -> str:
    return f'<text x="{frame.x(hours):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{hours:g}</text>'


def _bounds(frame: _Frame, point: ChartPoint) -> str:
    x, strength = f"{frame.x(point.hours):.1f}", point.strength
    y = f'y1="{frame.y(strength.low):.1f}" y2="{frame.y(strength.high):.1f}"'
    centre = f'cx="{x}" cy="{frame.y(strength.elo):.1f}"'
    line = f'<line class="bounds" x1="{x}" x2="{x}" {y}/>'
    return f'{line}<circle class="kept" {centre} r="4"><title>{point.title}</title></circle>'


def _cross(frame: _Frame, point: ChartPoint) -> str:
    x, y = frame.x(point.hours), frame.y(point.strength.elo)
    left, right, above, below = (f"{place:.1f}" for place in (x - CROSS, x + CROSS, y - CROSS, y + CROSS))
    path = f"M{left} {above}L{right} {below}M{left} {below}L{right} {above}"
    return f'<path class="dropped" d="{path}"><title>{point.title}</title></path>'
