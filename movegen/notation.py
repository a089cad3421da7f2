"""Parsing and writing of moves: UCI (`e2e4`, `e7e8q`) and SAN (`e4`, `exd8=Q+`)."""

import re
from typing import TYPE_CHECKING

from movegen.board import LETTERS
from movegen.fen import FILES, SQUARE_NAMES, SQUARES, quoted
from movegen.geometry import KING_TARGETS
from movegen.moves import (
    BOTH_SQUARES_UPSIDE_DOWN,
    CASTLING,
    EN_PASSANT,
    PROMOTE_KNIGHT,
)

if TYPE_CHECKING:
    from movegen.position import Position

PROMOTIONS = "nbrq"
KIND_CASTLING, KIND_EN_PASSANT, KIND_PROMOTION = int(CASTLING), int(EN_PASSANT), int(PROMOTE_KNIGHT)

UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:[=/]?\(?([NBRQnbrq])\)?)?")
CASTLING_TEXTS = {"O-O": True, "0-0": True, "O-O-O": False, "0-0-0": False}  # -> short?


def square_number(name: str) -> int:
    """The number of a square, a1 = 0."""
    if name not in SQUARES:
        raise ValueError(f"no square is called {quoted(name)}")
    return SQUARES[name]


def parts(position: "Position", code: int) -> tuple[int, int, int]:
    """A move as (origin, target, kind) with the squares seen by White."""
    if position.turn == "black":
        code ^= BOTH_SQUARES_UPSIDE_DOWN
    return code & 63, code >> 6 & 63, code >> 12


def castling_target(king: int, rook: int) -> int:
    """The square of the king after castling."""
    return king // 8 * 8 + KING_TARGETS["short" if rook > king else "long"]


def uci(position: "Position", code: int) -> str:
    """A legal move in UCI notation; castling as king takes rook in Chess960 mode, else as e1g1."""
    origin, target, kind = parts(position, code)
    if kind == KIND_CASTLING and not position.chess960:
        target = castling_target(origin, target)
    promotion = PROMOTIONS[kind - KIND_PROMOTION] if kind >= KIND_PROMOTION else ""
    return SQUARE_NAMES[origin] + SQUARE_NAMES[target] + promotion


def parse(position: "Position", text: str) -> int:
    """The legal move that a text means; a `ValueError` says why it means none."""
    if UCI.fullmatch(text):
        return parse_uci(position, text)
    bare = text.rstrip("+#!?")
    if bare in CASTLING_TEXTS:
        return _parse_castling(position, text, short=CASTLING_TEXTS[bare])
    match = SAN.fullmatch(bare)
    if match is None:
        raise ValueError(f"{quoted(text)} is not a move in UCI notation or SAN")
    return _parse_san(position, text, match)


def parse_uci(position: "Position", text: str) -> int:
    """The legal move that a UCI text means. Castling is understood as e1g1 and as king takes rook."""
    castling = None
    for code in position.move_codes:
        origin, target, kind = parts(position, code)
        promotion = PROMOTIONS[kind - KIND_PROMOTION] if kind >= KIND_PROMOTION else ""
        if SQUARE_NAMES[origin] + SQUARE_NAMES[target] + promotion == text:
            return code
        if kind == KIND_CASTLING and SQUARE_NAMES[origin] + SQUARE_NAMES[castling_target(origin, target)] == text:
            castling = code
    if castling is None:
        raise ValueError(f"{text} is not a legal move in {position.fen()}")
    return castling


def _parse_castling(position: "Position", text: str, short: bool) -> int:
    for code in position.move_codes:
        origin, target, kind = parts(position, code)
        if kind == KIND_CASTLING and (target > origin) == short:
            return code
    raise ValueError(f"{text} is not a legal move in {position.fen()}")


def _parse_san(position: "Position", text: str, match: re.Match[str]) -> int:
    letter, file, rank, square, promotion = match.groups()
    found = []
    for code in position.move_codes:
        origin, target, kind = parts(position, code)
        if (
            kind != KIND_CASTLING
            and SQUARE_NAMES[target] == square
            and _letter(position, code) == (letter or "P")
            and SQUARE_NAMES[origin].startswith(file)
            and SQUARE_NAMES[origin].endswith(rank)
            and (PROMOTIONS[kind - KIND_PROMOTION] if kind >= KIND_PROMOTION else "") == (promotion or "").lower()
        ):
            found.append(code)
    if not found:
        raise ValueError(f"{quoted(text)} is not a legal move in {position.fen()}")
    if len(found) > 1:
        choices = " or ".join(uci(position, code) for code in found)
        raise ValueError(f"{quoted(text)} is ambiguous: {choices}")
    return found[0]


def san(position: "Position", code: int) -> str:
    """A legal move in standard algebraic notation, with + for check and # for mate."""
    after = position.play(code)
    suffix = "" if not after.in_check else "+" if after.move_codes else "#"
    return _san_without_check(position, code) + suffix


def _san_without_check(position: "Position", code: int) -> str:
    origin, target, kind = parts(position, code)
    if kind == KIND_CASTLING:
        return "O-O" if target > origin else "O-O-O"
    captures = "x" if kind == KIND_EN_PASSANT or _occupied(position, code) else ""
    arrival = captures + SQUARE_NAMES[target]
    letter = _letter(position, code)
    if letter == "P":
        promotion = "=" + PROMOTIONS[kind - KIND_PROMOTION].upper() if kind >= KIND_PROMOTION else ""
        return (FILES[origin % 8] if captures else "") + arrival + promotion
    return letter + _origin_hint(position, code, letter) + arrival


def _origin_hint(position: "Position", code: int, letter: str) -> str:
    """File, rank or both of the origin, where another piece of the same kind could make the move."""
    origin, target, _ = parts(position, code)
    rivals = []
    for other in position.move_codes:
        other_origin, other_target, kind = parts(position, other)
        if (
            other_target == target
            and other_origin != origin
            and kind != KIND_CASTLING
            and _letter(position, other) == letter
        ):
            rivals.append(other_origin)
    if not rivals:
        return ""
    same_file = any(rival % 8 == origin % 8 for rival in rivals)
    same_rank = any(rival // 8 == origin // 8 for rival in rivals)
    name = SQUARE_NAMES[origin]
    return name if same_file and same_rank else name[1] if same_file else name[0]


def _letter(position: "Position", code: int) -> str:
    """The piece that moves, as an upper-case letter."""
    origin, board = code & 63, position.board
    planes = (int(board.diagonal) >> origin & 1, int(board.straight) >> origin & 1, int(board.leaper) >> origin & 1)
    return LETTERS[planes].upper()


def _occupied(position: "Position", code: int) -> bool:
    """Is there a piece on the target?"""
    board = position.board
    return bool(int(board.diagonal | board.straight | board.leaper) >> (code >> 6 & 63) & 1)
