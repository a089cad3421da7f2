"""`teresa warmup`: compile all kernels now, so that later commands start at once."""

import argparse
import sys
from collections.abc import Sequence

from engine import warmup
from engine.cli.progress import compiling
from perft.exits import DONE, FAILED, ending_at_once


def main(argv: Sequence[str]) -> int:
    """Compile what is not in the cache yet, with a progress bar; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa warmup", description="Compile all kernels into the cache.")
    parser.add_argument("--time", action="store_true", help="print the CPU seconds of each part")
    parser.add_argument("--search", action="store_true", help="only what a game needs")
    arguments = parser.parse_args(argv)
    with ending_at_once():
        parts = warmup.parts_of_games() if arguments.search else warmup.list_parts()
        seconds = warmup.compile_all(parts, compiling)
    if arguments.time:
        for name, taken in seconds.items():
            print(f"{name:28} {taken:6.2f} s")
    print(f"{'all':28} {sum(seconds.values()):6.2f} CPU seconds")
    if not warmup.is_warm():
        print(f"teresa warmup: {warmup.not_kept() or 'the kernels are not in the cache'}", file=sys.stderr)
        return FAILED
    return DONE
