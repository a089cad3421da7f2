"""Why a move is not legal, in words. Each reason is true by itself; of several the first by the rules is given."""

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.explain.pieces import NAMES, Pieces, attackers, between, moves_like, named, steps
from movegen import Position
from movegen.fen import SQUARE_NAMES, SQUARES, Setup, quoted, read_fen
from movegen.notation import CASTLING_TEXTS, SAN, UCI
from movegen.tables import KING_TARGETS, ROOK_TARGETS


class Kind(StrEnum):
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
    Kind.PINNED,
    Kind.EN_PASSANT_OPENS,
    Kind.IN_CHECK,
    Kind.KING_ATTACKED,
    Kind.PROMOTION_MISSING,
    Kind.NO_PROMOTION,
    Kind.OWN_PIECE_THERE,
    Kind.BLOCKED,
    Kind.NOTHING_TO_CAPTURE,
    Kind.NOT_LIKE_THAT,
)


@dataclass(frozen=True)
class Objection:
    """Why a move cannot be played."""

    kind: Kind
    text: str
    square: str | None = None  # of the piece that is in the way, pins, checks or attacks


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
        return Objection(Kind.UNREADABLE, f"{quoted(text)} is not a move in UCI notation or SAN")
    return _of_san(board, text, match)


def _of_san(board: "_Board", text: str, match: re.Match[str]) -> Objection:
    letter, file, rank, target, promotion = match.groups()
    kind, goal = (letter or "P").lower(), SQUARES[target]
    starts = [
        square
        for square, piece in board.pieces.items()
        if piece.lower() == kind
        and piece.isupper() == board.white
        and SQUARE_NAMES[square].startswith(file)
        and SQUARE_NAMES[square].endswith(rank)
    ]
    where = f" on {file}{rank}" if file or rank else ""
    if not starts:
        return Objection(Kind.NO_PIECE, f"{board.mover} has no {NAMES[kind]}{where}")
    found = {start: board.move(start, goal, (promotion or "").lower()) for start in starts}
    legal = [start for start, wrong in found.items() if wrong is None]
    if len(legal) > 1:
        choices = " or ".join(SQUARE_NAMES[start] for start in legal)
        return Objection(Kind.AMBIGUOUS, f"{quoted(text)} may be the {NAMES[kind]} on {choices}: say which")
    wrongs = [wrong for wrong in found.values() if wrong is not None]
    nearest = min(wrongs, key=lambda wrong: NEARNESS.index(wrong.kind))
    if nearest.kind is Kind.NOT_LIKE_THAT and len(starts) > 1:
        return Objection(Kind.NOT_LIKE_THAT, f"no {NAMES[kind]} of {board.mover}{where} reaches {target}")
    return nearest


