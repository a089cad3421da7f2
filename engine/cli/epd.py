"""`teresa epd`: how many positions of a test suite are solved."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from engine.cli.arguments import (
    SECONDS_FOR_EACH,
    add_limits,
    add_memory_and_threads,
    add_weights,
    engine_options,
    limits_from,
)
from engine.cli.progress import ProgressDisplay, warm_up
from engine.config.options import Options
from engine.epd import Problem, Solution, read_problems, solve_all
from engine.search.clock import Limits
from perft.exits import DONE, reported

SUITE_SEED = 1  # with --visits the answers are reproducible


def main(argv: Sequence[str]) -> int:
    """Solve suites and print how many were solved; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa epd", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="EPD files with bm, am, or points in c8 and c9 (STS)")
    add_limits(parser, SECONDS_FOR_EACH, "each position", old_names=True)
    add_memory_and_threads(parser)
    add_weights(parser)
    parser.add_argument("--failed", action="store_true", help="list the positions that were not solved")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    arguments = parser.parse_args(argv)
    return reported("teresa epd", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    suites = {path: read_problems(path) for path in arguments.files}
    options = engine_options(arguments, Options(move_overhead=0, seed=SUITE_SEED))
    warm_up()
    limits = limits_from(arguments, SECONDS_FOR_EACH)
    results = {path.name: solve_suite(path.name, suite, options, limits) for path, suite in suites.items()}
    if arguments.json:
        print(json.dumps({name: [solution.data() for solution in solutions] for name, solutions in results.items()}))
    else:
        for name, solutions in results.items():
            print_result(name, solutions, arguments.failed)
    return DONE


def solve_suite(name: str, problems: Sequence[Problem], options: Options, limits: Limits) -> list[Solution]:
    """Solve a suite, and show the progress."""
    solutions = []
    with ProgressDisplay(name, len(problems)) as progress:
        for solution in solve_all(problems, options, limits):
            solutions.append(solution)
            progress.advance(f", {sum(one.is_solved for one in solutions)} solved")
    return solutions


def print_result(name: str, solutions: Sequence[Solution], with_failed: bool) -> None:
    """Print the result of a suite."""
    solved = sum(solution.is_solved for solution in solutions)
    points = sum(solution.points for solution in solutions)
    seconds = sum(solution.seconds for solution in solutions)
    most = sum(solution.problem.most_points for solution in solutions)
    print(f"{name}: {solved} of {len(solutions)} solved, {points} of {most} points, {seconds:.0f} s")
    for solution in solutions:
        if with_failed and not solution.is_solved:
            problem = solution.problem
            wanted = problem.sans(problem.best) or "not " + problem.sans(problem.avoid)
            print(f"  {problem.name}: {problem.sans((solution.move,))}, wanted {wanted}  {problem.fen}")
