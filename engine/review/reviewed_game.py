"""A game, what was judged of it, and how that is written into its PGN; existing annotations are kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import chess
import chess.engine
import chess.pgn

from engine.pgn.game_file import FoundGame
from engine.pgn.positions import board_uci, position_of
from engine.report.move_stats import DIGITS
from engine.review.judge import NAG_OF_SEVERITY, Judge, Judged, Severity, evaluation_of
from engine.system.environment import version
from movegen import Position

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

    @property
    def fault(self) -> str:
        """Why none of its moves can be judged, with file and game; empty if some can be, or if it has none."""
        return f"{self.found.origin}: {self.note}" if self.note and not self.codes else ""

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


def annotate(review: "Review") -> None:
    """Evaluations for all moves; for those that lost something a mark, a comment and the better line."""
    if not review.moves:
        return
    headers = review.game.headers
    if headers.get("Annotator", "?") == "?":
        headers["Annotator"] = f"Teresa {version()}"
    board = review.game.board()
    for node, judged in zip(list(review.game.mainline()), review.moves, strict=False):
        if judged.evaluation is not None:
            node.set_eval(_score(judged.evaluation))
        if judged.severity is not Severity.NONE:
            node.nags.add(NAG_OF_SEVERITY[judged.severity])
            node.comment = f"{node.comment} {comment(judged)}".strip()
            _add_line(node.parent, board.copy(stack=False), judged)
        board.push(node.move)


def comment(judged: Judged) -> str:
    """`Blunder: score .12 (96,000 visits); Nf6 has .48 (8,000).`"""
    return f"{str(judged.severity).capitalize()}: {judged.evidence}."


def _add_line(node: chess.pgn.GameNode, board: chess.Board, judged: Judged) -> None:
    """The better line as a variation, its first move with the evaluation."""
    best, first = judged.before, True
    for uci in best.pv:
        move = board.parse_uci(uci)
        board.push(move)
        node = node.variation(move) if node.has_variation(move) else node.add_variation(move)
        if first:
            node.set_eval(_score(evaluation_of(best, 1 if judged.turn == "white" else -1)))
            first = False


def _score(evaluated: dict[str, int]) -> chess.engine.PovScore:
    score = chess.engine.Mate(evaluated["mate"]) if "mate" in evaluated else chess.engine.Cp(evaluated["cp"])
    return chess.engine.PovScore(score, chess.WHITE)
