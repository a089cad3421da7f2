"""`teresa play`: a game against Teresa in the terminal."""

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import (
    add_limits,
    add_memory_and_threads,
    add_position,
    add_seed,
    engine_options,
    limits_from,
)
from engine.cli.progress import warm_up
from engine.cli.termination import ended_by_signals, signals_ignored, status_after
from engine.config.options import Options
from perft.exits import DONE, reported

if TYPE_CHECKING:
    from engine.cli.play.game import PlayedGame
    from engine.cli.play.loop import GameLoop
    from engine.cli.play.saving import OwnFile
    from engine.pgn.encoding import Encoding
    from movegen import Position
    from movegen.position import Side

SECONDS = 1.0
ANY = -1  # of the 960 starts


def main(argv: Sequence[str]) -> int:
    """Play; -> exit status."""
    arguments = _new_parser().parse_args(argv)
    return reported("teresa play", lambda: _main(arguments))


def _main(arguments: argparse.Namespace) -> int:
    warm_up()
    loop = _new_loop(arguments)
    with ended_by_signals():
        return _play(loop)


def _play(loop: "GameLoop") -> int:
    """Play until the user leaves, or until a signal comes; the game is saved. -> exit status"""
    try:
        try:
            loop.run()
        except (EOFError, OSError):  # the terminal or the pipe is closed, or the disk behind it is full
            loop.leave(after_prompt=True)
    except KeyboardInterrupt as end:  # perhaps while the game was being saved
        with signals_ignored():
            loop.leave(after_prompt=True)
        return status_after(end)
    return DONE


def _new_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa play", description=__doc__)
    add_position(parser, chess960=False)
    parser.add_argument("--fen", help=argparse.SUPPRESS)  # an older name
    parser.add_argument("--elo", type=int, metavar="N", help="Teresa's rating (default: full strength)")
    add_limits(parser, SECONDS, "each move of Teresa")
    parser.add_argument(
        "--colour", "--color", choices=("white", "black", "random"), help="the colour you play (default white)"
    )
    parser.add_argument(
        "--chess960", type=_start_number, nargs="?", const=ANY, metavar="NUMBER", help="start 0 to 959; else any"
    )
    parser.add_argument("--resume", metavar="FILE.pgn", help="continue the last game of a file, or game N with --game")
    parser.add_argument("--name", default="Human", help="your name in the PGN (default %(default)s)")
    parser.add_argument(
        "--pieces", choices=("auto", "unicode", "letters"), default="auto", help="how to show them (default auto)"
    )
    add_memory_and_threads(parser)
    add_seed(parser, "Teresa's moves")
    return parser


def _new_loop(arguments: argparse.Namespace) -> "GameLoop":
    from engine.cli.console import new_console
    from engine.cli.play.game import PlayedGame, new_pgn
    from engine.cli.play.hints import Hints
    from engine.cli.play.loop import GameLoop
    from engine.cli.play.opponent import Opponent
    from engine.cli.play.saving import UTF8
    from engine.search.resources import Resources

    def new_game() -> PlayedGame:
        side = _side(arguments.colour or "white")
        return PlayedGame(new_pgn(_start(arguments), side, arguments.name, arguments.elo), side)

    engine_options(arguments)  # reports a wrong argument before the file is read, whose rating --elo overrides
    game, file, encoding = _resumed(arguments) if arguments.resume else (new_game(), None, UTF8)
    options = engine_options(arguments, Options(move_overhead=0))
    limits, resources, console = limits_from(arguments, SECONDS), Resources(), new_console(sys.stdout.isatty())
    return GameLoop(
        game,
        Opponent(options, limits, resources),
        Hints(limits, resources, console),
        console,
        new_game=new_game,
        pieces=arguments.pieces,
        file=file,
        encoding=encoding,
    )


def _side(choice: str) -> "Side":
    if choice == "random":
        choice = random.choice(("white", "black"))
    return "white" if choice == "white" else "black"


def _start_number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 959:
        raise argparse.ArgumentTypeError("the starts have the numbers 0 to 959")
    return number


def _start(arguments: argparse.Namespace) -> "Position":
    """The position to begin with; `ValueError` says what is wrong with the arguments."""
    from engine.pgn.convert import chess960_start
    from engine.pgn.game_file import STANDARD_INPUT
    from engine.pgn.positions import read_position

    number, text = arguments.chess960, arguments.fen or " ".join(arguments.position)
    if text == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")
    if text and number not in (None, ANY):
        raise ValueError("a position and a number of --chess960 are two starts")
    if not text and number is not None:
        return chess960_start(random.randrange(960) if number == ANY else number)
    position, remark = read_position(
        text, chess960=number is not None, game=arguments.game, ply=arguments.ply, encoding=arguments.encoding
    )
    if remark:
        print(remark, file=sys.stderr)
    return position


def _resumed(arguments: argparse.Namespace) -> tuple["PlayedGame", "OwnFile | None", "Encoding"]:
    """A game of a file, the last one by default; the file, if it holds nothing else; its encoding."""
    from engine.cli.play.game import PlayedGame, engine_elo, engine_side, other
    from engine.pgn.game_file import STANDARD_INPUT, GameFile

    if arguments.position or arguments.fen or arguments.chess960 is not None or arguments.ply is not None:
        raise ValueError("--resume and a position are two starts")
    if arguments.resume == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")
    with GameFile(arguments.resume, arguments.encoding) as file:
        found = file.game(arguments.game)
        is_alone = found.number == 1 and not found.read().has_other_text and file.game().number == 1
        is_alone = is_alone and not file.has_other_text
    pgn = found.read_whole()
    teresas = engine_side(pgn)
    try:
        side = _side(arguments.colour) if arguments.colour else other(teresas) if teresas else None
        game = PlayedGame(pgn, side or "white")
        if side is None:
            game.human = game.position.turn
    except ValueError as error:
        raise ValueError(f"{arguments.resume}: {error}") from None
    if arguments.elo is None and teresas is not None and teresas != game.human:
        arguments.elo = engine_elo(pgn)
    return game, _own_file(Path(arguments.resume)) if is_alone else None, file.encoding


def _own_file(path: Path) -> "OwnFile | None":
    """The file, if Teresa can write the game into it."""
    from engine.cli.play.saving import OwnFile

    try:
        return OwnFile.open(path)
    except (OSError, ValueError) as error:
        print(f"{error}; the game will be saved under another name", file=sys.stderr)
        return None
