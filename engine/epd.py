"""Test suites in EPD files: read, and solved by searches."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from engine.config.options import Options
from engine.pgn.encoding import read_lines
from engine.search.clock import Limits
from engine.search.reporter import BestMove
from engine.search.resources import Resources
from engine.search.searcher import Searcher, search_to_end
from movegen import Position

FULL_POINTS = 10  # of a position for which the file gives no points


@dataclass(frozen=True)
class Problem:
    """A position of a suite: what to play, what to avoid, or points for several moves, all in UCI notation."""

    name: str
    fen: str
    best: tuple[str, ...]
    avoid: tuple[str, ...]
    points: dict[str, int]

    def is_solved_by(self, move: str) -> bool:
        """Is it one of the best moves, or none of those to avoid?"""
        return move in self.best if self.best else move not in self.avoid

    def sans(self, moves: tuple[str, ...]) -> str:
        """Moves in SAN."""
        position = Position(self.fen)
        return " ".join(position.san(move) for move in moves if move)

    @property
    def most_points(self) -> int:
        """The points of the best move."""
        return max(self.points.values(), default=FULL_POINTS)

    def points_for(self, move: str) -> int:
        """The points of a move."""
        if self.points:
            return self.points.get(move, 0)
        return FULL_POINTS if self.is_solved_by(move) else 0


@dataclass(frozen=True)
class Solution:
    """The move that the engine played."""

    problem: Problem
    move: str
    seconds: float

    @property
    def is_solved(self) -> bool:
        """Was it right?"""
        return self.problem.is_solved_by(self.move)

    @property
    def points(self) -> int:
        """The points of the move."""
        return self.problem.points_for(self.move)

    def data(self) -> dict[str, object]:
        """For JSON."""
        problem = asdict(self.problem)
        return {**problem, "move": self.move, "solved": self.is_solved, "points": self.points, "seconds": self.seconds}


# Reading


def read_problems(path: Path) -> list[Problem]:
    """All positions of a file. `ValueError` with file and line for what cannot be read."""
    numbered = [(number, line.strip()) for number, line in enumerate(read_lines(path), 1)]
    found = [read_problem(line, f"{path.name}:{number}") for number, line in numbered if line and line[0] != "#"]
    if not found:
        raise ValueError(f"{path}: there is no position in it")
    return found


def read_problem(line: str, origin: str) -> Problem:
    """Read a line of an EPD file; `origin` (file and line) names it if it has no id. Points are in c8 and c9 (STS)."""
    try:
        board, operations = chess.Board.from_epd(line)
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None
    best, avoid = (tuple(move.uci() for move in _moves(operations.get(name))) for name in ("bm", "am"))
    points, moves = str(operations.get("c8", "")).split(), str(operations.get("c9", "")).split()
    if not (best or avoid or moves):
        raise ValueError(f"{origin}: neither bm nor am nor points (c8 and c9)")
    if len(points) != len(moves):
        raise ValueError(f"{origin}: {len(points)} points in c8 for {len(moves)} moves in c9")
    if not board.is_valid():
        raise ValueError(f"{origin}: the position cannot be played")
    try:
        points_of = {board.parse_uci(move).uci(): int(number) for move, number in zip(moves, points, strict=True)}
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None
    if not (best or avoid):
        best = tuple(move for move, number in points_of.items() if number == max(points_of.values()))
    return Problem(str(operations.get("id", origin)), board.fen(), best, avoid, points_of)


def _moves(value: object) -> list[chess.Move]:
    if isinstance(value, chess.Move):
        return [value]
    return [move for move in value if isinstance(move, chess.Move)] if isinstance(value, list) else []


# Solving


def solve_all(problems: Sequence[Problem], options: Options, limits: Limits) -> Iterator[Solution]:
    """Search each position, each in an empty tree."""
    best, resources = BestMove(), Resources()
    resources.open_files(options)
    searcher = Searcher(options, best, resources)
    for problem in problems:
        begin = time.perf_counter()
        searcher.set_position(Position(problem.fen), None)
        search_to_end(searcher, limits)
        yield Solution(problem, best.move or "", time.perf_counter() - begin)
