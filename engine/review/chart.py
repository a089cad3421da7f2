"""The score over a game: an SVG chart, and a line of small bars for terminals."""

from xml.sax.saxutils import escape, quoteattr

from engine.review.marks import Severity
from engine.review.reviewed_game import Review
from engine.system.files import printable

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 800, 240, 44, 40, 30
BARS, DIGIT_BARS = "▁▂▃▄▅▆▇█", "0123456789"
STYLE = """
svg{background:#fff;font:13px system-ui,sans-serif;fill:#222}
.win{fill:#d9dde2}.curve{fill:none;stroke:#1f5fa8;stroke-width:2}.grid{stroke:#9aa0a6;stroke-width:1}
.inaccuracy{fill:#c48a00}.mistake{fill:#d9541e}.blunder{fill:#b3123b}.dot{stroke:#fff;stroke-width:1}
@media(prefers-color-scheme:dark){svg{background:#16191d;fill:#e6e6e6}.win{fill:#39414a}.curve{stroke:#7db4f0}
.grid{stroke:#6b7178}.inaccuracy{fill:#f0c14b}.mistake{fill:#ff8a5c}.blunder{fill:#ff5c80}.dot{stroke:#16191d}}
"""


def is_chart(head: bytes) -> bool:
    """Does a file begin like a chart made by `svg`?"""
    return head.startswith(b"<svg ") and "White’s score over the game".encode() in head


def white_scores(review: Review) -> list[float]:
    """White's score before the first move and after each."""
    if not review.moves:
        return []
    first = review.moves[0]
    start = first.before.score if first.turn == "white" else 1 - first.before.score
    return [start, *(move.white_score for move in review.moves)]


def sparkline(scores: list[float], width: int, *, bars: bool) -> str:
    """White's score as bars, or as tenths where bars cannot be shown; a long game is thinned out."""
    signs = BARS if bars else DIGIT_BARS
    count = min(len(scores), max(1, width))
    chosen = [scores[index * len(scores) // count] for index in range(count)]
    return "".join(signs[min(len(signs) - 1, int(score * len(signs)))] for score in chosen)


def svg(review: Review) -> str:
    """A chart that needs nothing else; pointing at a dot shows the move."""
    scores = white_scores(review)
    headers = review.game.headers
    title = printable(f"{headers.get('White', '?')} - {headers.get('Black', '?')}, {headers.get('Result', '*')}")
    label = quoteattr(f"White’s score over the game {title}")
    note = f"White’s score: win 1, draw ½, loss 0; {len(review.moves)} half-moves"
    points = [f"{_x(ply, len(scores)):.1f},{_y(score):.1f}" for ply, score in enumerate(scores)]
    floor, last = f"{HEIGHT - BOTTOM}", f"{_x(len(scores) - 1, len(scores)):.1f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={label}>',
        f"<style>{STYLE}</style>",
        f'<text x="{LEFT}" y="22" font-weight="bold">{escape(title)}</text>',
        f'<polygon class="win" points="{LEFT},{floor} {" ".join(points)} {last},{floor}"/>' if points else "",
        *(_level(score) for score in (0.0, 0.5, 1.0)),
        f'<polyline class="curve" points="{" ".join(points)}"/>' if points else "",
        *_dots(review, len(scores)),
        f'<text x="{LEFT}" y="{HEIGHT - 8}">{note}</text>',
        _legend(),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _x(ply: int, count: int) -> float:
    return LEFT + (WIDTH - LEFT - 16) * ply / max(1, count - 1)


def _y(score: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - score)


def _level(score: float) -> str:
    text = {0.0: "0", 0.5: "½", 1.0: "1"}[score]
    line = f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 16}" y1="{_y(score):.1f}" y2="{_y(score):.1f}"/>'
    return f'{line}<text x="{LEFT - 8}" y="{_y(score) + 4:.1f}" text-anchor="end">{text}</text>'


def _dots(review: Review, count: int) -> list[str]:
    dots = []
    for move in review.moves:
        if move.severity is not Severity.NONE:
            text = f"{move.name}: {move.severity}, {move.evidence}"
            centre = f'cx="{_x(move.ply + 1, count):.1f}" cy="{_y(move.white_score):.1f}"'
            dots.append(f'<circle class="dot {move.severity}" {centre} r="5"><title>{escape(text)}</title></circle>')
    return dots


def _legend() -> str:
    parts, x = [], WIDTH - 300
    for severity in (Severity.INACCURACY, Severity.MISTAKE, Severity.BLUNDER):
        parts.append(f'<circle class="{severity}" cx="{x}" cy="18" r="5"/><text x="{x + 10}" y="22">{severity}</text>')
        x += 105
    return "".join(parts)
