"""Why a move is not legal, in words. Each reason is true by itself; of several the first by the rules is given."""

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.explain.pieces import PIECE_NAMES, Pieces, attacking_squares, between, moves_like, named, steps
from movegen import Position
from movegen.fen import SQUARE_NAMES, SQUARES, Setup, quoted, read_fen
from movegen.geometry import KING_TARGETS, ROOK_TARGETS
from movegen.notation import CASTLING_TEXTS, SAN, UCI


class Fault(StrEnum):
    """What is wrong with a move."""

    UNREADABLE = "unreadable"
    AMBIGUOUS = "ambiguous"
    NO_PIECE = "no piece"
    OPPONENTS_PIECE = "opponent's piece"
    OWN_PIECE_THERE = "own piece there"
    NOT_LIKE_THAT = "does not move like that"
    BLOCKED = "blocked"
    NOTHING_TO_CAPTURE = "nothing to capture"
    PROMOTION_MISSING = "promotion missing"
    NO_PROMOTION = "no promotion"
    IN_CHECK = "in check"
    PINNED = "pinned"
    KING_ATTACKED = "square attacked"
    EN_PASSANT_OPENS = "en passant opens a line"
    NO_CASTLING_RIGHT = "no castling right"
    CASTLING_BLOCKED = "castling blocked"
    CASTLING_IN_CHECK = "castling in check"
    CASTLING_THROUGH_CHECK = "castling through check"


# Of several pieces that cannot go there, the answer is about the one that comes nearest to it.
NEARNESS = (
    Fault.PINNED,
    Fault.EN_PASSANT_OPENS,
    Fault.IN_CHECK,
    Fault.KING_ATTACKED,
    Fault.PROMOTION_MISSING,
    Fault.NO_PROMOTION,
    Fault.OWN_PIECE_THERE,
    Fault.BLOCKED,
    Fault.NOTHING_TO_CAPTURE,
    Fault.NOT_LIKE_THAT,
)


@dataclass(frozen=True)
class Objection:
    """Why a move cannot be played."""

    fault: Fault
    text: str


def objection(position: Position, text: str) -> Objection | None:
    """What is wrong with a move in UCI notation or SAN; None if it is legal."""
    if position.is_legal(text):
        return None
    board, bare = _Board(position), text.rstrip("+#!?")
    if bare in CASTLING_TEXTS:
        return board.castling(short=CASTLING_TEXTS[bare])
    if UCI.fullmatch(text):
        return board.move(SQUARES[text[:2]], SQUARES[text[2:4]], text[4:])
    match = SAN.fullmatch(bare)
    if match is None:
        return Objection(Fault.UNREADABLE, f"{quoted(text)} is not a move in UCI notation or SAN")
    return _of_san(board, text, match)


def _of_san(board: "_Board", text: str, match: re.Match[str]) -> Objection:
    letter, file, rank, name, promotion = match.groups()
    piece_type, target = (letter or "P").lower(), SQUARES[name]
    piece_name = PIECE_NAMES[piece_type]
    starts = [
        square
        for square, piece in board.pieces.items()
        if piece.lower() == piece_type
        and piece.isupper() == board.white
        and SQUARE_NAMES[square].startswith(file)
        and SQUARE_NAMES[square].endswith(rank)
    ]
    where = f" on {file}{rank}" if file or rank else ""
    if not starts:
        return Objection(Fault.NO_PIECE, f"{board.mover} has no {piece_name}{where}")
    found = {start: board.move(start, target, (promotion or "").lower()) for start in starts}
    legal = [start for start, wrong in found.items() if wrong is None]
    if len(legal) > 1:
        choices = " or ".join(SQUARE_NAMES[start] for start in legal)
        return Objection(Fault.AMBIGUOUS, f"{quoted(text)} may be the {piece_name} on {choices}: say which")
    wrongs = [wrong for wrong in found.values() if wrong is not None]
    nearest = min(wrongs, key=lambda wrong: NEARNESS.index(wrong.fault))
    if nearest.fault is Fault.NOT_LIKE_THAT and len(starts) > 1:
        return Objection(Fault.NOT_LIKE_THAT, f"no {piece_name} of {board.mover}{where} reaches {name}")
    return nearest


