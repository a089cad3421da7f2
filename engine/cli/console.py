"""What commands print, rendered by rich: the console with its colours, width and letters; tables."""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from engine.explain.text import headline
from engine.report.columns import RowData, best_score, grade, table_columns
from engine.report.effort import rest_text
from engine.system.files import printable

PLAIN_WIDTH = 140  # where there is no terminal
TABLE_ROWS = 10  # moves that a table shows unless asked for more
COLUMN_GAP = 3  # cells between two columns


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the program here; `perft.exits` decides what a closed pipe means."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def new_console(is_terminal: bool) -> Console:
    """Colour only on a terminal, and not if NO_COLOR is set."""
    return _Console(force_terminal=is_terminal, width=None if is_terminal else PLAIN_WIDTH, highlight=False)


def can_show(text: str) -> bool:
    """Can standard output encode these letters?"""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_lines(console: Console, lines: Sequence[str]) -> None:
    """Lines of text, on a terminal broken between words (moves), elsewhere whole."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=not console.is_terminal)


def print_warnings(warnings: Sequence[str]) -> None:
    """What the user should know beside the output: to standard error."""
    for text in warnings:
        print(f"warning: {printable(text)}", file=sys.stderr)


def search_view(summary: dict[str, Any], node: dict[str, Any], width: int) -> RenderableType:
    """The search now: a line about the whole, the moves, the rest."""
    side = summary["turn"].capitalize()
    rest = rest_text(node["rest"])
    folded = f"... {rest}\n" if rest else ""
    note = f"scores are for {side}: win 1, draw 1/2, loss 0; `--explain COLUMN` shows how a number is made"
    return Group(Text(headline(summary, with_memory=True), style="bold"), moves_table(node, width), Text(folded + note))


# Columns by importance


@dataclass(frozen=True)
class Column:
    """A column of a table. The most important one is always shown, the others as far as there is room."""

    name: str
    texts: list[str]
    importance: int  # 1 is the highest
    side: JustifyMethod = "right"
    least: int | None = None  # cells, of a column that may be shortened; None: it may not

    @property
    def width(self) -> int:
        """The cells that it needs."""
        widest = max(map(cell_len, [self.name, *self.texts]))
        return widest if self.least is None else max(cell_len(self.name), min(widest, self.least))


def fitting(columns: Sequence[Column], width: int) -> tuple[list[Column], int]:
    """The columns that there is room for, in order, and the cells that are left over."""
    chosen: list[Column] = []
    room = width + COLUMN_GAP
    for column in sorted(columns, key=lambda column: column.importance):
        if chosen and column.width + COLUMN_GAP > room:
            break
        chosen.append(column)
        room -= column.width + COLUMN_GAP
    return [column for column in columns if column in chosen], max(0, room)


def table_of(
    columns: Sequence[Column],
    width: int,
    shorten: Callable[[str, int], str],
    styles: Sequence[str] | None = None,
) -> Table:
    """The rows, no wider than the terminal; `shorten` cuts the texts of the columns that may be shortened."""
    shown, room = fitting(columns, width)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    texts = []
    for column in shown:
        size = column.width if column.least is None else column.width + room
        table.add_column(column.name, justify=column.side, no_wrap=True, min_width=column.width)
        texts.append(column.texts if column.least is None else [shorten(text, size) for text in column.texts])
    for number, row in enumerate(zip(*texts, strict=True)):
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
        Column(one.title, [one.text(row) for row in rows], one.importance, one.side, one.least)
        for one in table_columns()
    ]
    best = best_score(rows)
    return table_of(columns, width, whole_words, [_style(row, best) for row in rows])


def _style(row: RowData, best: float | None) -> str:
    return {"good": "green", "fair": "yellow", "poor": ""}.get(grade(row, best), "dim")
