"""The board in a terminal, rendered by rich."""

from rich.console import Console
from rich.style import Style
from rich.text import Text

from engine.cli.console import can_show
from movegen import Position

# Both sides have the filled signs where colours distinguish them.
FILLED = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
HOLLOW = dict(zip("KQRBNP", "♔♕♖♗♘♙", strict=True))
LIGHT, DARK, LAST_LIGHT, LAST_DARK = "#8ca2ad", "#5b7083", "#a8a35c", "#8a8540"
WHITE_PIECE, BLACK_PIECE = "#ffffff", "#000000"
FILES = "abcdefgh"


def wants_letters(console: Console, choice: str) -> bool:
    """Show pieces as letters? With `auto`, where the console may lack the signs."""
    return choice == "letters" or (
        choice == "auto" and not (console.is_terminal and can_show("".join(FILLED.values())))
    )


def board_text(position: Position, last: str, console: Console, *, is_flipped: bool, letters: bool) -> Text:
    """The board. `last`: the last move in UCI notation, whose squares are marked; empty: none."""
    has_colour = console.color_system is not None and not console.no_color
    marked = {last[:2], last[2:4]}
    files, ranks = (FILES[::-1], "12345678") if is_flipped else (FILES, "87654321")
    text = Text()
    for rank in ranks:
        text.append(f" {rank} ")
        for file in files:
            piece, is_last = position.piece_at(file + rank), file + rank in marked
            sign = _sign(piece, letters, has_colour)
            style = _style(piece, FILES.index(file) + int(rank), is_last) if has_colour else ""
            text.append(f"[{sign}]" if is_last and not has_colour else f" {sign} ", style)
        text.append("\n")
    return text.append("   " + "".join(f" {file} " for file in files))


def _sign(piece: str | None, letters: bool, has_colour: bool) -> str:
    if piece is None:
        return " " if has_colour else "."
    if letters:
        return piece
    return FILLED[piece.lower()] if has_colour or piece.islower() else HOLLOW[piece]


def _style(piece: str | None, file_and_rank: int, is_last: bool) -> Style:
    is_dark = file_and_rank % 2 == 1  # file a is 0, so a1 is dark
    square = (LAST_DARK if is_dark else LAST_LIGHT) if is_last else (DARK if is_dark else LIGHT)
    colour = WHITE_PIECE if piece is None or piece.isupper() else BLACK_PIECE
    return Style(color=colour, bgcolor=square, bold=True)
