"""How far the quick pass of a review agrees with the longer one, and what both take.

python -m tests.engine.review.agreement GAMES.pgn ...
"""

import argparse
import time

from engine.config.options import Options
from engine.pgn.game_file import GameFile
from engine.review.judge import Judge
from engine.review.judged import Judged
from engine.review.plan import Plan
from engine.review.reviewed_game import Review
from engine.search.searcher import search_to_end

LONGEST = 80  # plies of a game


def passes(review: Review) -> tuple[list[Judged], list[Judged], tuple[float, float]]:
    """The moves after the quick pass and at the end, and the processor time of both passes."""
    judge, start, codes = Judge(Options(), Plan.default(), search_to_end), review.start, review.codes[:LONGEST]
    assert start is not None
    began = time.process_time()
    quick = list(judge.quick(start, codes))
    middle, final = time.process_time(), list(quick)
    for move in judge.deepen(start, codes, quick):
        final[move.ply] = move
    return quick, final, (middle - began, time.process_time() - middle)


def verdict(move: Judged) -> str:
    """What is called bad; only moves are found in the second pass alone."""
    return str(move.mark) if move.severity else ""


def main() -> None:
    """Print the numbers game by game, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    pairs: list[tuple[str, str]] = []
    for name in parser.parse_args().files:
        with GameFile(name) as file:
            for found in file.games():
                quick, final, seconds = passes(Review.of(found))
                pairs += [(verdict(one), verdict(other)) for one, other in zip(quick, final, strict=True)]
                print(f"{found.origin}: {len(quick)} moves, {seconds[0]:.1f} s and {seconds[1]:.1f} s", flush=True)
    marked = [pair for pair in pairs if any(pair)]
    for what, some in (("all moves", pairs), ("those with a mark in either pass", marked)):
        print(f"{what}: the same for {sum(one == other for one, other in some)} of {len(some)}")


if __name__ == "__main__":
    main()
