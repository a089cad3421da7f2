"""The command `teresa`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

DESCRIPTION = """
Teresa, a chess engine in Python whose search is Monte Carlo tree search.
Without a command it speaks UCI on standard input and output.

commands (each has its own --help):
  analyse    search a position, show what the search thinks of each move, and why
  play       play a game against Teresa in the terminal
  review     judge every move of the games in a PGN file
  bench      search some positions, tell speed and signature
  epd        solve test suites
  explore    watch a search in the browser (needs the extra `explore`)
  perft      count the leaves of the tree of legal moves
  gomoku     play Gomoku against the textbook search in the terminal
  train      make the network: labelled games, training, figures (needs the extra `train`)
  warmup     compile all kernels now, with a progress display
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of Teresa; -> exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        return COMMANDS[words[0]](words[1:])
    parser = argparse.ArgumentParser(
        prog="teresa", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"Teresa {version('teresa-chess')}")
    parser.add_argument("command", nargs="?", choices=[*COMMANDS], help="without it: speak UCI")
    parser.parse_args(words)
    from engine.uci import main as speak_uci

    return speak_uci()


def _perft(words: Sequence[str]) -> int:
    from perft.__main__ import main

    return main(words, program="teresa perft")


def _analyse(words: Sequence[str]) -> int:
    from engine.terminal.analyse import main

    return main(words)


def _play(words: Sequence[str]) -> int:
    from engine.terminal.play import main

    return main(words)


def _review(words: Sequence[str]) -> int:
    from engine.terminal.review import main

    return main(words)


def _bench(words: Sequence[str]) -> int:
    from engine.bench import main

    return main(words)


def _epd(words: Sequence[str]) -> int:
    from engine.epd import main

    return main(words)


def _explore(words: Sequence[str]) -> int:
    from engine.explorer.command import main

    return main(words)


def _gomoku(words: Sequence[str]) -> int:
    from engine.gomoku import main

    return main(words)


def _train(words: Sequence[str]) -> int:
    from engine.training.commands import main

    return main(words)


def _warmup(words: Sequence[str]) -> int:
    from engine.warmup import main

    return main(words)


# Each command imports what it needs itself: start-up time is a feature.
COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "analyse": _analyse,
    "play": _play,
    "review": _review,
    "bench": _bench,
    "epd": _epd,
    "explore": _explore,
    "perft": _perft,
    "gomoku": _gomoku,
    "train": _train,
    "warmup": _warmup,
}


if __name__ == "__main__":
    sys.exit(main())
