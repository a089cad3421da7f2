"""A judged move: the position before it and the one after it, each with what a search found."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engine.report.move_stats import DIGITS, centipawns, short_score
from engine.review.marks import (
    BEST_AFTER_SACRIFICE,
    EASILY_WON,
    LEAST_GIVEN_UP,
    LEAST_LOSS,
    ONLY_MOVE_GAP,
    Mark,
    Severity,
    glyph_of,
    is_missed_win,
    nag_of,
    severity_of,
)

QUICK, DEEP = "quick", "deep"
LEAST_MARKED_LOSS = LEAST_LOSS[Severity.INACCURACY] / 2  # of score


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
    rows: tuple[dict[str, Any], ...] = ()  # the best moves: uci, san, n, share, q, wdl, p, proven, pv, line
    depth_pass: str = QUICK
    looks: int = 0  # searches more, because the move that led here looked like a mistake

    @property
    def is_over(self) -> bool:
        """Has the game ended here, so that there is nothing to search?"""
        return self.best is None

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

    def whole(self) -> dict[str, Any]:
        """All of it for JSON, as `of` reads it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Worth":
        """What `whole` gave. `ValueError`, `TypeError` or `KeyError` if it is something else."""
        known = {field.name: data[field.name] for field in fields(cls)}
        worth = cls(**{**known, "rows": tuple(data["rows"])})
        if not 0 <= worth.score <= 1 or worth.depth_pass not in (QUICK, DEEP) or worth.visits < 0:
            raise ValueError("no worth")
        return worth


@dataclass(frozen=True)
class Rival:
    """The best other move, searched for itself. The score is for the player who could have made it."""

    uci: str
    san: str
    score: float
    visits: int
    proven: bool = False

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


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
    rival: Rival | None = None
    given_up: int = 0  # pawns' worth that the opponent can take, and another move would have kept; below 0: won

    @property
    def score(self) -> float:
        """What the move left."""
        return round(1 - self.after.score, DIGITS)

    @property
    def is_best(self) -> bool:
        """Was it the best move?"""
        return self.uci == self.before.best

    @property
    def loss(self) -> float:
        """What the best move had more; nothing if it was the best move."""
        return 0.0 if self.is_best else max(0.0, round(self.before.score - self.score, DIGITS))

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return severity_of(self.loss)

    @property
    def mark(self) -> Mark:
        """What it is called."""
        if self.severity is not Severity.NONE:
            is_missed = is_missed_win(self.before.score, self.score, self.severity)
            return Mark.MISSED_WIN if is_missed else Mark(str(self.severity))
        if self._is_brilliant:
            return Mark.BRILLIANT
        return Mark.ONLY_MOVE if self._is_only_move else Mark.NONE

    @property
    def _is_brilliant(self) -> bool:
        """The best move, it gives up material, holds when it is searched, and nothing else wins easily."""
        others = [float(row["q"]) for row in self.before.rows[1:] if row["q"] is not None]
        is_needed = max(others, default=0.0) < EASILY_WON
        holds = self.score >= max(BEST_AFTER_SACRIFICE, self.before.score - LEAST_MARKED_LOSS)
        return self.is_best and self.given_up >= LEAST_GIVEN_UP and is_needed and holds

    @property
    def _is_only_move(self) -> bool:
        if self.rival is None or not self.is_best:
            return False
        return round(min(self.before.score, self.score) - self.rival.score, DIGITS) >= ONLY_MOVE_GAP

    @property
    def nag(self) -> int | None:
        """The numeric annotation glyph of PGN."""
        return nag_of(self.mark, self.severity)

    @property
    def glyph(self) -> str:
        """As it is written after the move."""
        return glyph_of(self.mark, self.severity)

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """The best moves of the position before it."""
        return self.before.rows

    @property
    def depth_pass(self) -> str:
        """The pass by which both positions were searched."""
        is_deep = all(worth.is_over or worth.depth_pass == DEEP for worth in (self.before, self.after))
        return DEEP if is_deep else QUICK

    @property
    def is_in_doubt(self) -> bool:
        """Could more visits still show that a move was no mistake?"""
        is_condemned = self.severity in (Severity.MISTAKE, Severity.BLUNDER)
        return is_condemned and self.after.proven is None

    @property
    def evidence(self) -> str:
        """`score .12 (96,000 visits); Nf6 has .48 (8,000)`: the move and the best other one, each with its visits."""
        own = "proven" if self.after.proven else f"{self.after.visits:,} visits"
        text = f"score {short_score(self.score)} ({own})"
        if not self.is_best:
            best, other = self.before, "proven" if self.before.proven else f"{self.before.visits:,}"
            return f"{text}; {best.san} has {short_score(best.score)} ({other})"
        if self.rival is None:
            return text
        other = "proven" if self.rival.proven else f"{self.rival.visits:,}"
        return f"{text}; {self.rival.san} has {short_score(self.rival.score)} ({other})"

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
            "mark": str(self.mark),
            "eval": self.evaluation,
            "best": {"uci": self.before.best, "san": self.before.san, **self.before.data()},
            "rival": None if self.rival is None else self.rival.data(),
            "visits": self.after.visits,
            "pass": self.depth_pass,
        }


def evaluation_of(worth: Worth, sign: int) -> dict[str, int]:
    """A worth as in `[%eval]`."""
    if worth.mate is not None:
        return {"mate": sign * worth.mate}
    return {"cp": sign * centipawns(worth.score)}
