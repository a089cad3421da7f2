"""The state of a running search, for its listener."""

from dataclasses import dataclass

from engine.report.move_stats import MoveStats


@dataclass(frozen=True)
class Info:
    """The state of a search."""

    depth: int
    deepest: int
    seconds: float
    nodes: int
    hashfull: int  # permille
    tbhits: int
    known_score: float | None  # from tablebases
    lines: list[tuple[MoveStats, list[str]]]  # moves with their main lines, best first
