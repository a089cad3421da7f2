"""The command `teresa`."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

DESCRIPTION = """
Teresa, a chess engine in Python whose search is Monte Carlo tree search.

commands:
  perft      count the leaves of the tree of legal moves (teresa perft --help)
  warmup     compile all kernels now, with a progress display (teresa warmup --help)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of Teresa; -> exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] == "perft":
        from perft.__main__ import main as perft

        return perft(words[1:], program="teresa perft")
    if words and words[0] == "warmup":
        from engine.warmup import main as warmup

        return warmup(words[1:])
    parser = argparse.ArgumentParser(
        prog="teresa", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"Teresa {version('teresa-chess')}")
    parser.add_argument(
        "command", nargs="?", choices=["perft", "warmup"], help="what to do; without it, this help is shown"
    )
    parser.parse_args(words)
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
