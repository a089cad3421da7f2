"""`teresa warmup`: compile all kernels now, so that nobody has to wait for them later."""

import argparse
import sys
from collections.abc import Sequence

from engine import warmup
from perft.exits import ending_at_once


def main(arguments: Sequence[str]) -> int:
    """Compile what is not in the cache yet, and show how far it is; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa warmup", description="Compile all kernels into the cache.")
    parser.add_argument("--time", action="store_true", help="print the CPU seconds of each part")
    parser.add_argument("--search", action="store_true", help="only what a game needs")
    options = parser.parse_args(arguments)
    with ending_at_once():
        seconds = warmup.compile_all(warmup.parts_of_games() if options.search else warmup.list_parts())
    if options.time:
        for name, taken in seconds.items():
            print(f"{name:28} {taken:6.2f} s")
    print(f"{'all':28} {sum(seconds.values()):6.2f} CPU seconds")
    if not warmup.is_warm():
        print(f"teresa warmup: {warmup.not_kept() or 'the kernels are not in the cache'}", file=sys.stderr)
        return 1
    return 0
