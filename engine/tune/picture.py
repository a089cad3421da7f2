"""The curves of the constants as SVG: Elo against the present value, with a band of one standard error."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from engine.tune.tune_outcome import CurveOutcome, CurveRow

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 640, 190, 56, 20, 34, 30
POINTS = 41  # of a curve
SMALLEST_RANGE = 10.0  # Elo, of the vertical axis to either side
LABEL = "Elo by the constants of the search"
PICTURE_STYLE = """
svg{background:#fff;font:13px system-ui,sans-serif;fill:#222}
.curve{fill:none;stroke:#1f5fa8;stroke-width:2}.band{fill:#d9e4f2}.grid{stroke:#9aa0a6;stroke-width:1}
.present{stroke:#9aa0a6;stroke-dasharray:4 3}.proposed{fill:#b3123b}
@media(prefers-color-scheme:dark){svg{background:#16191d;fill:#e6e6e6}.curve{stroke:#7db4f0}.band{fill:#26364a}
.grid,.present{stroke:#6b7178}.proposed{fill:#ff5c80}}
"""


def is_picture(head: bytes) -> bool:
    """Does a file begin like a picture made by `curves_svg`?"""
    return head.startswith(b"<svg ") and LABEL.encode() in head


def curves_svg(outcome: CurveOutcome) -> str:
    """A panel for each constant."""
    height = PANEL * len(outcome.rows)
    panels = [_panel(outcome, index) for index in range(len(outcome.rows))]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{LABEL}">',
        f"<style>{PICTURE_STYLE}</style>",
        *panels,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def curve(outcome: CurveOutcome, index: int) -> list[tuple[float, float, float]]:
    """Points of a constant's curve while the others stay: coordinate, Elo, standard error."""
    low, high = outcome.rows[index].constant.bounds
    points = []
    for number in range(POINTS):
        place = [0.0] * len(outcome.rows)
        place[index] = low + (high - low) * number / (POINTS - 1)
        points.append((place[index], *outcome.fit.elo(place)))
    return points


def _panel(outcome: CurveOutcome, index: int) -> str:
    row, points = outcome.rows[index], curve(outcome, index)
    most = max(SMALLEST_RANGE, *(abs(elo) + error for _, elo, error in points))
    frame = _Frame(row.constant.bounds, most)
    upper = [frame.point(u, elo + error) for u, elo, error in points]
    lower = [frame.point(u, elo - error) for u, elo, error in reversed(points)]
    line = [frame.point(u, elo) for u, elo, _ in points]
    return "\n".join(
        [
            f'<g transform="translate(0 {index * PANEL})">',
            f'<text x="{LEFT}" y="20" font-weight="bold">{escape(row.constant.name)}</text>',
            f'<polygon class="band" points="{" ".join(upper + lower)}"/>',
            *(_level(frame, elo) for elo in (-most, 0.0, most)),
            f'<polyline class="curve" points="{" ".join(line)}"/>',
            *_marks(frame, row, points),
            "</g>",
        ]
    )


class _Frame:
    """Where coordinates and Elo lie in a panel."""

    def __init__(self, bounds: tuple[float, float], most: float) -> None:
        self._low, self._high, self._most = *bounds, most

    def x(self, coordinate: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (coordinate - self._low) / (self._high - self._low)

    def y(self, elo: float) -> float:
        return TOP + (PANEL - TOP - BOTTOM) * (1 - elo / self._most) / 2

    def point(self, coordinate: float, elo: float) -> str:
        return f"{self.x(coordinate):.1f},{self.y(elo):.1f}"


def _level(frame: _Frame, elo: float) -> str:
    y = frame.y(elo)
    line = f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return f'{line}<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{elo:+.0f}</text>'


def _marks(frame: _Frame, row: CurveRow, points: Sequence[tuple[float, float, float]]) -> list[str]:
    """The ends of the range, the present value, and the proposed one."""
    constant, floor = row.constant, PANEL - BOTTOM
    values = ((points[0][0], constant.low), (points[-1][0], constant.high), (0.0, constant.present))
    texts = [f'<text x="{frame.x(u):.1f}" y="{floor + 18}" text-anchor="middle">{value}</text>' for u, value in values]
    present = f'<line class="present" x1="{frame.x(0):.1f}" x2="{frame.x(0):.1f}" y1="{TOP}" y2="{floor}"/>'
    (slope, _), (curvature, _), u = row.slope, row.curvature, row.coordinate
    centre = f'cx="{frame.x(u):.1f}" cy="{frame.y(slope * u + curvature * u * u):.1f}"'
    return [*texts, present, f'<circle class="proposed" {centre} r="5"><title>{row.value}</title></circle>']
