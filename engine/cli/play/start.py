"""How a game begins: a position, or a game of a file that is continued."""

import argparse
import random
import sys
from pathlib import Path

from engine.cli.arguments import engine_options, position_from
from engine.cli.console import new_console
from engine.cli.play import ANY_START
from engine.cli.play.game_loop import GameLoop
from engine.cli.play.played_game import PlayedGame, engine_elo, engine_side, new_pgn, other
from engine.cli.play.saving import UTF8, OwnFile
from engine.cli.play.searches import Hints, Opponent
from engine.config.options import Options
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import STANDARD_INPUT, GameFile
from engine.pgn.positions import chess960_start
from engine.search.clock import Limits
from engine.search.resources import Resources
from movegen import Position
from movegen.position import Side


def new_loop(arguments: argparse.Namespace, limits: Limits) -> GameLoop:
    """The game that the arguments ask for."""

    def new_game() -> PlayedGame:
        side = _side(arguments.colour or "white")
        return PlayedGame(new_pgn(_start(arguments), side, arguments.name, arguments.elo), side)

    engine_options(arguments)  # reports a wrong argument before the file is read, whose rating --elo overrides
    game, file, encoding = _resumed(arguments) if arguments.resume else (new_game(), None, UTF8)
    options = engine_options(arguments, Options(move_overhead=0))
    resources, console = Resources(), new_console(sys.stdout.isatty())
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


def _side(choice: str) -> Side:
    if choice == "random":
        choice = random.choice(("white", "black"))
    return "white" if choice == "white" else "black"


def _start(arguments: argparse.Namespace) -> Position:
    """The position to begin with; `ValueError` says what is wrong with the arguments."""
    number, text = arguments.chess960, arguments.fen or " ".join(arguments.position)
    if text == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")
    if text and number not in (None, ANY_START):
        raise ValueError("a position and a number of --chess960 are two starts")
    if not text and number is not None:
        return chess960_start(random.randrange(960) if number == ANY_START else number)
    return position_from(arguments, chess960=number is not None, fen=arguments.fen)


def _resumed(arguments: argparse.Namespace) -> tuple[PlayedGame, OwnFile | None, Encoding]:
    """A game of a file, the last one by default; the file, if it holds nothing else; its encoding."""
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


def _own_file(path: Path) -> OwnFile | None:
    """The file, if Teresa can write the game into it."""
    try:
        return OwnFile.open(path)
    except (OSError, ValueError) as error:
        print(f"{error}; the game will be saved under another name", file=sys.stderr)
        return None
