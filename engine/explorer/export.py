"""The open game as a file: PGN, PGN with what was judged, or a page that works offline."""

from typing import TYPE_CHECKING

from engine.explorer.asked import Attachment
from engine.explorer.open_game import OpenGame
from engine.explorer.page_files import page_with
from engine.pgn.annotated import tree_text
from engine.system.environment import version

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.explorer.game_session import GameSession

PGN_KIND, PAGE_KIND = "application/x-chess-pgn; charset=utf-8", "text/html; charset=utf-8"
ANNOTATOR = "Annotator"
LONGEST_NAME = 80  # letters


def pgn_text(game: OpenGame) -> str:
    """The game with its variations, as it is saved."""
    with game.lock:
        return tree_text(game.tree) + "\n"


def annotated_text(game: OpenGame) -> str:
    """The same with evaluations, marks and better lines."""
    with game.lock:
        return tree_text(game.tree, dict(game.annotations), {ANNOTATOR: f"Teresa {version()}"}) + "\n"


def is_annotated(head: bytes) -> bool:
    """Does a file begin with such a game?"""
    return f'[{ANNOTATOR} "Teresa '.encode() in head


def page(session: "GameSession") -> bytes:
    """A page with the game and what was judged of it."""
    about = {**session.about(), "interactive": False}
    return page_with({"about": about, "game": session.game.data(), "positions": {}, "searches": []})


def exported(session: "GameSession", kind: str) -> Attachment:
    """The open game; `ValueError` if there is no such kind of file."""
    kinds: dict[str, tuple[str, str, Callable[[], bytes]]] = {
        "pgn": (".pgn", PGN_KIND, lambda: pgn_text(session.game).encode()),
        "annotated": ("-judged.pgn", PGN_KIND, lambda: annotated_text(session.game).encode()),
        "html": (".html", PAGE_KIND, lambda: page(session)),
    }
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(kinds)}")
    ending, content_type, work = kinds[kind]
    return Attachment(name_of(session.game) + ending, content_type, work())


def name_of(game: OpenGame) -> str:
    """For a file: the players, or that it is a game."""
    players = [game.tree.headers.get(side, "?").split(",")[0].strip() for side in ("White", "Black")]
    known = [player for player in players if player.strip("?")]
    plain = "-".join(known) or "game"
    return "".join(letter if letter.isalnum() else "-" for letter in plain)[:LONGEST_NAME].strip("-") or "game"
