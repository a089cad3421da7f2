"""`teresa play`: a game against Teresa in the terminal."""

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.arguments import add_limits, add_position, engine_options, seconds_of
from engine.cli.play.farewell import ended_by_signals, status_after, undisturbed
from engine.warmup import ensure_warm
from perft.exits import reported

if TYPE_CHECKING:
    import chess

    from engine.cli.play.game import Match
    from engine.cli.play.loop import OwnFile, Talk
    from engine.pgn.game_file import Coding
    from movegen.position import Side

SECONDS = 1.0
ANY = -1  # of the 960 starts


def main(arguments: Sequence[str]) -> int:
    """Play; -> exit status."""
    options = _parser().parse_args(arguments)
    return reported("teresa play", lambda: _main(options))


def _main(options: argparse.Namespace) -> int:
    ensure_warm()
    talk = _new_talk(options)
    with ended_by_signals():
        return _play(talk)


def _play(talk: "Talk") -> int:
    """Play until the person leaves, or until a signal comes; the game is saved. -> exit status"""
    try:
        try:
            talk.run()
        except (EOFError, OSError):  # of the terminal, or of a pipe: it is gone, or the disk behind it is full
            talk.leave(after_prompt=True)
    except KeyboardInterrupt as end:  # also while it was being saved
        with undisturbed():
            talk.leave(after_prompt=True)
        return status_after(end)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="teresa play", description=__doc__)
    add_position(parser, chess960=False)
    parser.add_argument("--fen", help=argparse.SUPPRESS)  # an older name
    parser.add_argument("--elo", type=int, metavar="N", help="how strong Teresa plays; default: as well as she can")
    add_limits(parser, SECONDS, "each of her moves")
    parser.add_argument("--colour", "--color", choices=("white", "black", "random"), help="yours (default white)")
    parser.add_argument(
        "--chess960", type=_start_number, nargs="?", const=ANY, metavar="NUMBER", help="0 to 959; else any"
    )
    parser.add_argument("--resume", metavar="FILE.pgn", help="go on with the last game of a file, or with --game N")
    parser.add_argument("--name", default="Human", help="yours, for the PGN (default %(default)s)")
    parser.add_argument("--pieces", choices=("auto", "unicode", "letters"), default="auto")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="memory of the tree (default 256)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="not 0: with --visits her choices repeat themselves")
    return parser


def _new_talk(options: argparse.Namespace) -> "Talk":
    from engine.cli.play.game import Match, new_game
    from engine.cli.play.hints import Adviser
    from engine.cli.play.loop import UTF8, Talk
    from engine.cli.play.opponent import Opponent
    from engine.cli.play.pace import Pace
    from engine.cli.table import new_console
    from engine.search.resources import Resources

    def begin_anew() -> Match:
        side = _side(options.colour or "white")
        return Match(new_game(_start(options), side, options.name, options.elo), side)

    engine_options(options)  # before the file is read: it may have a rating that --elo overrules
    match, file, coding = _resumed(options) if options.resume else (begin_anew(), None, UTF8)
    limited = {} if options.elo is None else {"UCI_LimitStrength": "true"}
    settings = engine_options(options, {"Move Overhead": "0", **limited})
    pace, knowledge = Pace(seconds_of(options, SECONDS), options.visits), Resources()
    return Talk(
        match,
        Opponent(settings, pace, knowledge),
        lambda wait: Adviser(pace, knowledge, wait),
        new_console(is_terminal=sys.stdout.isatty()),
        pieces=options.pieces,
        file=file,
        coding=coding,
        begin_anew=begin_anew,
    )


def _side(wish: str) -> "Side":
    if wish == "random":
        wish = random.choice(("white", "black"))
    return "white" if wish == "white" else "black"


def _start_number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 959:
        raise argparse.ArgumentTypeError("the starts have the numbers 0 to 959")
    return number


def _start(options: argparse.Namespace) -> "chess.Board":
    """The position to begin with; `ValueError` says what is wrong with the wish."""
    import chess

    from engine.pgn.game_file import STANDARD_INPUT, read_position

    number, text = options.chess960, options.fen or " ".join(options.position)
    if text == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")
    if text and number not in (None, ANY):
        raise ValueError("a position and a number of --chess960 are two starts")
    if not text and number is not None:
        return chess.Board.from_chess960_pos(random.randrange(960) if number == ANY else number)
    position, remark = read_position(
        text, chess960=number is not None, game=options.game, ply=options.ply, encoding=options.encoding
    )
    if remark:
        print(remark, file=sys.stderr)
    return chess.Board(position.fen(shredder=position.chess960), chess960=position.chess960)


def _resumed(options: argparse.Namespace) -> tuple["Match", "OwnFile | None", "Coding"]:
    """A game of a file, the last one as a rule; the file if nothing else is in it; how its text is coded."""
    from engine.cli.play.game import Match, engine_elo, engine_side, other
    from engine.pgn.game_file import STANDARD_INPUT, GameFile

    if options.position or options.fen or options.chess960 is not None or options.ply is not None:
        raise ValueError("--resume and a position are two starts")
    if options.resume == STANDARD_INPUT:
        raise ValueError("standard input is where your moves come from; name a file")
    with GameFile(options.resume, options.encoding) as file:
        found = file.game(options.game)
        is_alone = found.number == 1 and not found.read().has_other_text and file.game().number == 1
        is_alone = is_alone and not file.has_other_text
    game = found.read_whole()
    hers = engine_side(game)
    try:
        side = _side(options.colour) if options.colour else other(hers) if hers else None
        match = Match(game, side or "white")
        if side is None:
            match.human = match.position.turn
    except ValueError as error:
        raise ValueError(f"{options.resume}: {error}") from None
    if options.elo is None and hers is not None and hers != match.human:
        options.elo = engine_elo(game)
    return match, _own_file(Path(options.resume)) if is_alone else None, file.coding


def _own_file(path: Path) -> "OwnFile | None":
    """A file that Teresa may write the game into; None if that cannot be."""
    from engine.cli.play.loop import OwnFile
    from engine.pgn.game_file import looks_like_games
    from engine.system.output_file import check_writable

    if not path.is_file():
        return None
    try:
        check_writable(path, is_ours=looks_like_games, kind="a PGN file")
        return OwnFile(path, path.read_bytes())
    except (OSError, ValueError) as error:
        print(f"{error}; the game will be saved under another name", file=sys.stderr)
        return None
