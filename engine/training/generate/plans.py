"""The usual plans: games of a teacher, positions of trees, self-play; how many games make a unit of some seconds."""

from pathlib import Path

from engine.training.generate.chunks import Plan
from engine.training.generate.teachers import LEAST_VISITS, UciTeacher, self_play

USUAL_AT_ONCE = 16
SELF_PLAY_CHUNK = 16  # games; at 800 visits about ten seconds
TREES_CHUNK, TREES_HASH = 8, 16  # games, at 1000 nodes about ten seconds; megabytes of the teacher


def teacher_games(
    teacher: str, limit: str, games: int, seed: int, *, at_once: int | None = None, value_only: bool = False
) -> Plan:
    """Games of a UCI engine."""
    return Plan(UciTeacher(teacher, limit), value_only, games, seed, at_once or USUAL_AT_ONCE)


def tree_positions(teacher: str, limit: str, games: int, seed: int, weights: Path, visits: int) -> Plan:
    """Positions of trees of this many visits, labelled by a UCI engine tree by tree, so that its hash helps."""
    searches = self_play(weights, visits)
    return Plan(UciTeacher(teacher, limit, TREES_HASH), False, games, seed, 1, searches, TREES_CHUNK)


def self_play_games(weights: Path, visits: int, games: int, seed: int) -> Plan:
    """Games of Teresa against itself, one after the other."""
    if visits < LEAST_VISITS:
        raise ValueError(f"--visits must be at least {LEAST_VISITS}")
    return Plan(self_play(weights, visits), False, games, seed, at_once=1, games_per_chunk=SELF_PLAY_CHUNK)
