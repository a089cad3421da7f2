"""The table of moves, drawn by rich."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from engine.explain.text import score_text
from engine.report.effort import effort_text, ending_text, rest_text
from engine.report.rows import DIGITS

GAP, LEAST_LINE = 3, 16  # cells between two columns; of the line of moves
CLOSE_LOSS, LARGE_LOSS = 0.02, 0.04  # below the best score


def picture(summary: dict[str, Any], node: dict[str, Any], width: int) -> RenderableType:
    """How the search stands: a line about the whole, the moves, the rest."""
    side = summary["turn"].capitalize()
    parts = (
        f"{side} to move",
        effort_text(summary),
        f"{summary['speed']:,} visits/s",
        f"depth {summary['depth']}, at most {summary['deepest']}",
        f"memory {summary['memory']:.0%}",
        ending_text(summary),
    )
    rest = rest_text(node["rest"])
    folded = f"... {rest}\n" if rest else ""
    note = f"scores are for {side}: win 1, draw 1/2, loss 0; `--explain COLUMN` shows how a number is made"
    return Group(Text(", ".join(parts), style="bold"), moves_table(node, width), Text(folded + note))


# Columns by importance


@dataclass(frozen=True)
class Column:
    """A column of a table. The most important one is always shown, the others as far as there is room."""

    name: str
    texts: list[str]
    importance: int  # 1 is the highest
    side: JustifyMethod = "right"
    least: int | None = None  # a column that takes what room is left needs at least this much; None: it needs all

    @property
    def width(self) -> int:
        """What it needs."""
        widest = max(map(cell_len, [self.name, *self.texts]))
        return widest if self.least is None else max(cell_len(self.name), min(widest, self.least))


def fitting(columns: Sequence[Column], width: int) -> tuple[list[Column], int]:
    """The columns that there is room for, in their order; and the room that is left over."""
    chosen: list[Column] = []
    room = width + GAP
    for column in sorted(columns, key=lambda column: column.importance):
        if chosen and column.width + GAP > room:
            break
        chosen.append(column)
        room -= column.width + GAP
    return [column for column in columns if column in chosen], max(0, room)


def table_of(
    columns: Sequence[Column],
    width: int,
    shorten: Callable[[str, int], str],
    styles: Sequence[str] | None = None,
) -> Table:
    """The rows, no wider than the terminal; `shorten` cuts the texts of the column that takes the room left over."""
    shown, room = fitting(columns, width)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    lines = []
    for column in shown:
        size = column.width if column.least is None else column.width + room
        table.add_column(column.name, justify=column.side, no_wrap=True, min_width=column.width)
        lines.append(column.texts if column.least is None else [shorten(text, size) for text in column.texts])
    for number, row in enumerate(zip(*lines, strict=True)):
        table.add_row(*map(Text, row), style=styles[number] if styles else None)
    return table


def whole_words(text: str, width: int) -> str:
    """As many words as there is room for."""
    if cell_len(text) <= width:
        return text
    words = text.split(" ")
    while words and cell_len(" ".join(words)) > width:
        words.pop()
    return " ".join(words)


def cut(text: str, width: int) -> str:
    """As much of a text as there is room for."""
    return set_cell_size(text, width).rstrip() if cell_len(text) > width else text


# The moves


def moves_table(node: dict[str, Any], width: int) -> Table:
    """The moves, best first, with the columns that there is room for."""
    rows = node["rows"]
    columns = [
        Column(cell.name, [cell.text(row) for row in rows], cell.importance, cell.side, cell.least) for cell in CELLS
    ]
    best = next((row["q"] for row in rows if row["q"] is not None), None)
    return table_of(columns, width, whole_words, [_style(row, best) for row in rows])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _wdl(row: dict[str, Any]) -> str:
    return " ".join(f"{part / 10:.0f}" for part in row["wdl"]) if row["wdl"] else "-"


def state_text(row: dict[str, Any]) -> str:
    """What is proven of a move: `mate in 3`, `mated in 2`, `draw`; `next` if the search looks at it next."""
    proven = row["proven"]
    if proven is None:
        return "next" if "next" in row["flags"] else ""
    if proven["result"] == "draw":
        return "draw"
    return f"mate in {(proven['plies'] + 1) // 2}" if proven["result"] == "win" else f"mated in {proven['plies'] // 2}"


def _style(row: dict[str, Any], best: float | None) -> str:
    if row["q"] is None or best is None:
        return "dim"
    loss = round(best - row["q"], DIGITS)
    return "green" if loss <= CLOSE_LOSS else "yellow" if loss <= LARGE_LOSS else ""


class Cell(NamedTuple):
    """A column of the table of moves, see `Column`."""

    name: str
    text: Callable[[dict[str, Any]], str]
    importance: int
    side: JustifyMethod = "right"
    least: int | None = None


CELLS = (
    Cell("move", lambda row: str(row["san"]), 1, side="left"),
    Cell("visits", lambda row: f"{row['n']:,}", 2),
    Cell("share", lambda row: f"{row['share']:.1%}", 4),
    Cell("score", lambda row: score_text(row["q"]), 3),
    Cell("win draw loss", _wdl, 7),
    Cell("prior", lambda row: f"{row['p']:.1%}", 8),
    Cell("first look", lambda row: score_text(row["v"]), 9),
    Cell("bonus", lambda row: _number(row["u"]), 10),
    Cell("urgency", lambda row: _number(row["s"]), 11),
    Cell("state", state_text, 6, side="left"),
    Cell("line", lambda row: " ".join(row["line"]), 5, side="left", least=LEAST_LINE),
)
