"""Why a position that was set up cannot be played as it is: all reasons, in plain words, for a board editor.

The reader of FEN refuses with the first reason, and repairs what is harmless; here nothing is repaired.
"""

import re
from collections.abc import Iterator

import chess

from movegen.fen import FILES, SQUARES, quoted

MOST_PAWNS, MOST_PIECES, LONGEST_FEN, MOST_COUNTER = 8, 16, 200, 9999
COLOURS = ((chess.WHITE, "White"), (chess.BLACK, "Black"))
FIRST_RANKS = {chess.WHITE: 0, chess.BLACK: 7}  # their first ranks
CASTLING = re.compile(r"-|[KQkqA-Ha-h]{1,4}")


def problems_of(fen: str, chess960: bool = False) -> list[str]:
    """All reasons why a position cannot be played as it is; empty if it can be. Fields at the end may be missing."""
    fields = fen.split()
    if not 2 <= len(fields) <= 6 or len(fen) > LONGEST_FEN:
        return ["a FEN has six fields: board, side to move, castling, en passant, and two counters"]
    board_text, side, castling, en_passant, *counters = [*fields, *("w", "-", "-")[len(fields) - 1 :]]
    board = chess.Board.empty()
    try:
        board.set_board_fen(board_text.replace("~", ""))
    except ValueError:
        return [f"the board field cannot be read: {quoted(board_text)}"]
    board.turn, board.chess960 = side != "b", chess960
    return [
        *_of_pieces(board),
        *_of_side(board, side),
        *_of_castling(board, castling),
        *_of_en_passant(board, en_passant),
        *_of_counters(counters),
    ]


def _of_pieces(board: chess.Board) -> Iterator[str]:
    for colour, name in COLOURS:
        kings, pawns = (len(board.pieces(piece, colour)) for piece in (chess.KING, chess.PAWN))
        pieces = board.occupied_co[colour].bit_count()
        if kings != 1:
            yield f"{name} has no king" if kings == 0 else f"{name} has {kings} kings"
        if pawns > MOST_PAWNS:
            yield f"{name} has {pawns} pawns; there can be at most {MOST_PAWNS}"
        if pieces > MOST_PIECES:
            yield f"{name} has {pieces} pieces; there can be at most {MOST_PIECES}"
    wrong = chess.SquareSet(board.pawns & chess.BB_BACKRANKS)
    if wrong:
        names = ", ".join(map(chess.square_name, wrong))
        yield f"no pawn can stand on the first or the last rank ({names})"


def _of_side(board: chess.Board, side: str) -> Iterator[str]:
    if side not in ("w", "b"):
        yield f"the side to move must be 'w' or 'b', not {quoted(side)}"
        return
    waiting = not board.turn
    name, mover = ("White", "Black") if waiting else ("Black", "White")
    attackers = chess.SquareSet()
    for king in board.pieces(chess.KING, waiting):
        attackers |= board.attackers(board.turn, king)
    if attackers:
        names = ", ".join(map(chess.square_name, attackers))
        yield f"{name} is in check (from {names}), but it is {mover}'s move"


def _of_castling(board: chess.Board, text: str) -> Iterator[str]:
    if not CASTLING.fullmatch(text):
        yield f"the castling field must be '-' or up to four of KQkq (or files of rooks), not {quoted(text)}"
        return
    named: dict[tuple[bool, bool], set[int]] = {}  # colour, to the right of the king -> rooks
    for letter in dict.fromkeys(text.replace("-", "")):
        problem = _of_right(board, letter) if board.chess960 else _of_standard_right(board, letter)
        if problem:
            yield f"{_cannot_castle(letter)}: {problem}"
        elif letter.lower() not in "kq":
            rook = chess.square(FILES.index(letter.lower()), FIRST_RANKS[letter.isupper()])
            side = letter.isupper(), any(rook > king for king in board.pieces(chess.KING, letter.isupper()))
            named.setdefault(side, set()).add(rook)
    for rooks in named.values():
        if len(rooks) > 1:
            names = " and ".join(map(chess.square_name, sorted(rooks)))
            yield f"only one of the rooks on {names} can have the right to castle"


def _cannot_castle(letter: str) -> str:
    side = {"k": "short", "q": "long"}.get(letter.lower(), f"with the rook on the {letter.lower()}-file")
    return f"{'White' if letter.isupper() else 'Black'} cannot castle {side}"


def _on_first_rank(board: chess.Board, piece: chess.PieceType, colour: chess.Color) -> list[int]:
    return [square for square in board.pieces(piece, colour) if chess.square_rank(square) == FIRST_RANKS[colour]]


def _of_right(board: chess.Board, letter: str) -> str:
    """What is missing for a right of Chess960."""
    colour = letter.isupper()
    kings, rooks = (_on_first_rank(board, piece, colour) for piece in (chess.KING, chess.ROOK))
    if not kings:
        return "the king is not on its first rank"
    if letter.lower() in "kq":
        is_there = any((rook > kings[0]) == (letter.lower() == "k") for rook in rooks)
        return "" if is_there else "there is no rook on that side of the king, on the first rank"
    is_there = chess.square(FILES.index(letter.lower()), FIRST_RANKS[colour]) in rooks
    return "" if is_there else "there is none on the first rank"


def _of_standard_right(board: chess.Board, letter: str) -> str:
    """What is missing for a right of standard chess."""
    colour = letter.isupper()
    kings, rooks = (_on_first_rank(board, piece, colour) for piece in (chess.KING, chess.ROOK))
    king = chess.square(4, FIRST_RANKS[colour])
    file = {"k": 7, "q": 0}.get(letter.lower(), FILES.find(letter.lower()))
    rook, missing = chess.square(file, FIRST_RANKS[colour]), []
    if king not in kings:
        missing.append(f"the king is not on {chess.square_name(king)}")
    if rook not in rooks or file not in (0, 7):
        missing.append(f"there is no rook to castle with on {chess.square_name(rook)}")
    return " and ".join(missing)


def _of_en_passant(board: chess.Board, text: str) -> Iterator[str]:
    if text == "-":
        return
    square = SQUARES.get(text)
    if square is None:
        yield f"the en-passant field must be '-' or a square, not {quoted(text)}"
        return
    forward = 8 if board.turn else -8
    jumped = (
        chess.square_rank(square) == (5 if board.turn else 2)
        and board.piece_at(square - forward) == chess.Piece(chess.PAWN, not board.turn)
        and board.piece_at(square) is None
        and board.piece_at(square + forward) is None
    )
    if not jumped:
        yield f"no pawn can be captured en passant on {text}: none has just jumped over it"


def _of_counters(counters: list[str]) -> Iterator[str]:
    for text, name, least in zip(counters, ("half-move clock", "move number"), (0, 1), strict=False):
        if not (text.isascii() and text.isdigit() and len(text) <= 6 and least <= int(text) <= MOST_COUNTER):
            yield f"the {name} must be a whole number from {least} to {MOST_COUNTER}, not {quoted(text)}"
