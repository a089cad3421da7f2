"""The table of moves, drawn by rich."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rich import box
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from engine.why.words import score_text

PLAIN_WIDTH = 140  # where there is no terminal
CLOSE_LOSS, LARGE_LOSS = 0.02, 0.04  # below the best score


def new_console(is_terminal: bool) -> Console:
    """Colour only on a terminal, and not where NO_COLOR says so."""
    return Console(force_terminal=is_terminal, width=None if is_terminal else PLAIN_WIDTH, highlight=False)


def picture(summary: dict[str, Any], node: dict[str, Any], width: int) -> RenderableType:
    """How the search stands: a line about the whole, the moves, the rest."""
    side = summary["turn"].capitalize()
    parts = (
        f"{side} to move",
        f"{summary['visits']:,} visits",
        f"{summary['seconds']:.1f} s",
        f"{summary['speed']:,} visits/s",
        f"depth {summary['depth']}, at most {summary['deepest']}",
        f"memory {summary['memory']:.0%}",
        summary["state"],
    )
    rest = node["rest"]
    folded = f"... {rest['moves']} moves more, {rest['share']:.1%} of visits\n" if rest["moves"] else ""
    note = f"scores are for {side}: win 1, draw 1/2, loss 0; `--explain COLUMN` tells how a number is made"
    return Group(Text(", ".join(parts), style="bold"), moves_table(node, width), Text(folded + note))


def moves_table(node: dict[str, Any], width: int) -> Table:
    """The moves, best first, with the columns that there is room for."""
    shown = [cell for cell in CELLS if width >= cell.from_width]
    texts = [[cell.text(row) for cell in shown] for row in node["rows"]]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, cell in enumerate(shown):
        widest = max([len(cell.name), *(len(line[place]) for line in texts)])
        table.add_column(cell.name, justify=cell.side, no_wrap=True, min_width=widest)
    table.add_column("line", no_wrap=True, overflow="ellipsis", ratio=1)
    best = next((row["q"] for row in node["rows"] if row["q"] is not None), None)
    for row, line in zip(node["rows"], texts, strict=True):
        table.add_row(*line, " ".join(row["line"]), style=_style(row, best))
    return table


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
    loss = best - row["q"]
    return "green" if loss <= CLOSE_LOSS else "yellow" if loss <= LARGE_LOSS else ""


class Cell(NamedTuple):
    """A column, and from which width of the terminal on it is shown."""

    name: str
    text: Callable[[dict[str, Any]], str]
    from_width: int = 0
    side: JustifyMethod = "right"


CELLS = (
    Cell("move", lambda row: str(row["san"]), side="left"),
    Cell("visits", lambda row: f"{row['n']:,}"),
    Cell("share", lambda row: f"{row['share']:.1%}"),
    Cell("score", lambda row: score_text(row["q"])),
    Cell("win draw loss", _wdl),
    Cell("prior", lambda row: f"{row['p']:.1%}", from_width=90),
    Cell("first look", lambda row: score_text(row["v"]), from_width=100),
    Cell("bonus", lambda row: _number(row["u"]), from_width=120),
    Cell("urgency", lambda row: _number(row["s"]), from_width=120),
    Cell("state", state_text, side="left"),
)
