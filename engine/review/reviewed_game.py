"""A game and what was judged of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.pgn.game_file import FoundGame
from engine.pgn.python_chess import board_uci, position_of
from engine.report.rows import DIGITS
from engine.review.judge import Judge, Judged
from engine.review.severity import Severity
from movegen import Position

if TYPE_CHECKING:
    import chess.pgn

SIDES = ("white", "black")


@dataclass
class Review:
    """A game; `moves` grows while it is judged."""

    found: FoundGame
    game: "chess.pgn.Game"
    start: Position | None = None  # None: it cannot be judged
    codes: list[int] = field(default_factory=list)
    note: str = ""  # what is wrong with the game
    rest: str = ""  # the first move that cannot be played, and all after it
    moves: list[Judged] = field(default_factory=list)

    @classmethod
    def of(cls, found: FoundGame) -> "Review":
        """A game to be judged, as far as it can be played."""
        read = found.read()
        review = cls(found, read.game, note=read.problem, rest=read.rest)
        if not read.can_start:
            return review
        try:
            board = read.game.board()
            position = review.start = position_of(board)
            for uci in board_uci(board, list(read.game.mainline_moves())):
                code = position.code(uci)
                position = position.play(code)
                review.codes.append(code)
        except ValueError as error:
            review.note = str(error)
        return review

    def run(self, judge: Judge) -> Iterator[None]:
        """Judge the moves, one with each step."""
        if self.start is None:
            return
        for judged in judge.moves(self.start, self.codes):
            self.moves.append(judged)
            yield

    def player(self, side: str) -> dict[str, Any]:
        """The sums of a player."""
        own = [move for move in self.moves if move.turn == side]
        counts = {str(one): sum(move.severity is one for move in own) for one in Severity if one}
        loss = round(sum(move.loss for move in own) / len(own), DIGITS) if own else None
        name = self.game.headers.get(side.capitalize(), "?")
        return {"name": name, "moves": len(own), "average_loss": loss, **counts}

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "headers": dict(self.game.headers),
            "note": self.note,
            "is_complete": self.start is not None and len(self.moves) == len(self.codes),
            "players": {side: self.player(side) for side in SIDES},
            "moves": [move.data() for move in self.moves],
        }
