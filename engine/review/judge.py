"""Every position of a game is searched; a move is judged by the score before it and the score after it.

A move that looks like a mistake is searched longer before it is called one: the point of a sacrifice often shows late.
The thresholds of losses are those of lichess, on its scale of winning chances from -1 to 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from engine.config.options import Options
from engine.report.move_stats import DIGITS, centipawns, short_score
from engine.report.node import Shape
from engine.search.clock import Limits
from engine.search.reporter import SilentListener
from engine.search.resources import Resources
from engine.search.searcher import Searcher
from movegen import Ending, Position

LONGEST_BETTER_LINE = 10
ONE_ROW = Shape(lines=1, longest=LONGEST_BETTER_LINE)
SECOND_LOOKS = 4  # searches more, each as long as the first, for a move that looks like a mistake …
LOOKS_AT_CLEAR_LOSSES, CLEAR_LOSS = 2, 0.3  # … fewer where it looks far worse than a blunder …
MOST_SECOND_LOOKS, ENOUGH_VISITS = 16, 100_000  # … and more where those make few visits


class Severity(StrEnum):
    """Of a move that lost something."""

    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"
    NONE = ""


LEAST_LOSS = {Severity.BLUNDER: 0.3, Severity.MISTAKE: 0.2, Severity.INACCURACY: 0.1}  # of winning chances
NAG_OF_SEVERITY = {Severity.BLUNDER: 4, Severity.MISTAKE: 2, Severity.INACCURACY: 6}
MARK_OF_SEVERITY = {Severity.BLUNDER: "??", Severity.MISTAKE: "?", Severity.INACCURACY: "?!", Severity.NONE: ""}
CHANCES_PER_SCORE = 2  # a score goes from 0 to 1, winning chances from -1 to 1


def severity_of(loss: float) -> Severity:
    """Of a loss of score (win 1, draw 1/2)."""
    chances = round(CHANCES_PER_SCORE * loss, 6)
    return next((severity for severity, least in LEAST_LOSS.items() if chances >= least), Severity.NONE)


@dataclass(frozen=True)
class Worth:
    """What a position is worth for the player to move, by a search or by the rules."""

    score: float
    proven: dict[str, Any] | None  # as in a row of the report
    visits: int
    best: str | None  # None: the game is over
    san: str | None
    pv: list[str]
    line: list[str]

    @property
    def mate(self) -> int | None:
        """Moves to a proven mate, negative if the player to move is mated."""
        if self.proven is None or self.proven["result"] == "draw":
            return None
        plies = int(self.proven["plies"])
        return (plies + 1) // 2 if self.proven["result"] == "win" else -(plies // 2)

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {"score": self.score, "proven": self.proven, "visits": self.visits, "pv": self.pv, "line": self.line}


@dataclass(frozen=True)
class Judged:
    """A move of a game. Scores are for the player who made it."""

    ply: int  # of the first move: 0
    number: int
    turn: str
    uci: str
    san: str
    before: Worth
    after: Worth  # for the opponent

    @property
    def score(self) -> float:
        """What the move left."""
        return round(1 - self.after.score, DIGITS)

    @property
    def loss(self) -> float:
        """What the best move had more; nothing if it was the best move."""
        if self.uci == self.before.best:
            return 0.0
        return max(0.0, round(self.before.score - self.score, DIGITS))

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return severity_of(self.loss)

    @property
    def is_in_doubt(self) -> bool:
        """Could more visits still show that a move was no mistake?"""
        is_condemned = self.severity in (Severity.MISTAKE, Severity.BLUNDER)
        return is_condemned and self.after.proven is None

    @property
    def evidence(self) -> str:
        """`score .12 (96,000 visits); Nf6 has .48 (8,000)`: the move and the best one, each with its visits."""
        best, own = self.before, "proven" if self.after.proven else f"{self.after.visits:,} visits"
        other = "proven" if best.proven else f"{best.visits:,}"
        return f"score {short_score(self.score)} ({own}); {best.san} has {short_score(best.score)} ({other})"

    @property
    def name(self) -> str:
        """`14. Nf3` or `14... Nf6`."""
        return f"{self.number}{'.' if self.turn == 'white' else '...'} {self.san}"

    @property
    def white_score(self) -> float:
        """For White."""
        return self.score if self.turn == "white" else round(1 - self.score, DIGITS)

    @property
    def evaluation(self) -> dict[str, int] | None:
        """For White, as `[%eval]` has it: `cp` or `mate`; None after checkmate."""
        sign = 1 if self.turn == "black" else -1  # of the player to move after it
        return evaluation_of(self.after, sign) if self.after.mate != 0 else None

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ply": self.ply,
            "number": self.number,
            "turn": self.turn,
            "uci": self.uci,
            "san": self.san,
            "score": self.score,
            "loss": self.loss,
            "verdict": str(self.severity),
            "eval": self.evaluation,
            "best": {"uci": self.before.best, "san": self.before.san, **self.before.data()},
            "visits": self.after.visits,
        }


def evaluation_of(worth: Worth, sign: int) -> dict[str, int]:
    """A worth as in `[%eval]`."""
    if worth.mate is not None:
        return {"mate": sign * worth.mate}
    return {"cp": sign * centipawns(worth.score)}


class Judge:
    """Searches position after position, in a tree that is kept from move to move."""

    def __init__(self, settings: Options, limits: Limits, search: Callable[[Searcher, Limits], None]) -> None:
        """`search` returns when the search has ended."""
        settings.analyse_mode = True
        settings.move_overhead = 0
        self._limits, self._search = limits, search
        resources = Resources()
        resources.open_files(settings)
        self._searcher = Searcher(settings, SilentListener(), resources)

    def moves(self, start: Position, codes: list[int]) -> Iterator[Judged]:
        """A game, move by move."""
        position, before = start, self._worth(start, None)
        for ply, code in enumerate(codes):
            after = position.play(code)
            worth = self._worth(after, (code,))
            number, uci, san = position.fullmove_number, position.uci(code), position.san(code)
            judged = self._judged_again(Judged(ply, number, position.turn, uci, san, before, worth))
            yield judged
            position, before = after, judged.after

    def _judged_again(self, judged: Judged) -> Judged:
        """The same after more visits, if it looks like a mistake."""
        for look in range(MOST_SECOND_LOOKS):
            enough = LOOKS_AT_CLEAR_LOSSES if judged.loss >= CLEAR_LOSS else SECOND_LOOKS
            is_settled = look >= enough and judged.after.visits >= ENOUGH_VISITS
            if is_settled or not judged.is_in_doubt:
                break
            judged = replace(judged, after=self._searched())
        return judged

    def _worth(self, position: Position, moves: tuple[int, ...] | None) -> Worth:
        """`moves` lead to it from the position before; None: it is another game."""
        self._searcher.set_position(position, moves)
        ending = position.outcome()
        if not position.move_codes or ending is not Ending.NONE:
            is_mate = ending is Ending.CHECKMATE
            result = {"result": "loss" if is_mate else "draw", "plies": 0}
            return Worth(0.0 if is_mate else 0.5, result, 0, None, None, [], [])
        return self._searched()

    def _searched(self) -> Worth:
        """What the present position is worth after a search, which goes on where the last one ended."""
        self._search(self._searcher, self._limits)
        report = self._searcher.report()
        row = report.rows(k=1, shape=ONE_ROW)[0]
        visits, score = report.summary()["visits"], 0.5 if row.q is None else row.q
        return Worth(score, row.proven, visits, row.uci, row.san, row.pv, row.line)
