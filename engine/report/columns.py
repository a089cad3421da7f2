"""The columns of a table of moves, for terminal, notebook and page: titles, meanings, texts, alignment, importance."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from engine.report.formulas import FORMULAS, Context
from engine.report.move_stats import DIGITS, short_score
from engine.report.node import Row

RowData = dict[str, Any]  # `Row.data`
LEAST_LINE = 16  # characters
CLOSE_LOSS, LARGE_LOSS = 0.02, 0.04  # of score, against the best move


class MoveColumn(NamedTuple):
    """A column of a table of moves."""

    key: str
    title: str
    text: Callable[[RowData], str]
    importance: int  # 1 is the highest: where there is little room, the others go; 0: in no table
    meaning: str = ""
    side: Literal["left", "right"] = "right"
    least: int | None = None  # characters that are enough, if its text may be cut

    def heading(self) -> dict[str, Any]:
        """What a page needs to know of it."""
        return {"key": self.key, "title": self.title, "meaning": self.meaning, "side": self.side}


def state_text(row: RowData) -> str:
    """What is proven of a move: `mate in 3`, `mated in 2`, `draw`; `next` if the search visits it next."""
    proven = row["proven"]
    if proven is None:
        return "next" if "next" in row["flags"] else ""
    if proven["result"] == "draw":
        return "draw"
    return f"mate in {(proven['plies'] + 1) // 2}" if proven["result"] == "win" else f"mated in {proven['plies'] // 2}"


def _wdl_text(row: RowData) -> str:
    return " ".join(f"{part / 10:.0f}" for part in row["wdl"]) if row["wdl"] else "-"


def _percent(key: str) -> Callable[[RowData], str]:
    return lambda row: f"{row[key]:.1%}"


def _score(key: str) -> Callable[[RowData], str]:
    return lambda row: short_score(row[key])


def _number(key: str) -> Callable[[RowData], str]:
    return lambda row: "-" if row[key] is None else f"{row[key]:.3f}"


MOVE_COLUMNS = (
    MoveColumn("move", "move", lambda row: str(row["san"]), 1, side="left"),
    MoveColumn("n", "visits", lambda row: f"{row['n']:,}", 2, "how often the search looked at the move"),
    MoveColumn("share", "share", _percent("share"), 4, "of the visits of all moves here"),
    MoveColumn("q", "score", _score("q"), 3, "mean result: win 1, draw 1/2, loss 0"),
    MoveColumn("wdl", "win draw loss", _wdl_text, 7, "shares of the results"),
    MoveColumn("p", "prior", _percent("p"), 8, "what the network expects to be played, before any search"),
    MoveColumn("p_search", "search prior", _percent("p_search"), 0, "the prior at the search's temperature"),
    MoveColumn("v", "first look", _score("v"), 9, "score of the network, before any search"),
    MoveColumn("u", "bonus", _number("u"), 10, "what the formula adds to look at moves with few visits"),
    MoveColumn("s", "urgency", _number("s"), 11, "the move with the largest is looked at next"),
    MoveColumn("state", "state", state_text, 6, "what is proven; next: visited next", side="left"),
    MoveColumn("line", "line", lambda row: " ".join(row["line"]), 5, "the best moves", side="left", least=LEAST_LINE),
)
EXPLAINED = tuple(column for column in MOVE_COLUMNS if column.key in FORMULAS)


def table_columns(lowest: int = len(MOVE_COLUMNS)) -> tuple[MoveColumn, ...]:
    """The columns of a table, in their order, down to an importance."""
    return tuple(column for column in MOVE_COLUMNS if 0 < column.importance <= lowest)


# Colours


def best_score(rows: list[RowData]) -> float | None:
    """The score of the first row that has one."""
    return next((row["q"] for row in rows if row["q"] is not None), None)


def grade(row: RowData, best: float | None) -> Literal["good", "fair", "poor", ""]:
    """By what is lost against the best move; empty without a score."""
    if row["q"] is None or best is None:
        return ""
    loss = round(best - row["q"], DIGITS)
    return "good" if loss <= CLOSE_LOSS else "fair" if loss <= LARGE_LOSS else "poor"


# How a number is made


def find(text: str) -> MoveColumn:
    """A column with a formula, by its key or title; `ValueError` if there is none."""
    wanted = text.lower()
    for column in EXPLAINED:
        if wanted in (column.key, column.title):
            return column
    names = ", ".join(f"{column.key} ({column.title})" for column in EXPLAINED)
    raise ValueError(f"there is no column {text[:40]!a}; there are {names}")


def lesson(column: MoveColumn, row: Row, context: Context, turn: str) -> list[str]:
    """What a column means, and how the number of a row is made."""
    formula = FORMULAS[column.key]
    return [
        f"{column.title} ({column.key}): {column.meaning}; for {turn}, the side to move",
        f"  formula  {formula.text(context)}",
        f"  {row.san:8} {formula.worked(row, context)}",
    ]
