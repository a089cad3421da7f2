"""Some headers of all games of a file, in little memory, to filter by: each text is kept once."""

import unicodedata
from array import array
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

COLUMNS = ("White", "Black", "Result", "Date", "Event")
LONGEST_KEPT = 200  # letters
NUMBER = "I"  # of 4 bytes


class GameTable:
    """A row for each game; one thread adds rows while others read them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # text -> its place in `_texts`
        self._texts: list[str] = []
        self._columns = {name: array(NUMBER) for name in COLUMNS}
        self._last = self._columns[COLUMNS[-1]]

    def __len__(self) -> int:
        return len(self._last)  # filled after the others

    def add(self, headers: Mapping[str, str]) -> None:
        """Add a game."""
        for name, column in self._columns.items():
            column.append(self._number(headers.get(name, "?")))

    def replace(self, row: int, headers: Mapping[str, str]) -> None:
        """Change the headers of a game; rows begin at 0."""
        for name, column in self._columns.items():
            column[row] = self._number(headers.get(name, "?"))

    def text(self, row: int, name: str) -> str:
        """A header of a game."""
        return self._texts[self._columns[name][row]]

    def find(self, text: str) -> npt.NDArray[np.int64] | None:
        """The rows in which each word of a text occurs in some header; None if there are no words: all rows."""
        words = _folded(text).split()
        if not words:
            return None
        count = len(self)
        columns = [np.frombuffer(column[:count], dtype=np.uint32) for column in self._columns.values()]
        texts = [_folded(one) for one in self._texts]  # after the columns: no number in them is too large
        found = np.ones(count, dtype=bool)
        for word in words:
            has_word = np.fromiter((word in one for one in texts), dtype=bool, count=len(texts))
            found &= np.logical_or.reduce([has_word[column] for column in columns])
        return np.flatnonzero(found)

    def _number(self, value: str) -> int:
        text = _plain(value)
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return number


def _plain(value: str) -> str:
    """A header as it is shown."""
    return value.replace('\\"', '"').replace("\\\\", "\\")[:LONGEST_KEPT] if "\\" in value else value[:LONGEST_KEPT]


def _folded(text: str) -> str:
    """Without capitals and accents, so that `muller` finds Müller."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
