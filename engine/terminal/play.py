"""`teresa play`: a game against Teresa in the terminal."""

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.terminal.numbers import positive
from engine.warmup import ensure_warm

if TYPE_CHECKING:
    import chess

    from engine.options import Settings
    from engine.terminal.match import Match
    from engine.terminal.talk import Talk
    from movegen.position import Side

SECONDS = 1.0
INTERRUPTED = 130
ANY = -1  # of the 960 starts


def main(arguments: Sequence[str]) -> int:
    """Play; -> exit status."""
    options = _parser().parse_args(arguments)
    ensure_warm()
    try:
        talk = _new_talk(options)
    except ValueError as error:
        print(f"teresa play: {error}", file=sys.stderr)
        return 2
    try:
        talk.run()
    except (EOFError, KeyboardInterrupt) as end:
        print()
        talk.leave()
        return INTERRUPTED if isinstance(end, KeyboardInterrupt) else 0
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa play", description=__doc__)
    parser.add_argument("--elo", type=int, metavar="N", help="how strong Teresa plays; default: as well as she can")
    parser.add_argument("--seconds", type=positive(float), help=f"for each of her moves (default {SECONDS:g})")
    parser.add_argument("--visits", type=positive(int), help="for each of her moves, instead of or besides --seconds")
    parser.add_argument("--colour", "--color", choices=("white", "black", "random"), help="yours (default white)")
    parser.add_argument("--chess960", type=int, nargs="?", const=ANY, metavar="NUMBER", help="0 to 959; else any")
    parser.add_argument("--fen", help="the position to begin with")
    parser.add_argument("--resume", type=Path, metavar="FILE.pgn", help="go on with the last game of a file")
    parser.add_argument("--name", default="Human", help="yours, for the PGN (default %(default)s)")
    parser.add_argument("--pieces", choices=("auto", "unicode", "letters"), default="auto")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="not 0: with --visits her choices repeat themselves")
    return parser


def _new_talk(options: argparse.Namespace) -> "Talk":
    from engine.knowledge import Knowledge
    from engine.terminal.adviser import Adviser
    from engine.terminal.match import Match, new_game
    from engine.terminal.opponent import Opponent
    from engine.terminal.pace import Pace
    from engine.terminal.table import new_console
    from engine.terminal.talk import Talk

    def begin_anew() -> Match:
        side = _side(options.colour or "white")
        return Match(new_game(_start(options), side, options.name, options.elo), side)

    match, file = _resumed(options) if options.resume else (begin_anew(), None)
    seconds = SECONDS if options.seconds is None and options.visits is None else options.seconds
    pace, knowledge = Pace(seconds, options.visits), Knowledge()
    return Talk(
        match,
        Opponent(_settings(options), pace, knowledge),
        lambda wait: Adviser(pace, knowledge, wait),
        new_console(is_terminal=sys.stdout.isatty()),
        pieces=options.pieces,
        file=file,
        begin_anew=begin_anew,
    )


def _settings(options: argparse.Namespace) -> "Settings":
    from engine.options import Settings

    settings = Settings()
    wanted = {"Hash": options.hash, "Threads": options.threads, "Seed": options.seed, "Move Overhead": 0}
    if options.elo is not None:
        wanted |= {"UCI_Elo": options.elo, "UCI_LimitStrength": "true"}
    for name, value in wanted.items():
        try:
            settings.set(name, str(value))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return settings


def _side(wish: str) -> "Side":
    if wish == "random":
        wish = random.choice(("white", "black"))
    return "white" if wish == "white" else "black"


def _start(options: argparse.Namespace) -> "chess.Board":
    """The position to begin with; `ValueError` says what is wrong with the wish."""
    import chess

    from movegen import Position

    number = options.chess960
    if options.fen:
        if number not in (None, ANY):
            raise ValueError("--fen and a number of --chess960 are two starts")
        position = Position(options.fen, chess960=number is not None)
        return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)
    if number is None:
        return chess.Board()
    if number != ANY and not 0 <= number <= 959:
        raise ValueError("--chess960: the starts have the numbers 0 to 959")
    return chess.Board.from_chess960_pos(random.randrange(960) if number == ANY else number)


def _resumed(options: argparse.Namespace) -> tuple["Match", Path | None]:
    """The last game of a file, and the file if nothing else is in it."""
    from engine.terminal.files import read_games
    from engine.terminal.match import Match, engine_elo, engine_side, other

    if options.fen or options.chess960 is not None:
        raise ValueError("--resume brings a start of its own")
    games = read_games(options.resume)
    game, hers = games[-1], engine_side(games[-1])
    try:
        side = _side(options.colour) if options.colour else other(hers) if hers else None
        match = Match(game, side or "white")
        if side is None:
            match.human = match.position.turn
    except ValueError as error:
        raise ValueError(f"{options.resume}: {error}") from None
    if options.elo is None and hers is not None and hers != match.human:
        options.elo = engine_elo(game)
    return match, options.resume if len(games) == 1 else None
