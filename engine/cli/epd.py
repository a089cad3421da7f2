"""`teresa epd`: how many positions of a test suite are solved."""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import chess

from engine.cli.arguments import add_limits, engine_options, seconds_of
from engine.cli.progress import Progress
from engine.config.options import Options
from engine.pgn.game_file import read_lines
from engine.search.clock import Limits
from engine.warmup import ensure_warm
from perft.exits import reported

SECONDS = 1.0
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

    def sans(self, moves: tuple[str, ...]) -> str:
        """Moves as people write them."""
        board = chess.Board(self.fen)
        return " ".join(board.san(board.parse_uci(move)) for move in moves if move)

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
    try:
        worth = {board.parse_uci(move).uci(): int(number) for move, number in zip(moves, points, strict=True)}
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    if not (best or avoid):
        best = tuple(move for move, number in worth.items() if number == max(worth.values()))
    return Problem(str(operations.get("id", place)), board.fen(), best, avoid, worth)


def _moves(value: object) -> list[chess.Move]:
    if isinstance(value, chess.Move):
        return [value]
    return [move for move in value if isinstance(move, chess.Move)] if isinstance(value, list) else []


def read_suite(path: Path) -> list[Problem]:
    """All positions of a file. `ValueError` with file and line for what cannot be read."""
    numbered = [(number, line.strip()) for number, line in enumerate(read_lines(path), 1)]
    found = [read_problem(line, f"{path.name}:{number}") for number, line in numbered if line and line[0] != "#"]
    if not found:
        raise ValueError(f"{path}: there is no position in it")
    return found


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


def solve_all(problems: Sequence[Problem], settings: Options, limits: Limits) -> Iterator[Answer]:
    """Search each position from an empty tree."""
    from engine.cli.play.pace import search
    from engine.search.listener import SilentListener
    from engine.search.searcher import Searcher
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
        search(searcher, limits)
        yield Answer(problem, listener.best or "", time.perf_counter() - begin)


def main(arguments: Sequence[str]) -> int:
    """Run suites and tell how it went; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa epd", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="EPD files with bm, am, or points in c8 and c9 (STS)")
    add_limits(parser, SECONDS, "each position", old_names=True)
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--failed", action="store_true", help="list what was not solved")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    options = parser.parse_args(arguments)
    return reported("teresa epd", lambda: _main(options))


def _main(options: argparse.Namespace) -> int:
    from engine.cli.play.pace import Pace

    suites = {path: read_suite(path) for path in options.files}
    settings = engine_options(options, {"Move Overhead": "0", "Seed": "1"})  # nothing is lost on the way to a GUI
    ensure_warm()
    limits = Pace(seconds_of(options, SECONDS), options.visits).limits
    results = {path.name: run_suite(path.name, suite, settings, limits) for path, suite in suites.items()}
    if options.json:
        print(json.dumps({name: [answer.as_row() for answer in answers] for name, answers in results.items()}))
    else:
        for name, answers in results.items():
            tell(name, answers, options.failed)
    return 0


def run_suite(name: str, problems: Sequence[Problem], settings: Options, limits: Limits) -> list[Answer]:
    """Solve a suite, and show how far it is."""
    answers = []
    with Progress(name, len(problems)) as progress:
        for answer in solve_all(problems, settings, limits):
            answers.append(answer)
            progress.advance(f", {sum(one.is_solved for one in answers)} solved")
    return answers


def tell(name: str, answers: Sequence[Answer], with_failed: bool) -> None:
    """The result of a suite as text."""
    solved = sum(answer.is_solved for answer in answers)
    points = sum(answer.points for answer in answers)
    seconds = sum(answer.seconds for answer in answers)
    most = sum(answer.problem.most_points for answer in answers)
    print(f"{name}: {solved} of {len(answers)} solved, {points} of {most} points, {seconds:.0f} s")
    for answer in answers:
        if with_failed and not answer.is_solved:
            problem = answer.problem
            wanted = problem.sans(problem.best) or "not " + problem.sans(problem.avoid)
            print(f"  {problem.name}: {problem.sans((answer.move,))}, wanted {wanted}  {problem.fen}")
