"""What a move gives up: the material that the opponent can take then, by captures on one square.

The cheapest piece captures first, and a side stops when going on would lose; captures that pins or checks forbid do not
count. In plain Python, as it is asked for a move of a game, not in a search.
"""

from engine.review.marks import LEAST_GIVEN_UP
from movegen import Position

WORTH = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 100}


def given_up(position: Position, uci: str) -> int:
    """Pawns' worth that a move gives up and that another move would keep; less than 0 if it wins them; 0 if little."""
    lost = _lost(position, uci)
    if lost < LEAST_GIVEN_UP:
        return lost if lost <= -LEAST_GIVEN_UP else 0
    least = min((_lost(position, other) for other in position.legal_moves if other != uci), default=lost)
    return lost - max(0, least) if lost - max(0, least) >= LEAST_GIVEN_UP else 0


def _lost(position: Position, uci: str) -> int:
    """What the opponent can win after a move, less what the move wins at once."""
    return most_won(position.play(uci)) - _gain(pieces_of(position), uci, is_castling=_is_castling(position, uci))


def most_won(position: Position) -> int:
    """The most that the player to move wins by captures on one square."""
    pieces = pieces_of(position)
    targets = {uci[2:4] for uci in position.legal_moves if _is_capture(pieces, uci)}
    return max((_won_on(position, target) for target in targets), default=0)


def _won_on(position: Position, target: str) -> int:
    """What the player to move wins by captures on a square, at least 0."""
    pieces = pieces_of(position)
    captures = [uci for uci in position.legal_moves if uci[2:4] == target and _is_capture(pieces, uci)]
    if not captures:
        return 0
    cheapest = min(captures, key=lambda uci: (WORTH[pieces[uci[:2]].lower()], -_gain(pieces, uci)))
    return max(0, _gain(pieces, cheapest) - _won_on(position.play(cheapest), target))


def _is_capture(pieces: dict[str, str], uci: str) -> bool:
    """Also en passant; castling is written as king takes rook in Chess960."""
    own, other = pieces[uci[:2]], pieces.get(uci[2:4])
    if other is None:
        return own.lower() == "p" and uci[0] != uci[2]
    return own.isupper() != other.isupper()


def _is_castling(position: Position, uci: str) -> bool:
    return position.san(uci).startswith("O-O")


def _gain(pieces: dict[str, str], uci: str, *, is_castling: bool = False) -> int:
    """What a move wins at once: a captured piece, and what a pawn becomes."""
    if is_castling:
        return 0
    gain = WORTH[pieces.get(uci[2:4], "p").lower()] if _is_capture(pieces, uci) else 0
    return gain + (WORTH[uci[4]] - WORTH["p"] if len(uci) == 5 else 0)


def pieces_of(position: Position) -> dict[str, str]:
    """Square -> piece, upper case for White."""
    pieces = {}
    for rank, row in zip("87654321", position.fen().split()[0].split("/"), strict=True):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                pieces["abcdefgh"[file] + rank] = sign
                file += 1
    return pieces
