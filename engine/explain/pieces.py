"""How pieces move, in plain Python: slow, but it names the piece in the way. Squares are numbers, a1 = 0."""

from collections.abc import Iterator

from movegen.fen import SQUARE_NAMES

PIECE_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
Pieces = dict[int, str]  # square -> letter, upper case for White


def steps(start: int, target: int) -> tuple[int, int]:
    """Files and ranks from one square to another."""
    return target % 8 - start % 8, target // 8 - start // 8


def between(start: int, target: int) -> list[int]:
    """The squares between two on a line, nearest to the first one first; none if they are on no line."""
    files, ranks = steps(start, target)
    length = max(abs(files), abs(ranks))
    if length == 0 or (files and ranks and abs(files) != abs(ranks)):
        return []
    step = files // length + 8 * (ranks // length)
    return [start + step * number for number in range(1, length)]


def moves_like(letter: str, start: int, target: int) -> bool:
    """Does a piece other than a pawn move from one square to another, were the board empty?"""
    files, ranks = steps(start, target)
    kind, sizes = letter.lower(), (abs(files), abs(ranks))
    if kind == "n":
        return sizes in ((1, 2), (2, 1))
    if kind == "k":
        return max(sizes) == 1
    is_straight, is_diagonal = 0 in sizes and sizes != (0, 0), sizes[0] == sizes[1] > 0
    return (is_straight and kind in "rq") or (is_diagonal and kind in "bq")


def can_attack(pieces: Pieces, start: int, target: int) -> bool:
    """Does the piece on one square attack another?"""
    letter = pieces[start]
    if letter in "pP":
        files, ranks = steps(start, target)
        return abs(files) == 1 and ranks == (1 if letter == "P" else -1)
    return moves_like(letter, start, target) and first_between(pieces, start, target) is None


def first_between(pieces: Pieces, start: int, target: int) -> int | None:
    """The first piece between two squares."""
    return next((square for square in between(start, target) if square in pieces), None)


def attacking_squares(pieces: Pieces, target: int, white: bool) -> Iterator[int]:
    """The squares of one colour's pieces that attack a square."""
    for square, letter in pieces.items():
        if letter.isupper() == white and can_attack(pieces, square, target):
            yield square


def named(pieces: Pieces, square: int) -> str:
    """`the rook on e8`."""
    return f"the {PIECE_NAMES[pieces[square].lower()]} on {SQUARE_NAMES[square]}"
