"""The command `teresa`. At the top it imports only what Python has loaded already: Ctrl-C may come at any time."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

# Command -> module, help line. A module is imported when its command is called: start-up time is a feature.
COMMANDS = {
    "analyse": (
        "engine.cli.analyse",
        "search a position, show what the search thinks of each move, and why (also: analyze)",
    ),
    "play": ("engine.cli.play.command", "play a game against Teresa in the terminal"),
    "review": ("engine.cli.review", "judge every move of the games in a PGN file"),
    "bench": ("engine.cli.bench", "search some positions, print speed and signature"),
    "epd": ("engine.cli.epd", "solve test suites"),
    "explore": ("engine.cli.explore", "watch a search in the browser (needs the extra `explore`)"),
    "perft": ("perft.__main__", "count the leaves of the tree of legal moves"),
    "gomoku": ("engine.cli.gomoku", "play Gomoku against the textbook search in the terminal"),
    "match": ("engine.cli.match", "play games between two players: options, weights or UCI engines; Elo, SPRT"),
    "tune": ("engine.cli.tune", "find constants of the search by games between different settings"),
    "train": ("engine.cli.train", "make the network: labelled games, training, figures"),
    "warmup": ("engine.cli.warmup", "compile all kernels now, with a progress display"),
}
ALIASES = {"analyze": "analyse"}

USAGE = """
Teresa, a chess engine in Python whose search is Monte Carlo tree search.
Without a command it speaks UCI on standard input and output.

commands (each has its own --help):
{commands}

exit status: 0 done, 1 a check failed, 2 bad input, 130 interrupted by Ctrl-C, 141 the reader of the output has gone
"""

INTERRUPTED = 130  # the same as in perft.exits, which may not be loaded yet


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run a command of Teresa; -> exit status. Without `argv` this process is the program `teresa`."""
    if argv is not None:
        return _run(list(argv))
    try:
        from perft.exits import run_as_program

        return run_as_program("teresa", lambda: _run(sys.argv[1:]))
    except KeyboardInterrupt:  # before `run_as_program` handles it
        print("teresa: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(argv: list[str]) -> int:
    command = ALIASES.get(argv[0], argv[0]) if argv else ""
    if command in COMMANDS:
        return _run_command(command, argv[1:])
    from perft.exits import ending_at_once

    with ending_at_once():
        if argv:
            _new_parser().parse_args(argv)  # answers --help and --version, and refuses unknown commands
        from engine.uci.pipes import main as speak_uci
    return speak_uci()


def _new_parser() -> "argparse.ArgumentParser":
    import argparse

    from engine.system.environment import version

    lines = "\n".join(f"  {name:10} {text}" for name, (_, text) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="teresa",
        description=USAGE.format(commands=lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Teresa {version()}")
    parser.add_argument("command", nargs="?", choices=[*COMMANDS, *ALIASES], help="without it: speak UCI")
    return parser


def _run_command(name: str, argv: list[str]) -> int:
    from perft.exits import BAD_INPUT, ending_at_once

    with ending_at_once():
        from importlib import import_module

        command = import_module(COMMANDS[name][0])
    try:
        return int(command.main(argv, program="teresa perft") if name == "perft" else command.main(argv))
    except ModuleNotFoundError as error:
        from engine.system.environment import how_to_install

        advice = how_to_install(error.name)
        if advice is None:
            raise
        print(f"teresa {name}: {advice}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
