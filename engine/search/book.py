"""Opening books in the polyglot format, read by python-chess."""

import random
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from movegen import Position


class Book:
    """An opening book. `ValueError` if the file cannot be read."""

    def __init__(self, path: str) -> None:
        import chess.polyglot

        if not Path(path).is_file():
            raise ValueError(f"there is no book {path[:200]!a}")
        try:
            self._reader = chess.polyglot.open_reader(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"the book {path[:200]!a} cannot be read ({error})") from None

    def choose(self, position: "Position", rng: random.Random) -> int | None:
        """A random move of the book, with the book's weights; None if it has none here.

        `ValueError` if the file is damaged: whatever error python-chess raises.
        """
        from engine.pgn.python_chess import as_chess_board

        board = as_chess_board(position)
        try:
            entries = [entry for entry in self._reader.find_all(board) if entry.weight > 0]
        except Exception as error:  # noqa: BLE001  (a file may hold anything)
            raise ValueError(f"the book is damaged and not asked again ({error!r})") from None
        if not entries:
            return None
        entry = rng.choices(entries, [entry.weight for entry in entries])[0]
        return position.code(board.uci(entry.move))

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
