"""The file of the open game: the list of its games, and the next one to open."""

import threading
from pathlib import Path

from engine.explorer.asked import Data
from engine.explorer.open_game import OpenGame
from engine.pgn.game_tree import GameTree
from engine.pgn.index import GameIndex
from engine.pgn.positions import LONGEST_PASTED
from engine.pgn.save import save_tree

MOST_ROWS = 200
LONGEST_SEARCH = 100  # letters


class GameLibrary:
    """A PGN file. Its games are found in the background."""

    def __init__(self, path: str | Path, encoding: str | None = None) -> None:
        """`ValueError` if it cannot be read."""
        self.index = GameIndex(path, encoding)
        self.index.start()
        self.name = Path(self.index.name).name
        self._listing = threading.Lock()

    def about(self) -> Data:
        """For the page."""
        return {"name": self.name, "games": self.index.count}

    def rows(self, first: int, count: int, text: str) -> Data:
        """Some games of the list: of those that match a text, from the `first` one on."""
        if not 1 <= count <= MOST_ROWS:
            raise ValueError(f"count must be from 1 to {MOST_ROWS}")
        if len(text) > LONGEST_SEARCH:
            raise ValueError("the text is too long")
        index = self.index
        is_complete = index.is_complete
        with self._listing:
            matching, rows = index.rows(first, count, text)
        return {
            "state": "done" if is_complete else "reading",
            "share": round(index.share_read, 3),
            "count": index.count,
            "matching": matching,
            "message": index.trouble,
            "games": [row.data() for row in rows],
        }

    def tree(self, number: int) -> GameTree:
        """A game by its number."""
        return GameTree.of(self.index.game(number))

    def first_tree(self) -> tuple[int, GameTree]:
        """The first game that can be opened, with its number; `ValueError` if there is none: why the first cannot."""
        trouble, number = None, 0
        while True:
            number += 1
            try:
                return number, self.tree(number)
            except ValueError as error:
                trouble = trouble or error
                if number >= self.index.count:
                    raise trouble from None

    def save(self, game: OpenGame) -> None:
        """Write a game with its variations into the file, in its place. `ValueError`: nothing has changed there."""
        self.index.wait()
        with game.lock:
            save_tree(self.index, game.tree)
            game.has_new_state()

    def close(self) -> None:
        """Stop reading."""
        self.index.close()


def tree_in_text(text: str) -> GameTree:
    """The game of a text that was pasted: a PGN, or the FEN of a position."""
    if len(text) > LONGEST_PASTED:
        raise ValueError("the text is too long")
    if text.count("/") >= 7 and "\n" not in text.strip():
        return GameTree.empty(text.strip())
    return GameTree.of(text)
