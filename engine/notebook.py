"""An analysis in a notebook: a board with arrows and a table of moves, live where the notebook can show that."""

import sys
from html import escape
from typing import Any, Protocol

import chess
import chess.svg

from engine.explain.text import headline
from engine.report.columns import RowData, best_score, grade, table_columns
from engine.report.effort import rest_text
from engine.report.node import Shape
from engine.system.files import printable

SECONDS_BETWEEN_PICTURES = 0.5
ROWS, ARROWS, SIZE = 10, 4, 320
SHAPE = Shape(lines=ROWS, longest=8, first_look=True)
LEAST_ARROW_SHARE = 0.01  # of the visits, for an arrow
COLOURS = {"good": "#2e7d32", "fair": "#b26a00", "poor": "#b3123b"}
SHOWN_COLUMNS = table_columns(lowest=9)  # all but the terms of the formula
BORDER = "1px solid rgba(128,128,128,.4)"
CELL = f"padding:.15em .6em;border:0;border-bottom:{BORDER};background:transparent;color:inherit;"


class Watched(Protocol):
    """A search that can be shown."""

    @property
    def is_searching(self) -> bool:
        """Is it running?"""

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, at most that long."""

    def stop(self) -> None:
        """End it."""

    def _repr_html_(self) -> str:
        """The picture."""


def shell() -> Any:
    """The shell of the notebook that this runs in; None elsewhere. In a notebook IPython is loaded already."""
    module = sys.modules.get("IPython")
    found = module.get_ipython() if module is not None else None
    return found if getattr(found, "kernel", None) is not None else None


def cell_number(notebook_shell: Any) -> int:
    """The number of the cell that runs."""
    return int(notebook_shell.execution_count)


def watch(search: Watched) -> None:
    """Show a search until it ends; interrupting the cell ends it."""
    from IPython.display import HTML, display

    handle = display(HTML(search._repr_html_()), display_id=True)
    try:
        while search.is_searching:
            search.wait(SECONDS_BETWEEN_PICTURES)
            handle.update(HTML(search._repr_html_()))
    except KeyboardInterrupt:
        search.stop()
    handle.update(HTML(search._repr_html_()))


def html_of(summary: dict[str, Any], node: dict[str, Any]) -> str:
    """The board and the table, as one element that needs nothing else."""
    line = headline(summary, with_memory=False)
    return (
        '<div class="teresa-analysis" style="display:flex;flex-wrap:wrap;gap:1.2em;align-items:flex-start;'
        'font-family:system-ui,sans-serif;font-size:13px;color:inherit">'
        f'<div style="flex:none">{board_svg(summary, node["rows"])}</div>'
        f'<div style="flex:1 1 28em;overflow-x:auto"><p style="margin:0 0 .5em"><b>{escape(line)}</b></p>'
        f"{_table(node)}"
        f'<p style="margin:.5em 0 0;opacity:.75">{escape(_note(summary, node))}</p></div></div>'
    )


def board_svg(summary: dict[str, Any], rows: list[RowData]) -> str:
    """The board, seen by the player to move; an arrow for each of the best moves."""
    board = chess.Board(summary["fen"], chess960=summary["chess960"])
    in_check = board.king(board.turn) if board.is_check() else None
    best = best_score(rows)
    shown = [row for row in rows[:ARROWS] if row["share"] >= LEAST_ARROW_SHARE or "best" in row["flags"]]
    arrows = [_arrow(row, best) for row in reversed(shown)]  # the best one lies on top
    return str(chess.svg.board(board, orientation=board.turn, arrows=arrows, check=in_check, size=SIZE))


def _arrow(row: RowData, best: float | None) -> chess.svg.Arrow:
    move = chess.Move.from_uci(row["uci"])
    opacity = min(255, 90 + round(165 * row["share"]))
    colour = COLOURS[grade(row, best) or "good"]
    return chess.svg.Arrow(move.from_square, move.to_square, color=f"{colour}{opacity:02x}")


def _note(summary: dict[str, Any], node: dict[str, Any]) -> str:
    rest = rest_text(node["rest"])
    folded = f"{rest}. " if rest else ""
    return f"{folded}Scores are for {summary['turn'].capitalize()}: win 1, draw 1/2, loss 0."


def _table(node: dict[str, Any]) -> str:
    head = "".join(f'<th scope="col" style="{CELL}text-align:{one.side}">{one.title}</th>' for one in SHOWN_COLUMNS)
    best = best_score(node["rows"])
    rows = "".join(_row(row, best) for row in node["rows"])
    style = "border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums;white-space:nowrap"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(row: RowData, best: float | None) -> str:
    mark = f"box-shadow:inset .3em 0 {COLOURS.get(grade(row, best), 'transparent')};"
    parts = (
        f'<td style="{CELL}text-align:{one.side};{mark if one.key == "move" else ""}">'
        f"{escape(printable(one.text(row)))}</td>"
        for one in SHOWN_COLUMNS
    )
    return f"<tr>{''.join(parts)}</tr>"