class _Board:
    """A position whose pieces have names."""

    def __init__(self, position: Position) -> None:
        setup: Setup = read_fen(position.fen(), chess960=position.chess960)
        self.pieces, self.white, self.chess960 = setup.pieces, setup.white_to_move, position.chess960
        self.en_passant, self.rooks = setup.en_passant, setup.castling_rooks
        self.mover, self.waiting = ("White", "Black") if self.white else ("Black", "White")
        self.king = setup.king_of(self.white)

    def move(self, start: int, target: int, promotion: str) -> Objection | None:
        """What is wrong with a move from one square to another; None if nothing is."""
        if start not in self.pieces:
            return Objection(Fault.NO_PIECE, f"there is no piece on {SQUARE_NAMES[start]}")
        if self.pieces[start].isupper() != self.white:
            text = f"{named(self.pieces, start)} is {self.waiting}'s, and it is {self.mover}'s move"
            return Objection(Fault.OPPONENTS_PIECE, text)
        if self._is_castling(start, target):
            return self.castling(short=target > start)
        return (
            self._wrong_way(start, target)
            or self._wrong_promotion(start, target, promotion)
            or self._king_in_danger(start, target)
        )

    # How pieces move

    def _wrong_way(self, start: int, target: int) -> Objection | None:
        if start == target:
            return Objection(Fault.NOT_LIKE_THAT, "a move must lead to another square")
        letter, other = self.pieces[start], self.pieces.get(target)
        if not (moves_like(letter, start, target) or self._is_pawn_move(start, target)):
            return self._not_like_that(start, target)
        if other is not None and other.isupper() == self.white:
            text = f"{self.mover}'s own {PIECE_NAMES[other.lower()]} is on {SQUARE_NAMES[target]}"
            return Objection(Fault.OWN_PIECE_THERE, text)
        way = between(start, target)
        if letter in "pP":
            if start % 8 == target % 8:
                way.append(target)
            elif other is None and target != self.en_passant:
                text = (
                    f"pawns move diagonally only to capture, and there is nothing to capture on {SQUARE_NAMES[target]}"
                )
                return Objection(Fault.NOTHING_TO_CAPTURE, text)
        in_the_way = next((square for square in way if square in self.pieces), None)
        return None if in_the_way is None else self._blocked(in_the_way)

    def _is_pawn_move(self, start: int, target: int) -> bool:
        """Is it a pawn that moves one step ahead or diagonally, or two from its first square?"""
        files, ranks = steps(start, target)
        forward, first_rank = (ranks, 1) if self.white else (-ranks, 6)
        is_double = (files, forward) == (0, 2) and start // 8 == first_rank
        return self.pieces[start] in "pP" and (is_double or (abs(files) <= 1 and forward == 1))

    def _not_like_that(self, start: int, target: int) -> Objection:
        name = PIECE_NAMES[self.pieces[start].lower()]
        text = f"a {name} does not move from {SQUARE_NAMES[start]} to {SQUARE_NAMES[target]}"
        return Objection(Fault.NOT_LIKE_THAT, text)

    def _blocked(self, square: int) -> Objection:
        return Objection(Fault.BLOCKED, f"{named(self.pieces, square)} is in the way")

    def _wrong_promotion(self, start: int, target: int, promotion: str) -> Objection | None:
        is_due = self.pieces[start] in "pP" and target // 8 in (0, 7)
        if is_due and not promotion:
            return Objection(Fault.PROMOTION_MISSING, "the pawn is promoted: say to what (q, r, b or n)")
        if promotion and not is_due:
            return Objection(Fault.NO_PROMOTION, "only a pawn that reaches the last rank is promoted")
        return None

    # The king

    def _king_in_danger(self, start: int, target: int) -> Objection | None:
        after = self._after(start, target)
        king = target if start == self.king else self.king
        danger = next(attacking_squares(after, king, not self.white), None)
        if danger is None:
            return None
        if start == self.king:
            text = f"{SQUARE_NAMES[target]} is attacked by {named(after, danger)}"
            return Objection(Fault.KING_ATTACKED, text)
        checkers = [square for square in attacking_squares(self.pieces, self.king, not self.white) if square in after]
        still = [square for square in checkers if square in attacking_squares(after, king, not self.white)]
        if still:
            text = f"the king is in check from {named(self.pieces, still[0])}, and the move does not stop it"
            return Objection(Fault.IN_CHECK, text)
        if len(after) < len(self.pieces) and target not in self.pieces:
            text = f"capturing en passant would let {named(after, danger)} attack the king"
            return Objection(Fault.EN_PASSANT_OPENS, text)
        text = f"{named(self.pieces, start)} is pinned: {named(after, danger)} would attack the king"
        return Objection(Fault.PINNED, text)

    def _after(self, start: int, target: int) -> Pieces:
        """The pieces after a move; what a promoted pawn becomes does not matter here."""
        after = dict(self.pieces)
        letter = after.pop(start)
        if letter in "pP" and target == self.en_passant and start % 8 != target % 8:
            after.pop(start // 8 * 8 + target % 8)
        after[target] = letter
        return after

    # Castling

    def _is_castling(self, start: int, target: int) -> bool:
        """Is a move meant as castling: the king moves two files along its first rank, or to a rook to castle with?"""
        if start != self.king or target // 8 != self._home // 8 or start // 8 != self._home // 8:
            return False
        return target in self.rooks or (start % 8 == 4 and abs(target - start) == 2 and not self.chess960)

    @property
    def _home(self) -> int:
        """The first square of the mover's first rank."""
        return 0 if self.white else 56

    def castling(self, short: bool) -> Objection | None:
        """What is wrong with castling to one side."""
        side = "short" if short else "long"
        rook = next((square for square in self.rooks if self._is_rook_of(square, short)), None)
        if rook is None:
            text = f"{self.mover} has no right to castle {side}"
            return Objection(Fault.NO_CASTLING_RIGHT, text)
        checker = next(attacking_squares(self.pieces, self.king, not self.white), None)
        if checker is not None:
            text = f"the king is in check from {named(self.pieces, checker)}, and may not castle out of it"
            return Objection(Fault.CASTLING_IN_CHECK, text)
        targets = self._home + KING_TARGETS[side], self._home + ROOK_TARGETS[side]
        return self._castling_blocked(rook, targets) or self._castling_through_check(rook, targets)

    def _is_rook_of(self, square: int, short: bool) -> bool:
        return square // 8 == self._home // 8 and (square > self.king) == short

    def _castling_blocked(self, rook: int, targets: tuple[int, int]) -> Objection | None:
        ways = (*between(self.king, targets[0]), targets[0], *between(rook, targets[1]), targets[1])
        for square in ways:
            if square in self.pieces and square not in (self.king, rook):
                text = f"{named(self.pieces, square)} is in the way"
                return Objection(Fault.CASTLING_BLOCKED, text)
        return None

    def _castling_through_check(self, rook: int, targets: tuple[int, int]) -> Objection | None:
        without_king = {square: piece for square, piece in self.pieces.items() if square != self.king}
        after = {square: piece for square, piece in without_king.items() if square != rook}
        after[targets[1]] = self.pieces[rook]
        passed = [(square, without_king) for square in between(self.king, targets[0])]
        for square, pieces in (*passed, (targets[0], after)):
            attacker = next(attacking_squares(pieces, square, not self.white), None)
            if attacker is not None:
                how = "comes to" if square == targets[0] else "passes"
                text = f"the king {how} {SQUARE_NAMES[square]}, which is attacked by {named(pieces, attacker)}"
                return Objection(Fault.CASTLING_THROUGH_CHECK, text)
        return None
