"""What `teresa review` prints: JSON for programs, tables for people."""

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.cli.console import Column, can_show, cut, new_console, table_of
from engine.pgn.game_file import GameFile
from engine.review import REVIEW_SCHEMA
from engine.review.chart import BARS, sparkline, white_scores
from engine.review.marks import Mark
from engine.review.numbers import SIDES, game_numbers
from engine.review.phases import PHASES
from engine.review.reviewed_game import Review
from engine.system.files import printable

LONGEST_SPARKLINE = 100
SHORTEST_NAME = 8
STYLES = {
    Mark.INACCURACY: "yellow",
    Mark.MISTAKE: "magenta",
    Mark.BLUNDER: "bold red",
    Mark.MISSED_WIN: "bold red",
    Mark.ONLY_MOVE: "green",
    Mark.BRILLIANT: "bold cyan",
}
RARE = {"missed_win": "missed wins", "only_move": "only moves", "brilliant": "brilliant"}  # shown if there are any


class JsonPrinter:
    """One JSON document, printed game by game."""

    def __init__(self) -> None:
        self._before = f'{{"schema": {json.dumps(REVIEW_SCHEMA)}, "games": ['

    def add(self, review: Review) -> None:
        """Print another game."""
        print(self._before + json.dumps(review.data()), end="", flush=True)
        self._before = ", "

    def end(self) -> None:
        """Close the document."""
        print(("" if self._before == ", " else self._before) + "]}", flush=True)


class TextPrinter:
    """Tables for people."""

    def __init__(self, files: list[GameFile]) -> None:
        """`files`: their games are printed with a title."""
        self._console = new_console(is_terminal=sys.stdout.isatty())
        self._files, self._is_first, self._has_scores = files, True, False

    def add(self, review: Review) -> None:
        """Print another game."""
        if self._files:
            found = review.found
            title = f"Game {found.number}" if len(self._files) == 1 else f"{printable(found.file)}, game {found.number}"
            self._console.print(("" if self._is_first else "\n") + title, style="bold", markup=False)
        self._is_first = False
        self._has_scores |= bool(review.moves)
        _print_game(review, self._console)
        sys.stdout.flush()

    def end(self) -> None:
        """Print what the numbers mean."""
        if not self._has_scores:
            return
        self._console.print(
            "Scores: win 1, draw 1/2, loss 0. A loss of .05 is an inaccuracy, of .10 a mistake, of .15 a blunder.\n"
            "Accuracy in percent and loss in centipawns are by the formulas of lichess."
        )


def _print_game(review: Review, console: Console) -> None:
    if review.note:
        console.print(f"note: {printable(f'{review.found.origin}: {review.note}')}", markup=False, soft_wrap=True)
    if not review.moves:
        return
    if len(review.moves) < len(review.codes):
        console.print(f"{len(review.moves)} of {len(review.codes)} half-moves were judged")
    elif not review.is_complete:
        console.print("interrupted before all turns of the game were searched longer")
    numbers = game_numbers(review)
    width = min(LONGEST_SPARKLINE, console.width - 16)
    console.print("White's score " + sparkline(white_scores(review), width, bars=can_show(BARS)), markup=False)
    if numbers["opening"]:
        console.print(f"Opening       {numbers['opening']['eco']} {numbers['opening']['name']}", markup=False)
    console.print(players_table(numbers, console.width))
    console.print(phases_table(numbers, console.width))
    _print_marks(review, console)


def players_table(numbers: dict[str, Any], width: int) -> Table:
    """A row for each player: accuracy and losses, and how many moves had which mark."""
    players = [numbers["players"][side] for side in SIDES]
    losses = [player["average_loss"] for player in players]
    rare = [
        Column(title, [str(player[name]) for player in players], 9)
        for name, title in RARE.items()
        if any(player[name] for player in players)
    ]
    columns = [
        Column("side", list(SIDES), 1, "left"),
        Column("player", [printable(player["name"]) for player in players], 4, "left", least=SHORTEST_NAME),
        Column("moves", [str(player["moves"]) for player in players], 8),
        Column("accuracy", _texts(players, "accuracy"), 5),
        Column("average loss", ["-" if loss is None else f"{loss:.3f}".removeprefix("0") for loss in losses], 6),
        Column("inaccuracies", [str(player["inaccuracy"]) for player in players], 7),
        Column("mistakes", [str(player["mistake"]) for player in players], 3),
        Column("blunders", [str(player["blunder"]) for player in players], 2),
        *rare,
    ]
    return table_of(columns, width, cut)


def phases_table(numbers: dict[str, Any], width: int) -> Table:
    """A row for each part of the game that was played: accuracy, loss in centipawns and time of both players."""
    parts = {"all moves": [numbers["players"][side] for side in SIDES]}
    for phase in PHASES:
        parts[phase] = [numbers["players"][side]["by_phase"][phase] for side in SIDES]
    shown = {name: pair for name, pair in parts.items() if any(one["moves"] for one in pair)}
    columns = [Column("", list(shown), 1, "left")]
    for title, name, importance in (("accuracy", "accuracy", 2), ("loss, cp", "average_centipawn_loss", 3)):
        columns += [_of_side(shown, index, title, name, importance) for index in range(2)]
    if any(one["seconds"] is not None for pair in shown.values() for one in pair):
        columns += [_of_side(shown, index, "time", "seconds", 4) for index in range(2)]
        columns += [_of_side(shown, index, "a move", "seconds_per_move", 5) for index in range(2)]
    return table_of(columns, width, cut)


def _of_side(parts: dict[str, Any], index: int, title: str, name: str, importance: int) -> Column:
    texts = _texts([pair[index] for pair in parts.values()], name)
    return Column(f"{SIDES[index]} {title}", texts, 10 * importance + index)


def _texts(rows: list[dict[str, Any]], name: str) -> list[str]:
    values = [row[name] for row in rows]
    return [_time_text(value) if name.startswith("seconds") else _number_text(value) for value in values]


def _number_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _time_text(seconds: float | None) -> str:
    """`1:02:03`, `4:05`, or `6.7 s`."""
    if seconds is None or seconds < 60:
        return "-" if seconds is None else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def _print_marks(review: Review, console: Console) -> None:
    for move in review.moves:
        if move.mark is Mark.NONE:
            continue
        glyph = move.glyph if can_show(move.glyph) else ""
        line = f": {' '.join(move.before.line)}" if move.severity else ""
        text = f"{move.name}{glyph}  {move.mark}, {move.evidence}{line}"
        console.print(text, style=STYLES[move.mark], markup=False, soft_wrap=not console.is_terminal)
