"""How a search stands, for those who only follow it."""

from dataclasses import dataclass

from engine.report.move_stats import MoveStats


@dataclass(frozen=True)
class Info:
    """How a search stands."""

    depth: int
    deepest: int
    seconds: float
    nodes: int
    hashfull: int  # permille
    tbhits: int
    known_score: float | None  # from tablebases
    lines: list[tuple[MoveStats, list[str]]]  # best first
