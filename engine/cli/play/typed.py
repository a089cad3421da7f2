"""Moves as users type them: `nf3`, `g1-f3`, `o-o`, `1. e4`, `e7e8=Q`."""

import re
from collections.abc import Iterator

from movegen import Position
from movegen.notation import SAN, UCI

NUMBER = re.compile(r"\d+\s*(?:\.+|…)\s*")
CASTLING = re.compile(r"([oO0])-?\1(-?\1)?")
SQUARES = re.compile(r"([pnbrqk]?)([a-h][1-8])[-x:]?([a-h][1-8])=?([nbrq]?)")
PAWN = re.compile(r"([a-h]?[1-8]?[x:-]?[a-h][18])=?([nbrq])")


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
    bare = re.sub(r"\s+|[+#!?]+$|e\.?p\.?$", "", NUMBER.sub("", text, count=1) if NUMBER.match(text) else text)
    castling = CASTLING.fullmatch(bare)
    if castling:
        yield "O-O-O" if castling[2] else "O-O"
        return
    if SAN.fullmatch(bare) and not SQUARES.fullmatch(bare):
        yield bare
    small = bare.lower()
    squares = SQUARES.fullmatch(small)
    if squares:
        piece, start, target, promotion = squares.groups()
        yield start + target + promotion if piece in ("", "p") else piece.upper() + start + target
        return
    if PAWN.fullmatch(small):
        yield PAWN.sub(lambda match: f"{match[1]}={match[2].upper()}", small)
    for reading in (small, small[:1].upper() + small[1:]):
        if UCI.fullmatch(reading) or SAN.fullmatch(reading):
            yield reading
