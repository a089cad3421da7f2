"""Saving a game: in its own file, or in a new one, and never over a file of another program."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.cli.play.played_game import PlayedGame
from engine.pgn.encoding import Encoding
from engine.pgn.game_file import looks_like_games, text_of
from engine.system.files import check_writable, write_whole
from perft.command_text import quoted

UTF8 = Encoding()


@dataclass(frozen=True)
class OwnFile:
    """A file that holds this game and nothing else."""

    path: Path
    content: bytes  # as it was read or written last

    @classmethod
    def open(cls, path: Path) -> "OwnFile | None":
        """None if it is no regular file; `ValueError` or `OSError` if it cannot be written."""
        if not path.is_file():
            return None
        check_writable(path, is_ours=looks_like_games, kind="a PGN file")
        return cls(path, path.read_bytes())

    def check(self) -> None:
        """`ValueError` if another program has changed it."""
        try:
            is_same = self.path.read_bytes() == self.content
        except OSError:  # it is gone, or cannot be read; then writing reports the reason
            return
        if not is_same:
            raise ValueError(f"{self.path} was changed by another program; choose another name")


class GameSaver:
    """Saves one game."""

    def __init__(self, say: Callable[[str], None], file: OwnFile | None = None, encoding: Encoding = UTF8) -> None:
        """`say` prints a line; `file`: where the game came from."""
        self._say, self._file, self._encoding = say, file, encoding

    def save(self, game: PlayedGame, name: str) -> None:
        """Write the game. `ValueError` says why it cannot be written."""
        if not name and self._file is None:
            raise ValueError("the name of a file must follow")
        path = Path(name).expanduser()
        if self._file is not None and (not name or path == self._file.path):
            self._file.check()
            path = self._file.path
        elif path.exists():
            raise ValueError(f"{path} exists already; choose another name")
        self._write(game, path)

    def _write(self, game: PlayedGame, path: Path) -> None:
        content = self._encoding.mark + self._encoding.encode(_pgn_text(game))
        try:
            write_whole(path, content)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from None
        self._file, game.is_saved = OwnFile(path, content), True
        self._say(f"saved as {path}")

    def save_if_needed(self, game: PlayedGame) -> None:
        """Save a game that is not saved: in its own file, else in a new one; if neither can be, print it."""
        if game.is_saved:
            return
        errors = []
        for name in ["", new_name()] if self._file else [new_name()]:
            try:
                self.save(game, name)
            except ValueError as error:
                errors.append(str(error))
            else:
                break
        for text in errors:
            self._say(text)
        self._say(self._how_to_resume(game) if game.is_saved else _pgn_text(game))

    def _how_to_resume(self, game: PlayedGame) -> str:
        path = quoted(str(self._file.path)) if self._file else ""
        return f"`teresa play --resume {path}` {'opens it again' if game.is_over else 'goes on'}"


def _pgn_text(game: PlayedGame) -> str:
    return text_of(game.pgn).rstrip() + "\n"


def new_name() -> str:
    """A name for a game without one: the time, and a number if there is such a file."""
    begin = f"teresa-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    names = (f"{begin}{suffix}.pgn" for suffix in ("", *(f"-{number}" for number in range(2, 100))))
    return next((name for name in names if not Path(name).exists()), f"{begin}.pgn")
