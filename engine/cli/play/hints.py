"""Advice for a person who plays: what the search thinks of a position, at full strength and in a tree of its own."""

from collections.abc import Callable
from typing import Any

from engine.analysis import Analysis
from engine.cli.play.pace import Pace, search
from engine.explain.explain import answer
from engine.explain.text import TYPED, lines_of, proven_text, score_text
from engine.report.node import Shape
from engine.search.clock import Limits
from engine.search.resources import Resources
from movegen import Position

MEGABYTES = 64
LEAST_VISITS = 3000  # on which a draw is decided


class Adviser:
    """What the search thinks of the person's moves, at full strength; one search for each position."""

    def __init__(self, pace: Pace, knowledge: Resources, watch: Callable[[Callable[[], None]], None]) -> None:
        """`watch` does something long and shows meanwhile that it is being done."""
        self.pace, self.knowledge, self._watch = pace, knowledge, watch
        self._analysis: Analysis | None = None

    def analysis(self, position: Position) -> Analysis:
        """What is known of a position."""
        if self._analysis is None or self._analysis.position is not position:
            self._analysis = None  # two trees at once may be too much
            analysis = Analysis(position, {"Hash": MEGABYTES}, resources=self.knowledge)
            self._watch(lambda: search(analysis.searcher, self.pace.limits))
            self._analysis = analysis
        return self._analysis

    def score(self, position: Position) -> float:
        """What a position is worth for the player to move, by a search of some thousand visits at least."""
        analysis = self.analysis(position)
        missing = LEAST_VISITS - analysis.summary()["visits"]
        if missing > 0:
            self._watch(lambda: search(analysis.searcher, Limits(nodes=missing)))
        score: float | None = analysis.summary()["q"]
        return 0.5 if score is None else score

    def hint(self, position: Position) -> str:
        """The best move, with its numbers."""
        row = self.rows(position, 1)["rows"][0]
        return _advice(row, position.turn.capitalize())

    def threat(self, position: Position) -> str:
        """The best move of the opponent, if the player to move passed."""
        passed = passed_position(position)
        if not passed.move_codes:
            return "the opponent would have no move"
        analysis = Analysis(passed, {"Hash": MEGABYTES}, resources=self.knowledge)
        self._watch(lambda: search(analysis.searcher, self.pace.limits))
        return _advice(analysis.children(k=1)["rows"][0], passed.turn.capitalize())

    def rows(self, position: Position, count: int) -> dict[str, Any]:
        """The best moves."""
        return self.analysis(position).children(k=count, shape=Shape(lines=count, first_look=True))

    def explain(self, position: Position, move: str, visits: int | None) -> list[str]:
        """Why a move, or why not."""
        return lines_of(answer(self.analysis(position).report, move, visits), TYPED)


def _advice(row: dict[str, Any], side: str) -> str:
    worth = proven_text(row["proven"]) if row["proven"] else f"score {score_text(row['q'])} for {side}"
    return f"{row['san']}: {worth}, {row['n']:,} visits; line {' '.join(row['line'])}"


def passed_position(position: Position) -> Position:
    """The position with the other player to move; `ValueError` in check, where nobody may pass."""
    if position.in_check:
        raise ValueError("you are in check: that is the threat")
    men, turn, castling, _, clock, number = position.fen(shredder=position.chess960).split()
    after = "b" if turn == "w" else "w"
    return Position(f"{men} {after} {castling} - {clock} {number}", chess960=position.chess960)
