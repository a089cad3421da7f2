"""`teresa epd`: how many positions of a test suite are solved."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from engine.clock import Limits
from engine.options import Settings
from engine.warmup import ensure_warm

FULL_POINTS = 10  # of a position without points of its own


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

    @property
    def most_points(self) -> int:
        """What the best move is worth."""
        return max(self.points.values(), default=FULL_POINTS)

    def points_for(self, move: str) -> int:
        """What a move is worth."""
        if self.points:
            return self.points.get(move, 0)
        return FULL_POINTS if self.is_solved_by(move) else 0


def read_problem(line: str, place: str) -> Problem:
    """Read a line of an EPD file; `place` names it if it has no id. Points stand in c8 and c9, as in STS."""
    try:
        board, operations = chess.Board.from_epd(line)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    best, avoid = (tuple(move.uci() for move in _moves(operations.get(name))) for name in ("bm", "am"))
    points, moves = str(operations.get("c8", "")).split(), str(operations.get("c9", "")).split()
    if not (best or avoid or moves):
        raise ValueError(f"{place}: neither bm nor am nor points (c8 and c9)")
    if len(points) != len(moves):
        raise ValueError(f"{place}: {len(points)} points in c8 for {len(moves)} moves in c9")
    if not board.is_valid():
        raise ValueError(f"{place}: the position cannot be played")
    worth = {board.parse_uci(move).uci(): int(number) for move, number in zip(moves, points, strict=True)}
    return Problem(str(operations.get("id", place)), board.fen(), best, avoid, worth)


def _moves(value: object) -> list[chess.Move]:
    if isinstance(value, chess.Move):
        return [value]
    return [move for move in value if isinstance(move, chess.Move)] if isinstance(value, list) else []


def read_suite(path: Path) -> list[Problem]:
    """All positions of a file. `ValueError` with file and line for what cannot be read."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    numbered = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    return [read_problem(line, f"{path.name}:{number}") for number, line in numbered if line and line[0] != "#"]


@dataclass(frozen=True)
class Answer:
    """What the engine played."""

    problem: Problem
    move: str
    seconds: float

    def as_row(self) -> dict[str, object]:
        """For JSON."""
        told = asdict(self.problem)
        return {**told, "move": self.move, "solved": self.is_solved, "points": self.points, "seconds": self.seconds}

    @property
    def is_solved(self) -> bool:
        """Was it right?"""
        return self.problem.is_solved_by(self.move)

    @property
    def points(self) -> int:
        """What it is worth."""
        return self.problem.points_for(self.move)


def solve_all(problems: Sequence[Problem], settings: Settings, limits: Limits) -> Iterator[Answer]:
    """Search each position from an empty tree."""
    from engine.search import Searcher, SilentListener
    from movegen import Position

    class Listener(SilentListener):
        """Notes the last best move."""

        best: str | None = None

        def on_best_move(self, best: str | None, _reply: str | None) -> None:
            self.best = best

    listener = Listener()
    searcher = Searcher(settings, listener)
    for problem in problems:
        begin = time.perf_counter()
        searcher.set_position(Position(problem.fen), None)
        searcher.go(limits)
        searcher.wait()
        yield Answer(problem, listener.best or "", time.perf_counter() - begin)


def main(arguments: Sequence[str]) -> int:
    """Run suites and tell how it went; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa epd", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="EPD files with bm, am, or points in c8 and c9 (STS)")
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--movetime", type=int, metavar="MS", help="milliseconds for each position")
    limit.add_argument("--nodes", type=int, metavar="N", help="visits for each position")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--failed", action="store_true", help="list what was not solved")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    options = parser.parse_args(arguments)
    ensure_warm()
    try:
        suites = {path: read_suite(path) for path in options.files}
        settings = engine_settings(options.hash, options.threads)
    except ValueError as error:
        print(f"teresa epd: {error}", file=sys.stderr)
        return 2
    if (options.movetime if options.nodes is None else options.nodes) < 1:
        parser.error("--movetime and --nodes must be at least 1")
    limits = Limits(nodes=options.nodes, move_time=options.movetime)
    results = {path.name: run_suite(path.name, suite, settings, limits) for path, suite in suites.items()}
    if options.json:
        print(json.dumps({name: [answer.as_row() for answer in answers] for name, answers in results.items()}))
    else:
        for name, answers in results.items():
            tell(name, answers, options.failed)
    return 0


def engine_settings(megabytes: int, threads: int) -> Settings:
    """The engine's defaults, without what is lost on the way to a GUI."""
    settings = Settings()
    for name, value in (("Hash", megabytes), ("Threads", threads), ("Move Overhead", 0), ("Seed", 1)):
        settings.set(name, str(value))
    return settings


def run_suite(name: str, problems: Sequence[Problem], settings: Settings, limits: Limits) -> list[Answer]:
    """Solve a suite with a progress display."""
    from rich.console import Console
    from rich.progress import track

    answers = solve_all(problems, settings, limits)
    console = Console(stderr=True)
    shown = track(answers, name, len(problems), console=console, disable=not sys.stderr.isatty(), transient=True)
    return list(shown)


def tell(name: str, answers: Sequence[Answer], with_failed: bool) -> None:
    """The result of a suite as text."""
    solved = sum(answer.is_solved for answer in answers)
    points = sum(answer.points for answer in answers)
    seconds = sum(answer.seconds for answer in answers)
    most = sum(answer.problem.most_points for answer in answers)
    print(f"{name}: {solved} of {len(answers)} solved, {points} of {most} points, {seconds:.0f} s")
    for answer in answers:
        if with_failed and not answer.is_solved:
            wanted = " ".join(answer.problem.best) or "not " + " ".join(answer.problem.avoid)
            print(f"  {answer.problem.name}: {answer.move}, wanted {wanted}  {answer.problem.fen}")
