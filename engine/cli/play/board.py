"""The board in a terminal, drawn by rich."""

import sys

from rich.console import Console
from rich.style import Style
from rich.text import Text

from movegen import Position

# Both sides have the filled men where colours tell them apart.
FILLED = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
HOLLOW = dict(zip("KQRBNP", "♔♕♖♗♘♙", strict=True))
LIGHT, DARK, LAST_LIGHT, LAST_DARK = "#8ca2ad", "#5b7083", "#a8a35c", "#8a8540"
WHITE_MAN, BLACK_MAN = "#ffffff", "#000000"
FILES = "abcdefgh"


def can_show(text: str) -> bool:
    """Can standard output write these letters?"""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def wants_letters(console: Console, wish: str) -> bool:
    """Letters for men? As wished; if nothing is said, wherever the signs for them might not be seen."""
    return wish == "letters" or (wish == "auto" and not (console.is_terminal and can_show("".join(FILLED.values()))))


def board_text(position: Position, last: str, console: Console, *, is_flipped: bool, letters: bool) -> Text:
    """The board. `last`: the last move in UCI notation, whose squares are marked; empty: none."""
    has_colour = console.color_system is not None and not console.no_color
    marked = {last[:2], last[2:4]}
    files, ranks = (FILES[::-1], "12345678") if is_flipped else (FILES, "87654321")
    text = Text()
    for rank in ranks:
        text.append(f" {rank} ")
        for file in files:
            man, is_last = position.piece_at(file + rank), file + rank in marked
            sign = _sign(man, letters, has_colour)
            style = _style(man, FILES.index(file) + int(rank), is_last) if has_colour else ""
            text.append(f"[{sign}]" if is_last and not has_colour else f" {sign} ", style)
        text.append("\n")
    return text.append("   " + "".join(f" {file} " for file in files))


def _sign(man: str | None, letters: bool, has_colour: bool) -> str:
    if man is None:
        return " " if has_colour else "."
    if letters:
        return man
    return FILLED[man.lower()] if has_colour or man.islower() else HOLLOW[man]


def _style(man: str | None, file_and_rank: int, is_last: bool) -> Style:
    is_dark = file_and_rank % 2 == 1  # file a is 0, so a1 is dark
    square = (LAST_DARK if is_dark else LAST_LIGHT) if is_last else (DARK if is_dark else LIGHT)
    colour = WHITE_MAN if man is None or man.isupper() else BLACK_MAN
    return Style(color=colour, bgcolor=square, bold=True)
