"""Moves as text, both ways: UCI (`e2e4`, `e7e8q`) and SAN (`e4`, `exd8=Q+`)."""

import re
from typing import TYPE_CHECKING

from movegen.convert import LETTERS
from movegen.fen import FILES, SQUARE_NAMES, SQUARES, quoted
from movegen.moves import (
    BOTH_SQUARES_UPSIDE_DOWN,
    CASTLING,
    EN_PASSANT,
    PROMOTE_KNIGHT,
)
from movegen.tables import KING_TARGETS

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


def castling_goal(king: int, rook: int) -> int:
    """The square the king comes to when he castles."""
    return king // 8 * 8 + KING_TARGETS["short" if rook > king else "long"]


def uci(position: "Position", code: int) -> str:
    """A legal move in UCI notation; castling as king takes rook in Chess960 mode, else as e1g1."""
    start, goal, kind = parts(position, code)
    if kind == KIND_CASTLING and not position.chess960:
        goal = castling_goal(start, goal)
    promotion = PROMOTIONS[kind - KIND_PROMOTION] if kind >= KIND_PROMOTION else ""
    return SQUARE_NAMES[start] + SQUARE_NAMES[goal] + promotion


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
        start, goal, kind = parts(position, code)
        promotion = PROMOTIONS[kind - KIND_PROMOTION] if kind >= KIND_PROMOTION else ""
        if SQUARE_NAMES[start] + SQUARE_NAMES[goal] + promotion == text:
            return code
        if kind == KIND_CASTLING and SQUARE_NAMES[start] + SQUARE_NAMES[castling_goal(start, goal)] == text:
            castling = code
    if castling is None:
        raise ValueError(f"{text} is not a legal move in {position.fen()}")
    return castling


def _parse_castling(position: "Position", text: str, short: bool) -> int:
    for code in position.move_codes:
        start, goal, kind = parts(position, code)
        if kind == KIND_CASTLING and (goal > start) == short:
            return code
    raise ValueError(f"{text} is not a legal move in {position.fen()}")


def _parse_san(position: "Position", text: str, match: re.Match[str]) -> int:
    letter, file, rank, target, promotion = match.groups()
    found = []
    for code in position.move_codes:
        start, goal, kind = parts(position, code)
        if (
            kind != KIND_CASTLING
            and SQUARE_NAMES[goal] == target
            and _letter(position, code) == (letter or "P")
            and SQUARE_NAMES[start].startswith(file)
            and SQUARE_NAMES[start].endswith(rank)
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
    start, goal, kind = parts(position, code)
    if kind == KIND_CASTLING:
        return "O-O" if goal > start else "O-O-O"
    captures = "x" if kind == KIND_EN_PASSANT or _occupied(position, code) else ""
    target = captures + SQUARE_NAMES[goal]
    letter = _letter(position, code)
    if letter == "P":
        promotion = "=" + PROMOTIONS[kind - KIND_PROMOTION].upper() if kind >= KIND_PROMOTION else ""
        return (FILES[start % 8] if captures else "") + target + promotion
    return letter + _origin_hint(position, code, letter) + target


def _origin_hint(position: "Position", code: int, letter: str) -> str:
    """What must be said of the origin because another piece of the kind could go there: file, rank or both."""
    start, goal, _ = parts(position, code)
    rivals = []
    for other in position.move_codes:
        other_start, other_goal, kind = parts(position, other)
        if other_goal == goal and other_start != start and kind != KIND_CASTLING and _letter(position, other) == letter:
            rivals.append(other_start)
    if not rivals:
        return ""
    same_file = any(rival % 8 == start % 8 for rival in rivals)
    same_rank = any(rival // 8 == start // 8 for rival in rivals)
    name = SQUARE_NAMES[start]
    return name if same_file and same_rank else name[1] if same_file else name[0]


def _letter(position: "Position", code: int) -> str:
    """The piece that moves, as an upper-case letter."""
    start, board = code & 63, position.board
    planes = (int(board.diagonal) >> start & 1, int(board.straight) >> start & 1, int(board.leaper) >> start & 1)
    return LETTERS[planes].upper()


def _occupied(position: "Position", code: int) -> bool:
    """Does a piece stand on the target?"""
    board = position.board
    return bool(int(board.diagonal | board.straight | board.leaper) >> (code >> 6 & 63) & 1)
