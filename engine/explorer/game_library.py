"""The file of the open game: the list of its games, the next one to open, and saving into it."""

import threading
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from engine.explorer.asked import Data
from engine.explorer.open_game import OpenGame
from engine.pgn.game_file import FoundGame, GameFile
from engine.pgn.game_tree import GameTree
from engine.pgn.index import GameIndex
from engine.pgn.positions import LONGEST_PASTED
from engine.pgn.save import save_tree
from engine.pgn.setup import problems_of

MOST_ROWS = 200
FEW_GAMES = 50  # up to this one a game is found sooner without the list
LONGEST_SEARCH = 100  # letters


class GameLibrary:
    """A PGN file. Its games are found in the background, once `start` is called."""

    def __init__(self, path: str | Path, encoding: str | None = None) -> None:
        """`ValueError` if it cannot be read."""
        self.index = GameIndex(path, encoding)
        self.name = Path(self.index.name).name
        self._encoding, self._listing = encoding, threading.Lock()
        self._saving = threading.Lock()

    def start(self) -> None:
        """Begin to find the games; not before the first picture is there."""
        self.index.start()

    def about(self) -> Data:
        """For the page."""
        return {"name": self.name, "games": self.index.count}

    def rows(self, first: int, most: int, text: str) -> Data:
        """Some games of the list: of those that match a text, from the `first` one on."""
        if not 1 <= most <= MOST_ROWS:
            raise ValueError(f"count must be from 1 to {MOST_ROWS}")
        if len(text) > LONGEST_SEARCH:
            raise ValueError("the text is too long")
        self.start()
        index = self.index
        is_complete = index.is_complete
        with self._listing:
            matching, rows = index.rows(first, most, text)
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
        self.start()
        return GameTree.of(self.index.game(number))

    def first_tree(self, number: int | None) -> tuple[int, GameTree]:
        """The game that is shown first, and its number; without a number the first one that can be opened."""
        if self.index.path is None or (number or 1) > FEW_GAMES:
            self.start()
            return self._first(self.index.game(one) for one in self._numbers(number))
        with GameFile(self.index.name, self._encoding) as file:
            games = file.games() if number is None else iter((file.game(number),))
            return self._first(games)

    def _numbers(self, number: int | None) -> Iterator[int]:
        yield from [number] if number else count(1)

    def _first(self, games: Iterable[FoundGame]) -> tuple[int, GameTree]:
        trouble: ValueError | None = None
        try:
            for found in games:
                try:
                    return found.number, GameTree.of(found)
                except ValueError as error:
                    trouble = trouble or error
        except ValueError as error:  # there are no more games
            trouble = trouble or error
        raise trouble or ValueError(f"{self.name}: there is no game in it")

    def save(self, game: OpenGame) -> None:
        """Write a game with its variations into the file, in its place. `ValueError`: nothing has changed there."""
        self.start()
        self.index.wait()
        with self._saving, game.lock:  # one at a time: the file is copied, then replaced
            save_tree(self.index, game.tree)
            game.has_new_state()

    def close(self) -> None:
        """Stop reading."""
        self.index.close()


def tree_in_text(text: str) -> GameTree:
    """The game of a text that was pasted: a PGN, or the FEN of a position, of Chess960 if it is right only there."""
    if len(text) > LONGEST_PASTED:
        raise ValueError("the text is too long")
    if text.count("/") >= 7 and "\n" not in text.strip():
        fen = text.strip()
        return GameTree.empty(fen, chess960=bool(problems_of(fen)) and not problems_of(fen, chess960=True))
    return GameTree.of(text)
