"""What a match shows, in lines of text and as data."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

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

    @property
    def score(self) -> MatchScore:
        """Games and pairs."""
        return score_of_pairs(pair.points for pair in self.pairs)

    @property
    def decision(self) -> Decision:
        """Of the test; `OPEN` without one."""
        return self.sprt.decision(self.score.counts) if self.sprt else Decision.OPEN

    def lines(self) -> list[str]:
        """For the terminal."""
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
        return lines + forfeit_lines(self.pairs)

    def data(self) -> dict[str, Any]:
        """For JSON."""
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


def forfeit_lines(pairs: Sequence[Pair]) -> list[str]:
    """Games that were lost by the clock, by crashes and illegal moves, for each worker."""
    return [
        f"lost otherwise than by play ({forfeit}) on {worker}: {count}"
        for (forfeit, worker), count in sorted(forfeits_by_worker(pairs).items())
    ]


def forfeits_by_worker(pairs: Sequence[Pair]) -> Counter[tuple[str, str]]:
    """How many games were lost so, by the player with the cause, and the worker."""
    return Counter((forfeit, pair.worker) for pair in pairs for forfeit in pair.forfeits if forfeit is not None)
