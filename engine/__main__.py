"""The command `teresa`. Nothing is imported on top but what Python has loaded already: Ctrl-C may come at any time."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DESCRIPTION = """
Teresa, a chess engine in Python whose search is Monte Carlo tree search.
Without a command it speaks UCI on standard input and output.

commands (each has its own --help):
  analyse    search a position, show what the search thinks of each move, and why (also: analyze)
  play       play a game against Teresa in the terminal
  review     judge every move of the games in a PGN file
  bench      search some positions, print speed and signature
  epd        solve test suites
  explore    watch a search in the browser (needs the extra `explore`)
  perft      count the leaves of the tree of legal moves
  gomoku     play Gomoku against the textbook search in the terminal
  train      make the network: labelled games, training, figures (needs the extra `train`)
  warmup     compile all kernels now, with a progress display

exit status: 0 done, 2 bad input, 130 interrupted by Ctrl-C, 141 the reader of the output has gone
"""

BAD_INPUT, INTERRUPTED = 2, 130

# Each is imported when it is asked for: start-up time is a feature.
COMMANDS = {
    "analyse": "engine.cli.analyse",
    "analyze": "engine.cli.analyse",
    "play": "engine.cli.play.command",
    "review": "engine.cli.review",
    "bench": "engine.cli.bench",
    "epd": "engine.cli.epd",
    "explore": "engine.cli.explore",
    "perft": "perft.__main__",
    "gomoku": "engine.cli.gomoku",
    "train": "engine.cli.train",
    "warmup": "engine.cli.warmup",
}


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command of Teresa; -> exit status. Without arguments this process is the program `teresa`."""
    if arguments is not None:
        return _run(list(arguments))
    try:
        from perft.exits import run_as_program

        return run_as_program("teresa", lambda: _run(sys.argv[1:]))
    except KeyboardInterrupt:  # before anybody else looks after it
        print("teresa: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        return _run_command(words[0], words[1:])
    from perft.exits import ending_at_once

    with ending_at_once():
        _parse(words)
        from engine.uci.loop import main as speak_uci
    return speak_uci()


def _parse(words: list[str]) -> None:
    """Answer --help and --version, and refuse what is no command."""
    if not words:
        return
    import argparse

    from engine.system.version import version

    parser = argparse.ArgumentParser(
        prog="teresa", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"Teresa {version()}")
    parser.add_argument("command", nargs="?", choices=[*COMMANDS], help="without it: speak UCI")
    parser.parse_args(words)


def _run_command(name: str, words: list[str]) -> int:
    from perft.exits import ending_at_once

    with ending_at_once():
        from importlib import import_module

        command = import_module(COMMANDS[name])
    try:
        return int(command.main(words, program="teresa perft") if name == "perft" else command.main(words))
    except ModuleNotFoundError as error:
        from engine.system.extras import how_to_install

        advice = how_to_install(error.name)
        if advice is None:
            raise
        print(f"teresa {name}: {advice}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
