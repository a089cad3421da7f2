"""How a game begins: a position, or a game of a file that is continued."""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from engine.cli.arguments import asked_position, engine_options, opened
from engine.cli.console import new_console
from engine.cli.play import ANY_START
from engine.cli.play.game_loop import GameLoop
from engine.cli.play.maia import keep_maia, limits_of_opponent, set_chance, set_maia
from engine.cli.play.played_game import PlayedGame, engine_elo, engine_maia, engine_side, new_pgn, other
from engine.cli.play.saving import UTF8, OwnFile
from engine.cli.play.searches import Hints, Opponent
from engine.config.options import Options
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import STANDARD_INPUT, FoundGame, GameFile
from engine.pgn.positions import AskedPosition, chess960_start, position_in
from engine.search.clock import Limits
from engine.search.resources import Resources
from movegen.position import Side


@dataclass(frozen=True)
class ResumedGame:
    """A game of a file."""

    found: FoundGame
    encoding: Encoding
    is_alone: bool  # nothing else is in the file


Start = AskedPosition | ResumedGame


def find_start(arguments: argparse.Namespace) -> Start:
    """What the arguments ask for; `ValueError` says what is wrong, before anything is compiled."""
    resumed = _find_game(arguments) if arguments.resume else None
    if resumed is not None:
        keep_maia(arguments, engine_maia(resumed.found.read_whole()))
    set_maia(arguments)
    set_chance(engine_options(arguments), arguments.temperature)
    return resumed or _find_position(arguments)


def new_loop(arguments: argparse.Namespace, start: Start, limits: Limits) -> GameLoop:
    """The game that the arguments ask for."""

    def new_game(start: AskedPosition | None = None) -> PlayedGame:
        side = _side(arguments.colour or "white")
        position = opened(start or _find_position(arguments))
        return PlayedGame(new_pgn(position, side, arguments.name, arguments.elo, arguments.maia), side)

    if isinstance(start, ResumedGame):
        game, file, encoding = _resumed(start, arguments)
    else:
        game, file, encoding = new_game(start), None, UTF8
    options = engine_options(arguments, Options(move_overhead=0))
    set_chance(options, arguments.temperature)
    resources, console = Resources(), new_console(sys.stdout.isatty())
    resources.open_files(options)
    hints = Hints(limits, Resources() if arguments.maia else resources, console)
    return GameLoop(
        game,
        Opponent(options, limits_of_opponent(arguments, limits), resources, hints),
        hints,
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


def _find_position(arguments: argparse.Namespace) -> AskedPosition:
    """The position to begin with; `ValueError` says what is wrong with the arguments."""
    number, text = arguments.chess960, arguments.fen or " ".join(arguments.position)
    _check_not_standard_input(text)
    if text and number not in (None, ANY_START):
        raise ValueError("a position and a number of --chess960 are two starts")
    if not text and number is not None:
        return chess960_start(random.randrange(960) if number == ANY_START else number)
    return asked_position(arguments, chess960=number is not None, fen=arguments.fen)


def _check_not_standard_input(name: str) -> None:
    if name == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")


def _find_game(arguments: argparse.Namespace) -> ResumedGame:
    """A game of a file, the last one by default."""
    if arguments.position or arguments.fen or arguments.chess960 is not None or arguments.ply is not None:
        raise ValueError("--resume and a position are two starts")
    _check_not_standard_input(arguments.resume)
    with GameFile(arguments.resume, arguments.encoding) as file:
        found = file.game(arguments.game)
        is_alone = found.number == 1 and not found.read().has_other_text and file.game().number == 1
        is_alone = is_alone and not file.has_other_text
    position_in(found)  # reports what is wrong with it
    return ResumedGame(found, file.encoding, is_alone)


def _resumed(start: ResumedGame, arguments: argparse.Namespace) -> tuple[PlayedGame, OwnFile | None, Encoding]:
    """The game, continued; the file, if it holds nothing else; its encoding."""
    pgn = start.found.read_whole()
    teresas = engine_side(pgn)
    try:
        side = _side(arguments.colour) if arguments.colour else other(teresas) if teresas else None
        game = PlayedGame(pgn, side or "white")
        if side is None:
            game.human = game.position.turn
    except ValueError as error:
        raise ValueError(f"{start.found.file}: {error}") from None
    if arguments.elo is None and arguments.maia is None and teresas is not None and teresas != game.human:
        arguments.elo = engine_elo(pgn)
    return game, _own_file(Path(start.found.file)) if start.is_alone else None, start.encoding


def _own_file(path: Path) -> OwnFile | None:
    """The file, if Teresa can write the game into it."""
    try:
        return OwnFile.open(path)
    except (OSError, ValueError) as error:
        print(f"{error}; the game will be saved under another name", file=sys.stderr)
        return None
