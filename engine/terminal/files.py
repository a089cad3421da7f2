"""Games in PGN files: read all of them, write without ever leaving half a file."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from movegen import Position

if TYPE_CHECKING:
    import chess
    import chess.pgn

VARIANTS = ("standard", "chess", "normal", "from position", "chess960", "chess 960", "fischerandom", "fischerrandom")


def read_games(path: Path) -> list["chess.pgn.Game"]:
    """All games of a file; `ValueError` if there are none."""
    import chess.pgn

    games = []
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                games.append(game)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if not games:
        raise ValueError(f"{path}: there is no game in it")
    return games


def check_variant(game: "chess.pgn.Game") -> None:
    """`ValueError` for a game by other rules."""
    variant = game.headers.get("Variant", "standard")
    if variant.lower() not in VARIANTS:
        raise ValueError(f"{printable(variant)} is not played here")


def position_of(board: "chess.Board") -> Position:
    """The same position, without what was played before; `ValueError` if it cannot be played."""
    return Position(board.fen(shredder=board.chess960), chess960=board.chess960)


def text_of(games: list["chess.pgn.Game"]) -> str:
    """Games as PGN."""
    return "\n\n".join(str(game) for game in games) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file all at once: whoever looks finds the old one or the new one. `OSError` if that cannot be."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What new files may not allow; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def printable(text: str) -> str:
    """A text of somebody else's without what could steer the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
