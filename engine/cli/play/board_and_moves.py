"""The board as a terminal shows it, and moves as users type them: `nf3`, `g1-f3`, `o-o`, `1. e4`, `e7e8=Q`."""

import re
from collections.abc import Iterator

from rich.console import Console
from rich.style import Style
from rich.text import Text

from engine.cli.console import can_show
from movegen import Position
from movegen.fen import FILES
from movegen.notation import SAN, UCI

# Both sides have the filled signs where colours distinguish them.
FILLED = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
HOLLOW = dict(zip("KQRBNP", "♔♕♖♗♘♙", strict=True))
LIGHT, DARK, LAST_LIGHT, LAST_DARK = "#8ca2ad", "#5b7083", "#a8a35c", "#8a8540"
WHITE_PIECE, BLACK_PIECE = "#ffffff", "#000000"
MOVE_NUMBER = re.compile(r"\d+\s*(?:\.+|…)\s*")
CASTLING_TEXT = re.compile(r"([oO0])-?\1(-?\1)?")
TWO_SQUARES = re.compile(r"([pnbrqk]?)([a-h][1-8])[-x:]?([a-h][1-8])=?([nbrq]?)")
PAWN_TEXT = re.compile(r"([a-h]?[1-8]?[x:-]?[a-h][18])=?([nbrq])")


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


def understood(position: Position, text: str) -> str:
    """The move in SAN or UCI notation: the text itself if it is legal, else the first reading that is legal.

    If no reading is legal: the most likely one, so that the reason against it can be given.
    """
    if position.is_legal(text):
        return text
    found = list(readings(text))
    legal = next((reading for reading in found if position.is_legal(reading)), None)
    return legal or next(iter(found), text)


def readings(text: str) -> Iterator[str]:
    """What a text may mean, the most likely first."""
    bare = re.sub(
        r"\s+|[+#!?]+$|e\.?p\.?$", "", MOVE_NUMBER.sub("", text, count=1) if MOVE_NUMBER.match(text) else text
    )
    castling = CASTLING_TEXT.fullmatch(bare)
    if castling:
        yield "O-O-O" if castling[2] else "O-O"
        return
    if SAN.fullmatch(bare) and not TWO_SQUARES.fullmatch(bare):
        yield bare
    small = bare.lower()
    squares = TWO_SQUARES.fullmatch(small)
    if squares:
        piece, start, target, promotion = squares.groups()
        yield start + target + promotion if piece in ("", "p") else piece.upper() + start + target
        return
    if PAWN_TEXT.fullmatch(small):
        yield PAWN_TEXT.sub(lambda match: f"{match[1]}={match[2].upper()}", small)
    for reading in (small, small[:1].upper() + small[1:]):
        if UCI.fullmatch(reading) or SAN.fullmatch(reading):
            yield reading