class _Board:
    """A position whose pieces have names."""

    def __init__(self, position: Position) -> None:
        setup: Setup = read_fen(position.fen(), chess960=position.chess960)
        self.pieces, self.white, self.chess960 = setup.pieces, setup.white_to_move, position.chess960
        self.en_passant, self.rooks = setup.en_passant, setup.castling_rooks
        self.mover, self.waiting = ("White", "Black") if self.white else ("Black", "White")
        self.king = setup.king_of(self.white)

    def move(self, start: int, goal: int, promotion: str) -> Objection | None:
        """What is wrong with a move from one square to another; None if nothing is."""
        if start not in self.pieces:
            return Objection(Kind.NO_PIECE, f"there is no piece on {SQUARE_NAMES[start]}")
        if self.pieces[start].isupper() != self.white:
            text = f"{named(self.pieces, start)} is {self.waiting}'s, and it is {self.mover}'s move"
            return Objection(Kind.OPPONENTS_PIECE, text)
        if self._is_castling(start, goal):
            return self.castling(short=goal > start)
        return (
            self._wrong_way(start, goal)
            or self._wrong_promotion(start, goal, promotion)
            or self._king_in_danger(start, goal)
        )

    # How pieces move

    def _wrong_way(self, start: int, goal: int) -> Objection | None:
        if start == goal:
            return Objection(Kind.NOT_LIKE_THAT, "a move must lead to another square")
        letter, other = self.pieces[start], self.pieces.get(goal)
        if not (moves_like(letter, start, goal) or self._is_pawn_move(start, goal)):
            return self._not_like_that(start, goal)
        if other is not None and other.isupper() == self.white:
            text = f"{self.mover}'s own {NAMES[other.lower()]} is on {SQUARE_NAMES[goal]}"
            return Objection(Kind.OWN_PIECE_THERE, text, SQUARE_NAMES[goal])
        way = between(start, goal)
        if letter in "pP":
            if start % 8 == goal % 8:
                way.append(goal)
            elif other is None and goal != self.en_passant:
                text = f"pawns move diagonally only to capture, and there is nothing to capture on {SQUARE_NAMES[goal]}"
                return Objection(Kind.NOTHING_TO_CAPTURE, text)
        in_the_way = next((square for square in way if square in self.pieces), None)
        return None if in_the_way is None else self._blocked(in_the_way)

    def _is_pawn_move(self, start: int, goal: int) -> bool:
        """Is it a pawn that moves one step ahead or diagonally, or two from its first square?"""
        files, ranks = steps(start, goal)
        forward, first_rank = (ranks, 1) if self.white else (-ranks, 6)
        is_double = (files, forward) == (0, 2) and start // 8 == first_rank
        return self.pieces[start] in "pP" and (is_double or (abs(files) <= 1 and forward == 1))

    def _not_like_that(self, start: int, goal: int) -> Objection:
        name = NAMES[self.pieces[start].lower()]
        text = f"a {name} does not move from {SQUARE_NAMES[start]} to {SQUARE_NAMES[goal]}"
        return Objection(Kind.NOT_LIKE_THAT, text)

    def _blocked(self, square: int) -> Objection:
        return Objection(Kind.BLOCKED, f"{named(self.pieces, square)} is in the way", SQUARE_NAMES[square])

    def _wrong_promotion(self, start: int, goal: int, promotion: str) -> Objection | None:
        is_due = self.pieces[start] in "pP" and goal // 8 in (0, 7)
        if is_due and not promotion:
            return Objection(Kind.PROMOTION_MISSING, "the pawn is promoted: say to what (q, r, b or n)")
        if promotion and not is_due:
            return Objection(Kind.NO_PROMOTION, "only a pawn that reaches the last rank is promoted")
        return None

    # The king

    def _king_in_danger(self, start: int, goal: int) -> Objection | None:
        after = self._after(start, goal)
        king = goal if start == self.king else self.king
        danger = next(attackers(after, king, not self.white), None)
        if danger is None:
            return None
        name = SQUARE_NAMES[danger]
        if start == self.king:
            text = f"{SQUARE_NAMES[goal]} is attacked by {named(after, danger)}"
            return Objection(Kind.KING_ATTACKED, text, name)
        checkers = [square for square in attackers(self.pieces, self.king, not self.white) if square in after]
        still = [square for square in checkers if square in attackers(after, king, not self.white)]
        if still:
            text = f"the king is in check from {named(self.pieces, still[0])}, and the move does not stop it"
            return Objection(Kind.IN_CHECK, text, SQUARE_NAMES[still[0]])
        if len(after) < len(self.pieces) and goal not in self.pieces:
            text = f"capturing en passant would let {named(after, danger)} attack the king"
            return Objection(Kind.EN_PASSANT_OPENS, text, name)
        text = f"{named(self.pieces, start)} is pinned: {named(after, danger)} would attack the king"
        return Objection(Kind.PINNED, text, name)

    def _after(self, start: int, goal: int) -> Pieces:
        """The pieces after a move; what a promoted pawn becomes does not matter here."""
        after = dict(self.pieces)
        letter = after.pop(start)
        if letter in "pP" and goal == self.en_passant and start % 8 != goal % 8:
            after.pop(start // 8 * 8 + goal % 8)
        after[goal] = letter
        return after

    # Castling

    def _is_castling(self, start: int, goal: int) -> bool:
        """Is a move meant as castling: the king moves two files along its first rank, or to a rook to castle with?"""
        if start != self.king or goal // 8 != self._home // 8 or start // 8 != self._home // 8:
            return False
        return goal in self.rooks or (start % 8 == 4 and abs(goal - start) == 2 and not self.chess960)

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
            return Objection(Kind.NO_CASTLING_RIGHT, text)
        checker = next(attackers(self.pieces, self.king, not self.white), None)
        if checker is not None:
            text = f"the king is in check from {named(self.pieces, checker)}, and may not castle out of it"
            return Objection(Kind.CASTLING_IN_CHECK, text, SQUARE_NAMES[checker])
        goals = self._home + KING_TARGETS[side], self._home + ROOK_TARGETS[side]
        return self._castling_blocked(rook, goals) or self._castling_through_check(rook, goals)

    def _is_rook_of(self, square: int, short: bool) -> bool:
        return square // 8 == self._home // 8 and (square > self.king) == short

    def _castling_blocked(self, rook: int, goals: tuple[int, int]) -> Objection | None:
        ways = (*between(self.king, goals[0]), goals[0], *between(rook, goals[1]), goals[1])
        for square in ways:
            if square in self.pieces and square not in (self.king, rook):
                text = f"{named(self.pieces, square)} is in the way"
                return Objection(Kind.CASTLING_BLOCKED, text, SQUARE_NAMES[square])
        return None

    def _castling_through_check(self, rook: int, goals: tuple[int, int]) -> Objection | None:
        without_king = {square: piece for square, piece in self.pieces.items() if square != self.king}
        after = {square: piece for square, piece in without_king.items() if square != rook}
        after[goals[1]] = self.pieces[rook]
        passed = [(square, without_king) for square in between(self.king, goals[0])]
        for square, pieces in (*passed, (goals[0], after)):
            attacker = next(attackers(pieces, square, not self.white), None)
            if attacker is not None:
                how = "comes to" if square == goals[0] else "passes"
                text = f"the king {how} {SQUARE_NAMES[square]}, which is attacked by {named(pieces, attacker)}"
                return Objection(Kind.CASTLING_THROUGH_CHECK, text, SQUARE_NAMES[attacker])
        return None
