"""Find the first position where another program's legal moves differ from ours.

With python-chess both sides walk the tree together and compare the moves of every position. A UCI engine
that knows `go perft` only gives numbers: there, the branch whose number differs is followed down.
Depths are tried from 1 upwards, so the shortest way to a difference is found.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import chess

from movegen import Position
from perft.counter import Counter
from perft.engine_process import PATIENCE, EngineProcess

OURSELVES = "Teresa"


@dataclass(frozen=True)
class Difference:
    """A position where the two disagree."""

    path: tuple[str, ...]
    fen: str  # as python-chess has it after these moves
    our_fen: str
    other: str  # the other program
    only_ours: tuple[str, ...] = ()
    only_theirs: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()  # which rules the moves concern

    def __str__(self) -> str:
        lines = [
            f"first difference after: {' '.join(self.path) or '(no moves)'}",
            f"position: {self.fen}" + ("" if self.fen == self.our_fen else f"\nbut here: {self.our_fen}"),
            f"only {OURSELVES} has: {' '.join(self.only_ours) or '-'}",
            f"only {self.other} has: {' '.join(self.only_theirs) or '-'}",
            f"concerns: {', '.join(self.rules) or '-'}",
        ]
        return "\n".join(lines)


class OtherProgram(Protocol):
    """Another program to compare with."""

    name: str

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """The first difference in the tree down to this depth, or None."""


def compare(other_program: OtherProgram, position: Position, depth: int) -> Iterator[tuple[int, Difference | None]]:
    """Compare depth by depth, up to the first difference."""
    for reached in range(1, depth + 1):
        difference = other_program.first_difference(position, reached)
        yield reached, difference
        if difference is not None:
            return


class PythonChess:
    """python-chess, which walks every branch too. Slow, and independent of all code here."""

    name = "python-chess"

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """Compare the move sets of all positions at `depth` − 1 plies; those above were compared before."""
        board = chess.Board(position.fen(), chess960=position.chess960)
        return self._walk(position, board, depth, ())

    def _walk(self, position: Position, board: chess.Board, depth: int, path: tuple[str, ...]) -> Difference | None:
        moves = [board.uci(move) for move in board.legal_moves]
        if depth == 1:
            return difference_of(position, board, set(moves), path, self.name)
        for move in sorted(moves):
            board.push_uci(move)
            found = self._walk(position.play(move), board, depth - 1, (*path, move))
            board.pop()
            if found is not None:
                return found
        return None


class UciEngine:
    """A UCI engine that prints `go perft` as Stockfish does."""

    def __init__(self, command: list[str], chess960: bool) -> None:
        self.chess960 = chess960
        self._process = EngineProcess(command)
        self.name = self._process.name

    def shake_hands(self) -> None:
        """Begin to speak UCI."""
        self._process.send("uci")
        self._answer("uciok", PATIENCE)
        self._process.send(f"setoption name UCI_Chess960 value {str(self.chess960).lower()}")

    def first_difference(self, position: Position, depth: int) -> Difference | None:
        """Follow the branch whose number of leaves differs, until the moves themselves differ."""
        path: tuple[str, ...] = ()
        board = chess.Board(position.fen(), chess960=position.chess960)
        while True:
            theirs = self.divide(position, depth)
            if set(theirs) != set(position.legal_moves):
                return difference_of(position, board, set(theirs), path, self.name)
            ours = {move: Counter().perft(position.play(move), depth - 1) for move in position.legal_moves}
            wrong = sorted(move for move in ours if ours[move] != theirs[move])
            if not wrong:
                if path:
                    raise ValueError(f"{self.name} contradicts itself after {' '.join(path)}")
                return None
            board.push_uci(wrong[0])
            path, position, depth = (*path, wrong[0]), position.play(wrong[0]), depth - 1

    def divide(self, position: Position, depth: int) -> dict[str, int]:
        """The engine's leaves for each move. At depth 1 it answers soon, if it knows `go perft` at all."""
        self._process.send(f"position fen {position.fen(shredder=self.chess960)}", f"go perft {depth}")
        lines = self._answer("Nodes searched", PATIENCE if depth == 1 else None)
        pairs = (line.split(":") for line in lines[:-1] if line.count(":") == 1)
        return {move.strip(): int(count) for move, count in pairs if count.strip().isdigit()}

    def close(self) -> None:
        """End the engine."""
        self._process.close()

    def _answer(self, beginning: str, seconds: float | None) -> list[str]:
        try:
            return self._process.lines_until(beginning, seconds)
        except ValueError as error:
            raise ValueError(f"{error}: is it a UCI engine that knows 'go perft'?") from None


@contextmanager
def other_program(command: list[str] | None, chess960: bool) -> Iterator[OtherProgram]:
    """python-chess, or the engine that a command starts."""
    if command is None:
        yield PythonChess()
        return
    engine = UciEngine(command, chess960)
    try:
        engine.shake_hands()
        yield engine
    finally:
        engine.close()


def difference_of(
    position: Position, board: chess.Board, theirs: set[str], path: tuple[str, ...], other: str
) -> Difference | None:
    """Which moves only one of the two has, or None if both have the same."""
    ours = set(position.legal_moves)
    if ours == theirs:
        return None
    only_ours, only_theirs = tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours))
    rules = {rule_of(board, move) for move in only_ours + only_theirs}
    return Difference(path, board.fen(), position.fen(), other, only_ours, only_theirs, tuple(sorted(rules)))


def rule_of(board: chess.Board, text: str) -> str:
    """The rule that a disputed move most likely concerns."""
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        return "no move at all"
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en passant"
    if board.is_check():
        return "check evasion"
    if board.is_pinned(board.turn, move.from_square):
        return "pin"
    if move.promotion:
        return "promotion"
    piece = board.piece_at(move.from_square)
    return "no piece there" if piece is None else f"{chess.piece_name(piece.piece_type)} moves"
