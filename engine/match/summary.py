"""What a match shows, in lines of text and as data."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from engine.match.forfeits import ForfeitLimit, MachineRecord, forfeit_lines, forfeits_by_worker, machine_of
from engine.match.pairs import Pair
from engine.match.sprt import Decision, Sprt
from engine.match.statistics import Interval, MatchScore, elo_interval, score_of_pairs

LARGEST_ELO = 2000.0  # beyond it only a bound is known


@dataclass(frozen=True)
class MatchSummary:
    """The result of a match, for its first player."""

    names: tuple[str, str]
    pairs: tuple[Pair, ...]  # in the order of the openings, none missing
    sprt: Sprt | None = None
    limit: ForfeitLimit | None = None

    @cached_property
    def left_out(self) -> dict[str, MachineRecord]:
        """The machines whose pairs do not count."""
        return {} if self.limit is None else self.limit.left_out(self.pairs)

    @cached_property
    def score(self) -> MatchScore:
        """Games and pairs that count."""
        return score_of_pairs(pair.points for pair in self.pairs if machine_of(pair.worker) not in self.left_out)

    @property
    def decision(self) -> Decision:
        """What the test has decided; `OPEN` without a test."""
        return self.sprt.decision(self.score.counts) if self.sprt else Decision.OPEN

    def lines(self) -> list[str]:
        """The summary as lines for the terminal."""
        score = self.score
        lines = [
            f"{self.names[0]} against {self.names[1]}: {score.games} games",
            f"won {score.wins}, drawn {score.draws}, lost {score.losses}: {100 * score.share:.1f} %",
            f"Elo {elo_text(elo_interval(score.counts))}",
            f"pairs with 0, ½, 1, 1½, 2 points: {' '.join(map(str, score.counts))}",
        ]
        if self.sprt is not None:
            lower, upper = self.sprt.bounds
            lines.append(
                f"SPRT of Elo {self.sprt.elo0:g} against {self.sprt.elo1:g} ({self.sprt.model}): "
                f"LLR {self.sprt.llr(score.counts):.2f} ({lower:.2f} … {upper:.2f}), {self.decision.value}"
            )
        return lines + forfeit_lines(self.pairs) + self._lines_left_out()

    def _lines_left_out(self) -> list[str]:
        lines = [
            f"all {record.games} games on {machine} are left out: {record.forfeits} of them lost by time or crash"
            for machine, record in self.left_out.items()
        ]
        return [*lines, f"the rule of this match: {self.limit}"] if lines else []

    def data(self) -> dict[str, Any]:
        """The summary as JSON holds it."""
        score, interval = self.score, elo_interval(self.score.counts)
        data: dict[str, Any] = {
            "players": list(self.names),
            "games": score.games,
            "won": score.wins,
            "drawn": score.draws,
            "lost": score.losses,
            "pentanomial": list(score.counts),
            "elo": None if interval is None else {name: _known(elo) for name, elo in asdict(interval).items()},
            "forfeits": [
                {"forfeit": forfeit, "worker": worker, "games": count}
                for (forfeit, worker), count in sorted(forfeits_by_worker(self.pairs).items())
            ],
            "limit": None if self.limit is None else asdict(self.limit),
            "left_out": [{"machine": machine, **asdict(record)} for machine, record in self.left_out.items()],
        }
        if self.sprt is not None:
            data["sprt"] = {**asdict(self.sprt), "llr": self.sprt.llr(score.counts), "decision": self.decision.value}
        return data


def elo_text(interval: Interval | None) -> str:
    """A difference in Elo with its bounds."""
    if interval is None:
        return "unknown"
    bounds = _bounds_text(_known(interval.low), _known(interval.high))
    return bounds if _known(interval.value) is None else f"{interval.value:+.0f} ({bounds})"


def _known(elo: float) -> float | None:
    """An Elo, if the games show more of it than that it is very large."""
    return elo if abs(elo) < LARGEST_ELO else None


def _bounds_text(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "anything"
    if high is None:
        return f"over {low:+.0f}"
    return f"under {high:+.0f}" if low is None else f"{low:+.0f} … {high:+.0f}"
