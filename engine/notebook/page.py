"""An analysis as HTML: the numbers of the report, in colours that fit light and dark pages."""

from html import escape
from typing import Any

import chess
import chess.svg

from engine.cli.table import CLOSE_LOSS, LARGE_LOSS, state_text
from engine.explain.text import score_text
from engine.report.effort import effort_text, ending_text, rest_text
from engine.report.node import Shape
from engine.report.rows import DIGITS
from engine.system.text import printable

ROWS, ARROWS, SIZE = 10, 4, 320
SHAPE = Shape(lines=ROWS, longest=8, first_look=True)
LEAST_SHARE = 0.01  # of the visits, for an arrow
GOOD, FAIR, POOR = "#2e7d32", "#b26a00", "#b3123b"
COLUMNS = ("move", "visits", "share", "score", "win draw loss", "prior", "first look", "state", "line")
LEFT_ALIGNED = ("move", "state", "line")
BORDER = "1px solid rgba(128,128,128,.4)"
CELL = f"padding:.15em .6em;border:0;border-bottom:{BORDER};background:transparent;color:inherit;"


def html_of(summary: dict[str, Any], node: dict[str, Any]) -> str:
    """The board and the table, as one element that needs nothing else."""
    return (
        '<div class="teresa-analysis" style="display:flex;flex-wrap:wrap;gap:1.2em;align-items:flex-start;'
        'font-family:system-ui,sans-serif;font-size:13px;color:inherit">'
        f'<div style="flex:none">{board_svg(summary, node["rows"])}</div>'
        f'<div style="flex:1 1 28em;overflow-x:auto"><p style="margin:0 0 .5em"><b>{escape(_headline(summary))}</b></p>'
        f"{_table(node)}"
        f'<p style="margin:.5em 0 0;opacity:.75">{escape(_note(summary, node))}</p></div></div>'
    )


def board_svg(summary: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """The board, seen by the player to move; an arrow for each of the best moves."""
    board = chess.Board(summary["fen"], chess960=summary["chess960"])
    in_check = board.king(board.turn) if board.is_check() else None
    best = _best_score(rows)
    shown = [row for row in rows[:ARROWS] if row["share"] >= LEAST_SHARE or "best" in row["flags"]]
    arrows = [_arrow(row, best) for row in reversed(shown)]  # the best one lies on top
    return str(chess.svg.board(board, orientation=board.turn, arrows=arrows, check=in_check, size=SIZE))


def _arrow(row: dict[str, Any], best: float | None) -> chess.svg.Arrow:
    move = chess.Move.from_uci(row["uci"])
    opacity = min(255, 90 + round(165 * row["share"]))
    return chess.svg.Arrow(move.from_square, move.to_square, color=f"{_colour(row, best) or GOOD}{opacity:02x}")


def _best_score(rows: list[dict[str, Any]]) -> float | None:
    return next((row["q"] for row in rows if row["q"] is not None), None)


def _colour(row: dict[str, Any], best: float | None) -> str:
    """By what is lost against the best move; empty without a score."""
    if row["q"] is None or best is None:
        return ""
    loss = round(best - row["q"], DIGITS)
    return GOOD if loss <= CLOSE_LOSS else FAIR if loss <= LARGE_LOSS else POOR


def _headline(summary: dict[str, Any]) -> str:
    parts = (
        f"{summary['turn'].capitalize()} to move",
        effort_text(summary),
        f"{summary['speed']:,} visits/s",
        f"depth {summary['depth']}, at most {summary['deepest']}",
        ending_text(summary),
    )
    return ", ".join(parts)


def _note(summary: dict[str, Any], node: dict[str, Any]) -> str:
    rest = rest_text(node["rest"])
    folded = f"{rest}. " if rest else ""
    return f"{folded}Scores are for {summary['turn'].capitalize()}: win 1, draw 1/2, loss 0."


def _table(node: dict[str, Any]) -> str:
    head = "".join(f'<th scope="col" style="{CELL}text-align:{_side(name)}">{name}</th>' for name in COLUMNS)
    best = _best_score(node["rows"])
    rows = "".join(_row(row, best) for row in node["rows"])
    style = "border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums;white-space:nowrap"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(row: dict[str, Any], best: float | None) -> str:
    cells = zip(COLUMNS, _texts(row), strict=True)
    mark = f"box-shadow:inset .3em 0 {_colour(row, best) or 'transparent'};"
    parts = (
        f'<td style="{CELL}text-align:{_side(name)};{mark if name == "move" else ""}">{escape(printable(text))}</td>'
        for name, text in cells
    )
    return f"<tr>{''.join(parts)}</tr>"


def _texts(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["san"],
        f"{row['n']:,}",
        f"{row['share']:.1%}",
        score_text(row["q"]),
        " ".join(f"{part / 10:.0f}" for part in row["wdl"]) if row["wdl"] else "-",
        f"{row['p']:.1%}",
        score_text(row["v"]),
        state_text(row),
        " ".join(row["line"]),
    )


def _side(name: str) -> str:
    return "left" if name in LEFT_ALIGNED else "right"
