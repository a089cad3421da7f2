"""The searches of a game in the terminal: Teresa's moves, and hints for the user, in a separate tree."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from rich.console import Console

from engine.analysis import Analysis
from engine.config.options import Options
from engine.explain.explain import answer
from engine.explain.text import WHY_NOT_HINT, lines_of, proven_text
from engine.report.move_stats import short_score
from engine.report.node import Shape
from engine.search.clock import Limits
from engine.search.reporter import BestMove
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position

if TYPE_CHECKING:
    from engine.mcts.queue import NetQueue

HINT_MEGABYTES = 64
DRAW_VISITS = 3000  # for the score that decides about a draw


class Opponent:
    """Plays against the user, at the strength that the options set."""

    def __init__(self, options: Options, limits: Limits, resources: Resources, hints: "Hints") -> None:
        """`hints` explain the moves of a network that plays without a search."""
        self._limits, self._best, self._resources, self._hints = limits, BestMove(), resources, hints
        self._searcher = Searcher(options, self._best, resources)
        self._start: Position | None = None
        self._codes: list[int] = []

    def choose(self, positions: list[Position], codes: list[int]) -> int:
        """The move to play after a game. The tree is kept if the game continues the one before."""
        known = len(self._codes)
        is_continued = self._start is positions[0] and codes[:known] == self._codes
        self._searcher.set_position(positions[-1], tuple(codes[known:]) if is_continued else None)
        self._start, self._codes = positions[0], list(codes)
        search_to_end(self._searcher, self._limits)
        return positions[-1].code(self._best.move or "")

    @property
    def has_moved(self) -> bool:
        """Is there a search to explain?"""
        return self._searcher.run is not None

    @property
    def position(self) -> Position:
        """The position of the last search."""
        return self._searcher.position

    def forget(self) -> None:
        """Another game begins."""
        self._start, self._codes = None, []
        self._searcher.set_position(Position(), None)

    def explain(self, move: str | None, visits: int | None = None) -> list[str]:
        """Why the last move, or why not another one."""
        if self._resources.queue is not None and self._limits.nodes == 1:
            return self._explain_habit(self._resources.queue, move or self._best.move or "", visits)
        return lines_of(answer(self._searcher.report(), move, visits), WHY_NOT_HINT)

    def _explain_habit(self, queue: "NetQueue", move: str, visits: int | None) -> list[str]:
        """How likely a move was, and what Teresa's search says of it."""
        code = self.position.code(move)
        priors = queue.look_at([self.position])[0].priors
        rank = 1 + sum(prior > priors[code] for prior in priors.values())
        name = (
            f"{queue.net.name}: {self.position.san(code)} is move #{rank} there, {priors[code]:.1%}, without a search"
        )
        return [name, *self._hints.explain(self.position, self.position.uci(code), visits)]


def thinking(console: Console) -> AbstractContextManager[object]:
    """On a terminal, show that Teresa thinks."""
    return console.status("Teresa thinks", spinner="line") if console.is_terminal else nullcontext()


class Hints:
    """One search for each position that the user asks about."""

    def __init__(self, limits: Limits, resources: Resources, console: Console) -> None:
        self._limits, self._resources, self._console = limits, resources, console
        self._analysis: Analysis | None = None

    def analysis(self, position: Position) -> Analysis:
        """A finished search of a position; the last one is kept."""
        if self._analysis is None or self._analysis.position is not position:
            self._analysis = None  # two trees at once may need too much memory
            self._analysis = self._searched(position)
        return self._analysis

    def _searched(self, position: Position) -> Analysis:
        analysis = Analysis(position, {"Hash": HINT_MEGABYTES}, resources=self._resources)
        self._search(analysis, self._limits)
        return analysis

    def _search(self, analysis: Analysis, limits: Limits) -> None:
        with thinking(self._console):
            search_to_end(analysis.searcher, limits)

    def score(self, position: Position) -> float:
        """The score of a position for the player to move, by a search of at least `DRAW_VISITS`."""
        analysis = self.analysis(position)
        missing = DRAW_VISITS - analysis.summary()["visits"]
        if missing > 0:
            self._search(analysis, Limits(nodes=missing))
        score: float | None = analysis.summary()["q"]
        return 0.5 if score is None else score

    def best(self, position: Position) -> str:
        """The best move, with its numbers."""
        return _hint(self.rows(position, 1)["rows"][0], position.turn.capitalize())

    def threat(self, position: Position) -> str:
        """The best move of the opponent if the player to move passed."""
        passed = passed_position(position)
        if not passed.move_codes:
            return "the opponent would have no move"
        return _hint(self._searched(passed).children(k=1)["rows"][0], passed.turn.capitalize())

    def rows(self, position: Position, count: int) -> dict[str, Any]:
        """The best moves, as in the report."""
        return self.analysis(position).children(k=count, shape=Shape(lines=count, first_look=True))

    def explain(self, position: Position, move: str, visits: int | None) -> list[str]:
        """Why a move, or why not."""
        return lines_of(answer(self.analysis(position).report, move, visits), WHY_NOT_HINT)


def _hint(row: dict[str, Any], side: str) -> str:
    score = proven_text(row["proven"]) if row["proven"] else f"score {short_score(row['q'])} for {side}"
    return f"{row['san']}: {score}, {row['n']:,} visits; line {' '.join(row['line'])}"


def passed_position(position: Position) -> Position:
    """The position with the other player to move; `ValueError` in check, where passing makes no sense."""
    if position.in_check:
        raise ValueError("you are in check: that is the threat")
    pieces, turn, castling, _, clock, number = position.fen(shredder=position.chess960).split()
    after = "b" if turn == "w" else "w"
    return Position(f"{pieces} {after} {castling} - {clock} {number}", chess960=position.chess960)
