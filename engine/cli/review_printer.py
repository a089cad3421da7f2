"""Judged games on standard output: tables and remarks, or JSON."""

import json
import sys

from rich.console import Console
from rich.table import Table

from engine.cli.console import can_show, new_console
from engine.cli.table import Column, cut, table_of
from engine.pgn.game_file import GameFile
from engine.review import SCHEMA
from engine.review.chart import BARS, sparkline, white_scores
from engine.review.reviewed_game import SIDES, Review
from engine.review.severity import MARKS, Severity
from engine.system.printable import printable

LONGEST_SPARKLINE = 100
SHORTEST_NAME = 8


class JsonPrinter:
    """One JSON document, printed game by game."""

    def __init__(self) -> None:
        self._before = f'{{"schema": {json.dumps(SCHEMA)}, "games": ['

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
        self._files, self._is_first = files, True

    def add(self, review: Review) -> None:
        """Print another game."""
        if self._files:
            found = review.found
            title = f"Game {found.number}" if len(self._files) == 1 else f"{printable(found.file)}, game {found.number}"
            self._console.print(("" if self._is_first else "\n") + title, style="bold", markup=False)
        self._is_first = False
        _print_game(review, self._console)
        sys.stdout.flush()

    def end(self) -> None:
        """Print what the numbers mean."""
        self._console.print(
            "Scores: win 1, draw 1/2, loss 0. A loss of .05 is an inaccuracy, of .10 a mistake, of .15 a blunder."
        )


def _print_game(review: Review, console: Console) -> None:
    if review.note:
        console.print(f"note: {printable(review.note)}", markup=False)
    if not review.moves:
        return
    if len(review.moves) < len(review.codes):
        console.print(f"{len(review.moves)} of {len(review.codes)} half-moves were judged")
    width = min(LONGEST_SPARKLINE, console.width - 16)
    console.print("White's score " + sparkline(white_scores(review), width, bars=can_show(BARS)), markup=False)
    console.print(players_table(review, console.width))
    _print_losses(review, console)


def players_table(review: Review, width: int) -> Table:
    """A row for each player: the average loss, and how many moves lost how much."""
    players = [review.player(side) for side in SIDES]
    losses = [player["average_loss"] for player in players]
    columns = [
        Column("side", list(SIDES), 1, "left"),
        Column("player", [printable(player["name"]) for player in players], 4, "left", least=SHORTEST_NAME),
        Column("moves", [str(player["moves"]) for player in players], 7),
        Column("average loss", ["-" if loss is None else f"{loss:.3f}".removeprefix("0") for loss in losses], 5),
        Column("inaccuracies", [str(player["inaccuracy"]) for player in players], 6),
        Column("mistakes", [str(player["mistake"]) for player in players], 3),
        Column("blunders", [str(player["blunder"]) for player in players], 2),
    ]
    return table_of(columns, width, cut)


def _print_losses(review: Review, console: Console) -> None:
    styles = {Severity.INACCURACY: "yellow", Severity.MISTAKE: "magenta", Severity.BLUNDER: "bold red"}
    for move in review.moves:
        if move.severity is not Severity.NONE:
            text = f"{move.name}{MARKS[move.severity]}  {move.severity}, {move.evidence}: {' '.join(move.before.line)}"
            console.print(text, style=styles[move.severity], markup=False, soft_wrap=not console.is_terminal)
