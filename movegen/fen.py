"""Reading and writing FEN, in plain Python. Input from outside is checked here and nowhere else.

A position that cannot be played is refused with a `ValueError` that names the field and the reason.
Harmless errors are repaired, and each repair is reported in one sentence.
"""

import re
from dataclasses import dataclass, field

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

PIECE_LETTERS = "pnbrqk"
FILES = "abcdefgh"
MAX_COUNTER = 9999

SQUARE_NAMES = [file + rank for rank in "12345678" for file in FILES]
SQUARES = {name: number for number, name in enumerate(SQUARE_NAMES)}


@dataclass
class Setup:
    """The content of a FEN: White's view, squares as numbers (a1 = 0)."""

    pieces: dict[int, str] = field(default_factory=dict)  # square -> letter, upper case for White
    white_to_move: bool = True
    castling_rooks: set[int] = field(default_factory=set)
    en_passant: int | None = None
    halfmove_clock: int = 0
    fullmove_number: int = 1
    repairs: list[str] = field(default_factory=list)

    def pieces_of(self, white: bool) -> dict[int, str]:
        """The pieces of one colour."""
        return {square: letter for square, letter in self.pieces.items() if letter.isupper() == white}

    def king_of(self, white: bool) -> int:
        """The square of a king."""
        return next(square for square, letter in self.pieces.items() if letter == ("K" if white else "k"))

    def home_rooks(self, white: bool) -> list[int]:
        """The squares of the rooks on the first rank of their side."""
        letter, rank = ("R", 0) if white else ("r", 7)
        return [square for square, piece in self.pieces.items() if piece == letter and square // 8 == rank]


def read_fen(text: str, chess960: bool = False) -> Setup:
    """Read a FEN (or the four fields of an EPD) strictly. Checks are not tested here."""
    fields = text.split()
    if not fields:
        raise ValueError("FEN is empty")
    if len(fields) < 2:
        raise ValueError("side field is missing: 'w' or 'b' must follow the board")
    if len(fields) > 6:
        raise ValueError(f"FEN has {len(fields)} fields instead of 6: {quoted(fields[6])} is too much")
    board = re.sub("(?<=[A-Za-z])~", "", fields[0])
    setup = Setup(pieces=_read_board(board), white_to_move=_read_side(fields[1]))
    if board != fields[0]:
        setup.repairs.append("board field: marks of promoted pieces (~) dropped")
    _check_pieces(setup)
    _read_castling(setup, _optional(setup, fields, 2, "castling", "-"), chess960)
    _read_en_passant(setup, _optional(setup, fields, 3, "en-passant", "-"))
    setup.halfmove_clock = _read_counter(setup, _optional(setup, fields, 4, "half-move", "0"), "half-move", 0)
    setup.fullmove_number = _read_counter(setup, _optional(setup, fields, 5, "full-move", "1"), "full-move", 1)
    return setup


def write_fen(setup: Setup, shredder: bool = False) -> str:
    """Write a FEN; castling rights as X-FEN (KQkq where that is clear), or as the files of the rooks."""
    return " ".join(
        (
            _write_board(setup.pieces),
            "w" if setup.white_to_move else "b",
            _write_castling(setup, shredder),
            "-" if setup.en_passant is None else SQUARE_NAMES[setup.en_passant],
            str(setup.halfmove_clock),
            str(setup.fullmove_number),
        )
    )


def quoted(text: str) -> str:
    """Input text for an error message: short, and always printable."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def _optional(setup: Setup, fields: list[str], index: int, name: str, default: str) -> str:
    if index < len(fields):
        return fields[index]
    setup.repairs.append(f"{name} field is missing, taken as {default}")
    return default


def _read_board(text: str) -> dict[int, str]:
    ranks = text.split("/")
    if len(ranks) != 8:
        raise ValueError(f"board field has {len(ranks)} ranks instead of 8: {quoted(text)}")
    pieces: dict[int, str] = {}
    for rank, row in zip(range(7, -1, -1), ranks, strict=True):
        pieces.update(_read_rank(rank, row))
    return pieces


def _read_rank(rank: int, row: str) -> dict[int, str]:
    pieces: dict[int, str] = {}
    file, after_digit = 0, False
    for symbol in row:
        if symbol in "12345678" and not after_digit:
            file += int(symbol)
        elif symbol.lower() in PIECE_LETTERS and symbol.isascii():
            pieces[rank * 8 + file] = symbol
            file += 1
        elif symbol in "12345678":
            raise ValueError(f"board field has two digits in a row in rank {rank + 1}: {quoted(row)}")
        else:
            raise ValueError(f"board field has the unknown symbol {quoted(symbol)} in rank {rank + 1}")
        after_digit = symbol in "12345678"
        if file > 8:
            break
    if file != 8:
        size = "more than 8" if file > 8 else str(file)
        raise ValueError(f"board field has {size} squares instead of 8 in rank {rank + 1}: {quoted(row)}")
    return pieces


def _read_side(text: str) -> bool:
    if text not in ("w", "b"):
        raise ValueError(f"side field must be 'w' or 'b', not {quoted(text)}")
    return text == "w"


def _check_pieces(setup: Setup) -> None:
    """Refuse what cannot occur in a game: kernels rely on it."""
    for white, colour in ((True, "White"), (False, "Black")):
        letters = [letter.lower() for letter in setup.pieces_of(white).values()]
        if letters.count("k") != 1:
            raise ValueError(f"board field has {letters.count('k')} kings for {colour} instead of 1")
        if letters.count("p") > 8:
            raise ValueError(f"board field has {letters.count('p')} pawns for {colour}, more than 8")
        if len(letters) > 16:
            raise ValueError(f"board field has {len(letters)} pieces for {colour}, more than 16")
    for square, letter in setup.pieces.items():
        if letter in "pP" and square // 8 in (0, 7):
            raise ValueError(f"board field has a pawn on {SQUARE_NAMES[square]}, the first or last rank")


def _read_castling(setup: Setup, text: str, chess960: bool) -> None:
    if text == "-":
        return
    if not re.fullmatch(r"[KQkqA-Ha-h]{1,4}", text):
        raise ValueError(f"castling field must be '-' or up to four of KQkq (or rook files), not {quoted(text)}")
    for letter in dict.fromkeys(text):
        rook = _castling_rook(setup, letter, chess960)
        if rook is None:
            hint = "" if chess960 else " (in standard chess: king on e, rook on a or h)"
            setup.repairs.append(f"castling right {letter} dropped: king or rook is not in place{hint}")
        else:
            setup.castling_rooks.add(rook)
    _keep_one_rook_a_side(setup)


def _castling_rook(setup: Setup, letter: str, chess960: bool) -> int | None:
    """The rook that a letter of the castling field means, or None if there is no such right."""
    white = letter.isupper()
    king, home = setup.king_of(white), 0 if white else 56
    if king // 8 * 8 != home:
        return None
    rooks = setup.home_rooks(white)
    side = letter.lower()
    if side == "k":
        rook = max((square for square in rooks if square > king), default=None)
    elif side == "q":
        rook = min((square for square in rooks if square < king), default=None)
    else:
        rook = home + FILES.index(side) if home + FILES.index(side) in rooks else None
    if rook is not None and not chess960 and (king % 8 != 4 or rook % 8 not in (0, 7)):
        return None
    return rook


def _keep_one_rook_a_side(setup: Setup) -> None:
    """Of several rooks on one side of a king, only the outermost can have the right."""
    for white in (True, False):
        king, home = setup.king_of(white), 0 if white else 56
        rooks = sorted(rook for rook in setup.castling_rooks if rook // 8 * 8 == home)
        surplus = (
            set(rooks) - {rook for rook in rooks[:1] if rook < king} - {rook for rook in rooks[-1:] if rook > king}
        )
        for rook in sorted(surplus):
            setup.castling_rooks.discard(rook)
            setup.repairs.append(f"castling right of the rook on {SQUARE_NAMES[rook]} dropped: another is further out")


def _read_en_passant(setup: Setup, text: str) -> None:
    """Only the board is tested here, not whether a pawn can legally capture."""
    if text == "-":
        return
    if text not in SQUARES:
        raise ValueError(f"en-passant field must be '-' or a square, not {quoted(text)}")
    square = SQUARES[text]
    forward = 8 if setup.white_to_move else -8
    enemy_pawn = "p" if setup.white_to_move else "P"
    jumped = (
        square // 8 == (5 if setup.white_to_move else 2)
        and setup.pieces.get(square - forward) == enemy_pawn
        and square not in setup.pieces
        and square + forward not in setup.pieces
    )
    if jumped:
        setup.en_passant = square
    else:
        setup.repairs.append(f"en-passant square {text} dropped: no pawn has just jumped over it")


def _read_counter(setup: Setup, text: str, name: str, lowest: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"{name} field must be a whole number, not {quoted(text)}")
    digits = text.lstrip("+-").lstrip("0")
    value = int(digits or "0") if len(digits) < 6 else 10 * MAX_COUNTER
    value = -value if text.startswith("-") else value
    repaired = min(max(value, lowest), MAX_COUNTER)
    if repaired != value:
        setup.repairs.append(f"{name} field {quoted(text)} is out of range, taken as {repaired}")
    return repaired


def _write_board(pieces: dict[int, str]) -> str:
    rows = []
    for rank in range(7, -1, -1):
        row = "".join(pieces.get(rank * 8 + file, " ") for file in range(8))
        rows.append(re.sub(" +", lambda gap: str(len(gap.group())), row))
    return "/".join(rows)


def _write_castling(setup: Setup, shredder: bool) -> str:
    text = ""
    for white in (True, False):
        home, king = 0 if white else 56, setup.king_of(white)
        rooks = setup.home_rooks(white)
        for rook in sorted((r for r in setup.castling_rooks if r // 8 * 8 == home), reverse=True):
            outermost = rook == (max(rooks) if rook > king else min(rooks))
            letter = FILES[rook % 8] if shredder or not outermost else "k" if rook > king else "q"
            text += letter.upper() if white else letter
    return text or "-"
