"""A game, what was judged of it, and how that is written into its PGN; existing annotations are kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.pgn import annotated
from engine.pgn.annotated import Annotation
from engine.pgn.game_file import FoundGame
from engine.pgn.positions import board_uci, position_of
from engine.review.judge import Judge
from engine.review.judged import Judged, evaluation_of
from engine.review.kept import KeptReview
from engine.review.marks import Severity
from engine.review.numbers import game_numbers
from engine.system.environment import version
from movegen import Position

if TYPE_CHECKING:
    import chess.pgn


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
    clocks: list[float | None] = field(default_factory=list)  # after each move, of the player who made it, in seconds
    is_complete: bool = False

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
            review.clocks = [node.clock() for node in read.game.mainline()]
        except ValueError as error:
            review.note = str(error)
        return review

    @property
    def fault(self) -> str:
        """Why none of its moves can be judged, with file and game; empty if some can be, or if it has none."""
        return f"{self.found.origin}: {self.note}" if self.note and not self.codes else ""

    def run(self, judge: Judge, kept: KeptReview | None = None) -> Iterator[int]:
        """Judge the moves; -> how many searches are left after each step, as far as is known.

        What is kept is not judged again, and what is judged is kept.
        """
        if self.start is None:
            return
        self.moves = [] if kept is None else kept.judged(self.start, self.codes)
        for judged in judge.quick(self.start, self.codes, self.moves):
            self.moves.append(judged)
            if kept is not None:
                kept.add(judged)
            yield len(self.codes) - len(self.moves)
        for judged in judge.deepen(self.start, self.codes, self.moves):
            self.moves[judged.ply] = judged
            if kept is not None:
                kept.add(judged)
            yield len(judge.open_plies(self.moves))
        self.is_complete = True

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "headers": dict(self.game.headers),
            "note": self.note,
            "is_complete": self.is_complete,
            **game_numbers(self),
            "moves": [move.data() for move in self.moves],
        }


def annotate(review: "Review") -> None:
    """Evaluations for all moves; a mark and a comment for some; for those that lost something the better line."""
    if not review.moves:
        return
    headers = review.game.headers
    if headers.get("Annotator", "?") == "?":
        headers["Annotator"] = f"Teresa {version()}"
    for node, judged in zip(list(review.game.mainline()), review.moves, strict=False):
        annotated.annotate(node, annotation_of(judged))


def annotation_of(judged: Judged) -> Annotation:
    """What is written beside a move."""
    if judged.nag is None:
        return Annotation(judged.evaluation)
    if judged.severity is Severity.NONE:
        return Annotation(judged.evaluation, [judged.nag], comment(judged))
    better = evaluation_of(judged.before, 1 if judged.turn == "white" else -1)
    return Annotation(judged.evaluation, [judged.nag], comment(judged), judged.before.pv, better)


def comment(judged: Judged) -> str:
    """`Blunder: score .12 (96,000 visits); Nf6 has .48 (8,000).`"""
    return f"{str(judged.mark).capitalize()}: {judged.evidence}."
