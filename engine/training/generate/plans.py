"""The usual plans: games of a teacher, positions of trees, self-play; how many games make a unit of some seconds."""

from pathlib import Path

from engine.training.generate.chunks import Plan
from engine.training.generate.net_teacher import NetTeacher
from engine.training.generate.teachers import LEAST_VISITS, UciTeacher, self_play

SHALLOW_AT_ONCE = 16  # games, where the teacher's search takes less time than asking it
WARM_HASH, MIXED_HASH = 16, 4  # megabytes of the teacher: one game after the other, or several at once
SELF_PLAY_CHUNK = 16  # games; at 800 visits about ten seconds
TREES_CHUNK = 8  # games; at 1000 nodes about ten seconds
TAUGHT_CHUNK = 8  # games; at 20,000 visits about ten seconds


def teacher_games(
    teacher: str, limit: str, games: int, seed: int, *, at_once: int | None = None, value_only: bool = False
) -> Plan:
    """Games of a UCI engine; if it searches nodes, one after the other, so that its hash helps."""
    at_once = at_once or (1 if limit.startswith("nodes") else SHALLOW_AT_ONCE)
    return Plan(UciTeacher(teacher, limit, WARM_HASH if at_once == 1 else MIXED_HASH), value_only, games, seed, at_once)


def tree_positions(teacher: str, limit: str, games: int, seed: int, weights: Path, visits: int) -> Plan:
    """Positions of trees of this many visits, labelled by a UCI engine tree by tree, so that its hash helps."""
    searches = self_play(weights, visits)
    return Plan(UciTeacher(teacher, limit, WARM_HASH), False, games, seed, 1, searches, TREES_CHUNK)


def net_labels(teacher: NetTeacher, games: int, seed: int) -> Plan:
    """Nodes of trees, labelled by the searches with a foreign net that made them."""
    return Plan(teacher, False, games, seed, at_once=1, games_per_chunk=TAUGHT_CHUNK)


def self_play_games(weights: Path, visits: int, games: int, seed: int) -> Plan:
    """Games of Teresa against itself, one after the other."""
    if visits < LEAST_VISITS:
        raise ValueError(f"--visits must be at least {LEAST_VISITS}")
    return Plan(self_play(weights, visits), False, games, seed, at_once=1, games_per_chunk=SELF_PLAY_CHUNK)
