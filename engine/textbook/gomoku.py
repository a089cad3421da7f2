"""Gomoku, five in a row or any other number: a small game to watch the search with."""

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np

EMPTY, MIN, MAX = 0, 1, 2  # planes of the board: empty squares, min's O, max's X
SYMBOLS = ".OX"
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

Action = tuple[int, int]  # row, column


class Gomoku:
    """A position of Gomoku. Max (X) begins; the first player with `win_size` in a row wins."""

    def __init__(self, board: np.ndarray, win_size: int, last: Action | None = None) -> None:
        """A one-hot board of 3 × n × n: for each square, a 1 in the plane of its owner."""
        self.board = board
        self.win_size = win_size
        self.last = last
        self.score_limit = float(self.size**2)

    @classmethod
    def blank(cls, board_size: int, win_size: int) -> "Gomoku":
        """An empty board."""
        if not 1 <= win_size <= board_size:
            raise ValueError(f"win size {win_size} does not fit a board of {board_size} × {board_size}")
        board = np.zeros((3, board_size, board_size), dtype=np.uint8)
        board[EMPTY] = 1
        return cls(board, win_size)

    @property
    def size(self) -> int:
        """Squares on a side."""
        return int(self.board.shape[1])

    @cached_property
    def empty_squares(self) -> int:
        """The number of empty squares."""
        return int(self.board[EMPTY].sum())

    @cached_property
    def is_max_turn(self) -> bool:
        """Max begins, and they take turns."""
        return (self.size**2 - self.empty_squares) % 2 == 0

    @property
    def current_player(self) -> Literal["min", "max"]:
        """Whose turn it is."""
        return "max" if self.is_max_turn else "min"

    @cached_property
    def current_score(self) -> float:
        """0 without a winner, else ±(empty squares + 1), positive for max: fast wins count more."""
        if self.last is None or not self._line_through(self.last):
            return 0.0
        score = float(self.empty_squares + 1)
        return -score if self.is_max_turn else score

    @cached_property
    def is_game_over(self) -> bool:
        """Has a player won, or is the board full?"""
        return self.current_score != 0 or self.empty_squares == 0

    @cached_property
    def valid_actions(self) -> list[Action]:
        """The empty squares, none once the game is over."""
        if self.is_game_over:
            return []
        return [(int(row), int(column)) for row, column in np.argwhere(self.board[EMPTY])]

    def perform(self, action: Action) -> "Gomoku":
        """The position after the player has taken a square."""
        row, column = action
        if self.is_game_over:
            raise ValueError("the game is over")
        if not (0 <= row < self.size and 0 <= column < self.size) or not self.board[EMPTY, row, column]:
            raise ValueError(f"square {row}, {column} is not free")
        board = self.board.copy()
        board[EMPTY, row, column] = 0
        board[MAX if self.is_max_turn else MIN, row, column] = 1
        return Gomoku(board, self.win_size, (row, column))

    def copy(self) -> "Gomoku":
        """An equal position that shares no memory with this one."""
        return Gomoku(self.board.copy(), self.win_size, self.last)

    def __str__(self) -> str:
        rows = ("".join(SYMBOLS[owner] + " " for owner in row).rstrip() for row in self.board.argmax(axis=0))
        return "\n".join(rows)

    def _line_through(self, square: Action) -> bool:
        """Has the owner of a square a winning line through it? Only the last move can have made one."""
        owner = int(self.board[:, square[0], square[1]].argmax())
        for down, right in DIRECTIONS:
            length = 1 + self._run(square, down, right, owner) + self._run(square, -down, -right, owner)
            if length >= self.win_size:
                return True
        return False

    def _run(self, square: Action, down: int, right: int, owner: int) -> int:
        """The number of squares of the owner that follow without a gap in one direction."""
        length = 0
        for row, column in self._ray(square, down, right):
            if not self.board[owner, row, column]:
                break
            length += 1
        return length

    def _ray(self, square: Action, down: int, right: int) -> Iterator[Action]:
        row, column = square[0] + down, square[1] + right
        while 0 <= row < self.size and 0 <= column < self.size:
            yield row, column
            row, column = row + down, column + right
